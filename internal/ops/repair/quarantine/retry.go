package quarantine

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/storedtime"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Store is the table as a Retrier needs it.
type Store interface {
	ingest.Store
	ingest.PurgeLocks
	aggregate.Store
	// DeleteItem deletes an item; a missing item is no error.
	DeleteItem(ctx context.Context, k keys.Key) error
}

// Retrier processes quarantined entries again: an observation is validated and appended
// by the present configuration, a record of the table stream is decoded and its buckets
// are recomputed. Retrying is always safe: what was processed before is a duplicate.
type Retrier struct {
	ingest          *ingest.Service
	aggregator      *aggregate.Aggregator
	catalog         *catalog.Catalog
	table           Store
	maxObservations int    // in one payload
	kind            string // of observations that name none
}

// NewRetrier returns a Retrier. Observations that name no kind are of kind. Events whose buckets may not be
// queued are named on warnings.
func NewRetrier(
	table Store, kinds *catalog.Catalog, limits config.Limits, kind string, now func() model.Time,
	warnings io.Writer,
) *Retrier {
	return &Retrier{
		ingest: &ingest.Service{
			Store: table, PurgeLocks: table, Limits: limits, Now: now, Rand: rand.Reader,
			Queue: queue.NewWriter(table, kinds), OnUnqueued: ingest.PrintUnqueued(warnings),
		},
		aggregator: &aggregate.Aggregator{Store: table, QuarantineStore: reject{}, Catalog: kinds, Now: now,
			Rand: rand.Reader},
		catalog: kinds, table: table, maxObservations: limits.Observations, kind: kind,
	}
}

// Result is what a successful retry did.
type Result struct {
	Outcomes []model.Outcome // of the observations; consecutive equal ones once
	Changes  int             // of the table stream that were processed
}

// RejectedError says that an observation was not appended.
type RejectedError struct {
	Outcome model.Outcome
	Errors  []model.FieldError
}

func (e *RejectedError) Error() string {
	text := string(e.Outcome)
	for _, f := range e.Errors {
		text += ": " + f.Error()
	}
	return text
}

// UndeclaredKindError says that an observation names a kind that is not declared.
type UndeclaredKindError struct{ Kind string }

func (e *UndeclaredKindError) Error() string { return fmt.Sprintf("kind %q is not declared", e.Kind) }

// reject is the quarantine of a Retrier's Aggregator: it takes nothing, because what is
// retried is in quarantine already.
type reject struct{}

var _ aggregate.QuarantineStore = reject{}

func (reject) Quarantine(context.Context, storage.Quarantined) (storage.WriteResult, error) {
	return storage.ConditionFailed, errors.New("it still cannot be processed")
}

// Retry processes an entry again and, if that succeeds, removes it. An error says why the entry stays.
func (r *Retrier) Retry(ctx context.Context, e *Entry) (Result, error) {
	result, err := r.process(ctx, e)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = r.table.DeleteItem(ctx, e.Key)
	}
	return result, err
}

func (r *Retrier) process(ctx context.Context, e *Entry) (Result, error) {
	switch {
	case e.Damaged != nil:
		return Result{}, e.Damaged
	case e.Source == aggregate.StreamSource:
		return r.record(ctx, e)
	default:
		return r.observations(ctx, e)
	}
}

// observations appends the observations of a payload, for the sender that the source decided.
func (r *Retrier) observations(ctx context.Context, e *Entry) (Result, error) {
	return r.Append(ctx, r.decoder(e), e.Payload, "quarantine/"+e.ID)
}

// decoder returns the decoder of an entry. What the entry says of its sender is decided: its payload may
// repeat it, and cannot change it.
func (r *Retrier) decoder(e *Entry) envelope.Decoder {
	switch {
	case e.Sender != (storage.Sender{}):
		return envelope.FromSender(e.Sender)
	case e.Subject.ID != "": // a sender that may write any subject, or an entry of an earlier version
		return r.aboutSubject(e.Subject)
	case e.Source == string(envelope.IoT):
		return envelope.FromDevice // a message that no rule has marked stays in quarantine
	}
	return envelope.FromRule
}

// aboutSubject returns the decoder of messages of which only the subject is known.
func (r *Retrier) aboutSubject(subject model.Subject) envelope.Decoder {
	return func(payload []byte, delivery, kind string, limit int) []envelope.Message {
		messages := envelope.FromSender(storage.Sender{Subject: subject.ID})(payload, delivery, kind, limit)
		for i := range messages {
			m := &messages[i]
			if k, known := r.catalog.Kind(m.Kind); known && k.Subject.Name != subject.Type {
				m.DecodeError = &model.FieldError{Field: envelope.RuleKind, Code: ingest.CodeSubjectMismatch,
					Message: fmt.Sprintf("%s is not a kind of a %s, of which the entry is", m.Kind, subject.Type)}
			}
		}
		return messages
	}
}

// Append appends the observations of a payload, in order. It ends at the first that is not stored, with an
// error that says why.
func (r *Retrier) Append(ctx context.Context, decode envelope.Decoder, payload []byte,
	delivery string) (done Result, err error) {
	for _, m := range decode(payload, delivery, r.kind, r.maxObservations) {
		kind, known := r.catalog.Kind(m.Kind)
		if !known {
			return Result{}, &UndeclaredKindError{Kind: m.Kind}
		}
		results, err := r.ingest.Append(ctx, kind, m.Observation)
		if err != nil {
			return Result{}, err
		}
		if o := results[0]; !processed(o.Outcome) {
			return Result{}, &RejectedError{Outcome: o.Outcome, Errors: o.Errors}
		}
		done.Outcomes = append(done.Outcomes, results[0].Outcome)
	}
	done.Outcomes = slices.Compact(done.Outcomes)
	return done, nil
}

// processed reports whether nothing is left to do after an outcome.
func processed(o model.Outcome) bool {
	return slices.Contains([]model.Outcome{model.Applied, model.Late, model.Stale, model.Duplicate}, o)
}

// record processes a record of the table stream.
func (r *Retrier) record(ctx context.Context, e *Entry) (Result, error) {
	changes, err := r.changes(e.Payload)
	if err != nil {
		return Result{}, err
	}
	if report := r.aggregator.Redrive(ctx, changes); len(report.Failures) > 0 {
		return Result{}, report.Failures[0].Err
	}
	return Result{Changes: len(changes)}, nil
}

// changes decodes a record as the aggregate function does, or as the event's identity,
// which is what is kept of a record whose kind was not declared.
func (r *Retrier) changes(payload []byte) ([]storage.Change, error) {
	var decoder tablestream.Decoder
	batch, err := decoder.Decode([]byte(`{"Records":[` + string(payload) + `]}`))
	if err != nil {
		return nil, err
	}
	if len(batch.Changes) > 0 {
		return batch.Changes, nil
	}
	if change, ok := r.identity(payload); ok {
		return []storage.Change{change}, nil
	}
	if len(batch.Poison) > 0 {
		return nil, errors.New(batch.Poison[0].Reason)
	}
	return nil, errors.New("the record is not of an event")
}

// identity returns the change of an event if only its identity was stored. It is a
// correction, not an insert, so that its buckets are recomputed from the start.
func (r *Retrier) identity(payload []byte) (storage.Change, bool) {
	var in struct{ Subject, Kind, Stream, Time, ID string }
	if json.Unmarshal(payload, &in) != nil {
		return storage.Change{}, false
	}
	at, err := storedtime.Parse(in.Time)
	kind, known := r.catalog.Kind(in.Kind)
	_, id, cut := strings.Cut(in.Subject, "/")
	if err != nil || !cut || in.Kind == "" {
		return storage.Change{}, false
	}
	order := model.Order{At: at, ID: in.ID}
	series := model.Series{Kind: in.Kind} // still undeclared: Redrive quarantines it again
	if known {
		series = kind.Series(id, in.Stream, order)
	}
	return storage.Change{Type: storage.Corrected, Key: model.EventKey{Series: series, Order: order}}, true
}
