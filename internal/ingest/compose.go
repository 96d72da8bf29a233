package ingest

import (
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Compose returns the transaction that appends one event, for a caller that sends it
// together with the caller's own items. It reads and sends nothing, so it cannot know whether
// the latest item exists; its one condition allows both. The field errors are those of
// validation; the error is that of the random source, or ErrNoLatest.
//
// If the event is older than the latest item, the complete transaction fails, even if the
// kind keeps late events, because a part of it cannot be stored alone. The outcome is then
// Stale; a separate Append stores the event.
func (s *Service) Compose(kind *catalog.Kind, o TypedObservation, condition model.Condition) (AppendTransaction, []model.FieldError, error) {
	v := validation{kind: kind, limits: s.Limits, now: s.Now(), random: s.Rand}
	event, wrong, err := v.typed(o)
	switch {
	case err != nil || wrong != nil:
		return AppendTransaction{}, wrong, err
	case !kind.LatestInTransaction() && len(condition) > 0:
		return AppendTransaction{}, nil, ErrNoLatest
	}
	tx := AppendTransaction{PurgeLock: &event.Series.Subject, Puts: []model.Event{event}}
	if !kind.LatestInTransaction() {
		tx.Check = s.repeatCheck(kind, &event)
	} else {
		tx.Latest = &LatestWrite{
			Series: event.Series, OrCreate: true, First: event.Order, Last: event.Order,
			Hash: event.Hash, Set: event.Attrs, Now: event.ArrivedAt, Condition: condition,
			Entries: entriesOf(kind, &event),
		}
	}
	return tx, nil, nil
}

// ComposedResult returns the result of a transaction of Compose. The outcome is Conflict if
// the caller's own condition failed, and Unknown if the table did not decide;
// sending the complete transaction again is then safe.
func ComposedResult(tx *AppendTransaction, stored StoreResult) model.AppendResult {
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
func failedOutcome(tx *AppendTransaction, failed StoreResult) model.Outcome {
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
