package timeseries

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/ordervalue"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Delete deletes the event that has the subject, stream, time and id of v; other fields of v
// are ignored. The latest item has followed when Delete returns; the rollups are recomputed without
// the event when the table stream has delivered the change. deleted is false if there is no such event.
// It is true beside an error that wraps ErrUndecided if only the latest item could not follow yet.
func (e *Events[T]) Delete(ctx context.Context, v T) (deleted bool, err error) {
	ctx, cancel := e.withPatience(ctx)
	defer cancel()
	kind, err := e.kindOfTable(ctx)
	if err != nil {
		return false, err
	}
	k, err := e.eventKey(kind, &v)
	if err != nil {
		return false, err
	}
	edit, err := e.editor.Delete(ctx, kind, k, nil)
	return edit.Outcome == ingest.Deleted, err
}

// Correct replaces the fields of the event that has the subject, stream, time and id of v. The latest
// item has followed when Correct returns; the rollups are recomputed when the table stream has delivered
// the change. corrected is false if there is no such event, or if it expires within minutes. The error
// wraps ErrRejected if v is invalid.
func (e *Events[T]) Correct(ctx context.Context, v T) (corrected bool, err error) {
	ctx, cancel := e.withPatience(ctx)
	defer cancel()
	kind, err := e.kindOfTable(ctx)
	if err != nil {
		return false, err
	}
	k, err := e.eventKey(kind, &v)
	if err != nil {
		return false, err
	}
	observation, problems := e.observation(&v)
	if len(problems) > 0 {
		return false, model.FieldErrors(problems)
	}
	edit, err := e.editor.CorrectAt(ctx, kind, k, observation, nil)
	return edit.Outcome == ingest.Corrected, err
}

// Enrich sets enrichment fields of the latest item of a series, by their stored names. nil
// removes a field. Appends never change them, and Latest reads them. The item need not exist
// yet. The outcome is Applied, Conflict if a condition does not hold, or Gone. The error is Result.Err,
// ErrRejected for a field that the kind does not declare as enrichment.
func (e *Events[T]) Enrich(ctx context.Context, key Key, patch map[string]any,
	opts ...AppendOption) (Result[T], error) {
	ctx, cancel := e.withPatience(ctx)
	defer cancel()
	fail := func(err error) (Result[T], error) { return Result[T]{Err: err}, err }
	condition, err := e.condition(opts)
	if err != nil {
		return fail(err)
	}
	switch {
	case !e.declared.HasLatest():
		return fail(fmt.Errorf("enrich: kind %s: %w", e.declared.Name, ErrNoLatest))
	case e.declared.Shards > 1:
		return fail(fmt.Errorf(
			"enrich: kind %s has a latest item for each of its %d shards: keep the fields in the subject's profile",
			e.declared.Name, e.declared.Shards))
	}
	fields, err := e.enrichment(patch)
	if err != nil {
		return fail(err)
	}
	if err := e.series(key).Check(); err != nil {
		return fail(err)
	}
	kind, err := e.kindOfTable(ctx)
	if err != nil {
		return fail(err)
	}
	series := kind.Series(key.Subject, key.Stream, model.Order{})
	r, err := e.ingest.Enrich(ctx, e.editor.Store, kind, series, fields, condition)
	if err != nil {
		return fail(err)
	}
	result := Result[T]{Outcome: r.Outcome, Latest: e.decidedBy(r), Err: notStored[r.Outcome]}
	return result, result.Err
}

// enrichment returns the fields of a patch, sorted, or model.FieldErrors.
func (e *Events[T]) enrichment(patch map[string]any) (fields model.Attrs, _ error) {
	var wrong model.FieldErrors
	for name, value := range patch {
		t, err := e.layout.term(comparison{field: name, op: model.Equal, value: value})
		if c := e.layout.find(name); err == nil && c != nil && t.Value.Kind != model.Null {
			err = c.checkValue(t)
		}
		switch {
		case !e.declared.IsEnrichment(name):
			wrong = append(wrong, model.FieldError{Field: name, Code: ingest.CodeEnrichment,
				Message: fmt.Sprintf("is not an enrichment field of %s: declare it, or append it", e.declared.Name)})
		case err != nil:
			wrong = append(wrong, model.FieldError{Field: name, Code: ingest.CodeWrongType, Message: err.Error()})
		case len(t.Value.Text) > e.ingest.Limits.Text:
			wrong = append(wrong, model.FieldError{Field: name, Code: ingest.CodeTooLong,
				Message: fmt.Sprintf("is %d bytes of text: at most %d", len(t.Value.Text), e.ingest.Limits.Text)})
		}
		fields = append(fields, model.Attr{Name: name, Value: t.Value})
	}
	if len(wrong) > 0 {
		slices.SortFunc(wrong, func(a, b model.FieldError) int { return strings.Compare(a.Field, b.Field) })
		return nil, wrong
	}
	fields.Sort()
	return fields, nil
}

// eventKey returns the identity of v in the kind of the table, whose shards decide its place.
func (e *Events[T]) eventKey(kind *catalog.Kind, v *T) (model.EventKey, error) {
	at := reflect.ValueOf(v).Elem()
	when, problem := e.layout.eventTime(at)
	if problem != nil {
		return model.EventKey{}, model.FieldErrors{*problem}
	}
	key := Key{Subject: e.layout.subject.text(at), Stream: e.layout.stream.text(at)}
	order := ordervalue.Order(e.layout.orderBy, when, e.layout.id.text(at), e.layout.orderValue(at))
	return model.EventKey{Series: kind.Series(key.Subject, key.Stream, order), Order: order},
		e.series(key).Check()
}
