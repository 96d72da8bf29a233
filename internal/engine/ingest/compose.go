package ingest

import (
	"context"
	"github.com/tidemark-db/tidemark/internal/engine/queue"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Compose returns the transaction that appends one event, for a caller that sends it
// together with the caller's own items. It makes sure that the event's bucket is queued, and reads no
// latest item: its one condition allows one, and none. The field errors come from validation; the error comes
// from the random source, or is ErrNoLatest.
//
// If the event is older than the latest item, the complete transaction fails, even if the
// kind keeps late events, because a part of it cannot be stored alone. The outcome is then
// Stale; a separate Append stores the event.
func (s *Service) Compose(
	ctx context.Context, kind *catalog.Kind, o TypedObservation, condition model.Condition,
) (storage.AppendTransaction, []model.FieldError, error) {
	v := validation{kind: kind, limits: s.Limits, now: s.Now(), random: s.Rand}
	event, wrong, err := v.typed(o)
	switch {
	case err != nil || wrong != nil:
		return storage.AppendTransaction{}, wrong, err
	case !kind.LatestInTransaction() && len(condition) > 0:
		return storage.AppendTransaction{}, nil, ErrNoLatest
	}
	s.ensureQueued(ctx, kind, queue.Event{EventKey: event.Key(), After: &event})
	tx := storage.AppendTransaction{PurgeLock: &event.Series.Subject, Puts: []model.Event{event}}
	if !kind.LatestInTransaction() {
		tx.Check = s.repeatCheck(kind, &event)
	} else {
		tx.Latest = &storage.LatestWrite{
			Series: event.Series, OrCreate: true, First: event.Order, Last: event.Order,
			Hash: event.Hash, Set: event.Attrs, Now: event.ArrivedAt, Condition: condition,
			Entries: indexEntries(kind, &event),
		}
	}
	return tx, nil, nil
}

// ComposedResult returns the result of a transaction of Compose. The outcome is Conflict if
// the caller's own condition failed, and Unknown if the table did not decide;
// sending the complete transaction again is then safe.
func ComposedResult(tx *storage.AppendTransaction, stored storage.StoreResult) model.AppendResult {
	event := &tx.Puts[0]
	result := model.AppendResult{Outcome: model.Unknown, Key: event.Key(), Latest: stored.Latest}
	if stored.Result == storage.Written {
		result.Outcome = model.Applied
		if tx.Latest != nil {
			result.Latest = asWritten(tx.Latest)
		}
	}
	if stored.Result == storage.ConditionFailed {
		result.Outcome = failedOutcome(tx, stored)
	}
	return result
}

// failedOutcome returns the outcome of an event whose transaction failed on a condition. If
// none of the conditions of tx failed, one of the caller's own items did.
func failedOutcome(tx *storage.AppendTransaction, failed storage.StoreResult) model.Outcome {
	event, latest := &tx.Puts[0], failed.Latest
	ordered := failed.LatestFailed && latest != nil && latest.Ordered
	switch {
	case failed.PurgeLockFailed || latest != nil && latest.PurgeLocked:
		return model.Gone
	case len(failed.Stored) > 0 && failed.Stored[0] != nil:
		return duplicateOrCollision(event.Hash, failed.Stored[0].Hash)
	case ordered && latest.Order == event.Order:
		return duplicateOrCollision(event.Hash, latest.Hash)
	case ordered && !latest.Before(event.Order) && tx.Latest.Condition.Holds(latest.Attrs):
		return model.Stale
	}
	return model.Conflict
}
