package ingest

import (
	"context"
	"fmt"
	"github.com/tidemark-db/tidemark/internal/engine/queue"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/engine/latest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// ChangeStore changes what is stored already. Its methods work as Store's do: one request each,
// whose error is permanent.
type ChangeStore interface {
	// DeleteEvent deletes an event. The result is ConditionFailed if it does not exist, or
	// expires so soon that it is left to expire.
	DeleteEvent(ctx context.Context, event model.EventKey, now model.Time) (storage.WriteResult, error)
	// CorrectEvent replaces an event, on the conditions of DeleteEvent and that it does not
	// expire earlier than before.
	CorrectEvent(ctx context.Context, event model.Event, now model.Time) (storage.WriteResult, error)
	// Commit sends one transaction: all of it is stored, or nothing.
	Commit(ctx context.Context, tx itemop.Transaction) (itemop.TransactResult, error)
}

// Delete deletes an event and reports whether it was stored. If a response was lost, an event
// that is not stored any more counts as deleted.
func (s *Service) Delete(
	ctx context.Context, store ChangeStore, kind *catalog.Kind, k model.EventKey,
) (deleted bool, err error) {
	s.ensureQueued(ctx, kind, queue.Event{EventKey: k})
	uncertain := false
	result, err := s.change(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		result, err := store.DeleteEvent(ctx, k, s.Now())
		uncertain = uncertain || result == storage.Unknown
		return result, err
	})
	if err != nil {
		return false, fmt.Errorf("delete event of %s: %w", k.Series, err)
	}
	return result == storage.Written || uncertain, nil
}

// Correct replaces the fields of a stored event, which keeps its arrival, its expiry and whether it was
// late, and records when it was corrected. It reports whether the event still existed. The error may be
// model.FieldErrors.
func (s *Service) Correct(ctx context.Context, store ChangeStore, kind *catalog.Kind, o TypedObservation,
	stored *model.Event) (bool, error) {
	event, err := s.corrected(kind, o, stored)
	if err != nil {
		return false, err
	}
	s.ensureQueued(ctx, kind, queue.Event{EventKey: event.Key(), Before: stored, After: &event})
	result, err := s.change(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		return store.CorrectEvent(ctx, event, s.Now())
	})
	if err != nil {
		return false, fmt.Errorf("correct event of %s: %w", event.Series, err)
	}
	return result == storage.Written, nil
}

// foldLatest makes the latest item follow a change that is stored. If it cannot, the table stream makes it
// follow later, and the error says so.
func (s *Service) foldLatest(ctx context.Context, store latest.Store, kind *catalog.Kind,
	c storage.Change) error {
	if !kind.HasLatest() {
		return nil
	}
	f := latest.Folder{
		Store: store, Now: s.Now,
		NewRev:  func() (rollup.Rev, error) { return ids.Nonce(s.Rand) },
		Retrier: retry.Retrier{Policy: s.RetryPolicy, Rand: s.Rand, Sleep: s.Sleep, OnRetry: s.OnRetry},
	}
	if _, err := f.Fold(ctx, kind, c.Key.Series, []storage.Change{c}, true); err != nil {
		return fmt.Errorf("the event is changed, and its latest item follows with the table stream: %w: %w",
			model.ErrUndecided, err)
	}
	return nil
}

// corrected returns a stored event with the fields of o. The error may be model.FieldErrors.
func (s *Service) corrected(kind *catalog.Kind, o TypedObservation,
	stored *model.Event) (model.Event, error) {
	anyID := *kind
	anyID.IDs = catalog.OptionalID // the event has its id already
	v := validation{kind: &anyID, limits: s.Limits, now: s.Now(), random: s.Rand}
	event, wrong, err := v.typed(o)
	switch {
	case err != nil:
		return model.Event{}, err
	case wrong != nil:
		return model.Event{}, model.FieldErrors(wrong)
	}
	event.CorrectedAt = v.now
	event.ExpiresAt = stored.ExpiresAt
	event.Late = stored.Late
	event.ArrivedAt = stored.ArrivedAt
	return event, nil
}

// Enrich sets fields of a latest item that no append writes; a null field is removed. The item
// need not exist yet. The outcome is Applied, Conflict if the condition does not hold, or Gone. Indexes of
// latest items by these fields change with them. The error may be model.FieldErrors.
func (s *Service) Enrich(ctx context.Context, store ChangeStore, kind *catalog.Kind, series model.Series,
	patch model.Attrs, condition model.Condition) (model.AppendResult, error) {
	entries := indexEntries(kind, &model.Event{Series: series, Attrs: patch})
	for _, entry := range entries {
		if wrong := checkEntry(kind, entry); wrong != nil {
			return model.AppendResult{}, model.FieldErrors{*wrong}
		}
	}
	token, err := ids.Token(s.Rand)
	if err != nil {
		return model.AppendResult{}, err
	}
	tx := itemop.Transaction{Token: token,
		Actions: []itemop.Action{enrichment(series, patch, entries, condition), {
			Key: tablekeys.PurgeLock(series.Subject), Precondition: itemop.Precondition{{Op: itemop.ItemAbsent}},
		}}}
	var got itemop.TransactResult
	_, err = s.change(ctx, func(ctx context.Context) (_ storage.WriteResult, err error) {
		got, err = store.Commit(ctx, tx)
		return got.Result, err
	})
	if err = retry.WithCause(err, got.Cause); err != nil {
		return model.AppendResult{}, fmt.Errorf("enrich %s: %w", series, err)
	}
	if got.Result == storage.Written {
		return model.AppendResult{Outcome: model.Applied}, nil
	}
	return refused(got.Items), nil
}

// enrichment returns the change of the latest item.
func enrichment(series model.Series, patch model.Attrs, entries []storage.IndexEntry,
	condition model.Condition) itemop.Action {
	a := itemop.Action{
		Key: keys.Latest(series), Where: condition, Set: item.Item{},
		Precondition: itemop.Precondition{{Op: itemop.AttrAbsent, Attr: tablekeys.AttrPurgeLock}},
	}
	for _, f := range patch {
		if f.Value.Kind == model.Null {
			a.Remove = append(a.Remove, f.Name)
		} else {
			a.Set[f.Name] = item.FromValue(f.Value)
		}
	}
	for _, entry := range entries {
		if a.Set.SetIndex(entry.Index, entry.Key); entry.Key == (keys.Key{}) {
			pk, sk := item.IndexAttrs(entry.Index)
			a.Remove = append(a.Remove, pk, sk)
		}
	}
	return a
}

// refused returns the result of an enrichment whose conditions failed: the latest item's condition
// comes first, then the purge lock.
func refused(items []itemop.ItemResult) model.AppendResult {
	r := model.AppendResult{Outcome: model.Gone}
	if len(items) == 0 || !items[0].Failed {
		return r
	}
	if latest, err := item.Latest(items[0].Old); err == nil {
		r.Latest = &latest
	}
	if (r.Latest == nil || !r.Latest.PurgeLocked) && !items[1].Failed {
		r.Outcome = model.Conflict
	}
	return r
}

// change repeats a request until the table decides.
func (s *Service) change(ctx context.Context,
	request func(context.Context) (storage.WriteResult, error)) (storage.WriteResult, error) {
	r := retry.Retrier{Policy: s.RetryPolicy, Rand: s.Rand, Sleep: s.Sleep, OnRetry: s.OnRetry}
	return r.Do(ctx, request)
}
