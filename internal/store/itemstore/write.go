package itemstore

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Put stores one event on condition that no event with its identity is stored. It consumes one
// write unit for each KB, half as much as a transaction.
func (s Items) Put(ctx context.Context, event model.Event) (storage.StoreResult, error) {
	written, err := s.put(ctx, "put event", item.FromEvent(&event), absent)
	if written.WriteResult != storage.ConditionFailed {
		return storage.StoreResult{Result: written.WriteResult, Cause: written.Cause}, err
	}
	stored := storedEvent(written.Old, event.Key())
	stored.Attempt = item.Attempt(written.Old)
	return storage.StoreResult{Result: storage.ConditionFailed, Stored: []*model.Event{stored}}, nil
}

// DeleteEvent deletes an event for a user, on condition that it exists and does not expire
// within tier.ExpiryMargin of now; otherwise the result is ConditionFailed.
func (s Items) DeleteEvent(ctx context.Context, event model.EventKey,
	now model.Time) (storage.WriteResult, error) {
	written, err := s.store.Write(ctx, "delete event",
		&itemop.Action{Key: keys.Event(event), Delete: true, Precondition: notExpiring(now)})
	return written.WriteResult, err
}

// CorrectEvent replaces an event for a user, on condition that it exists, does not expire within
// tier.ExpiryMargin of now, and does not expire earlier than before; otherwise the result is ConditionFailed.
func (s Items) CorrectEvent(ctx context.Context, event model.Event,
	now model.Time) (storage.WriteResult, error) {
	when := notExpiring(now)
	if event.ExpiresAt != 0 { // a correction may not shorten the retention of an event
		when = append(when, itemop.Requirement{Op: itemop.AttrCompares, Attr: keys.AttrExpiresAt, By: model.AtMost,
			Value: item.Number(event.ExpiresAt)})
	}
	written, err := s.put(ctx, "correct event", item.FromEvent(&event), when)
	return written.WriteResult, err
}

// Quarantine stores q on condition that its ID is not stored. If it is, the request is a
// repeat and the result is Written.
func (s Items) Quarantine(ctx context.Context, q storage.Quarantined) (storage.WriteResult, error) {
	return s.ensure(ctx, "quarantine", item.FromQuarantined(&q))
}

// PutRow replaces the complete row on condition that the stored revision is prev; for the
// zero Rev, that there is no row.
func (s Items) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	it, err := item.FromRow(row)
	if err != nil {
		return storage.Unknown, err
	}
	written, err := s.put(ctx, "put rollup", it, itemop.RevisionIs(prev))
	return written.WriteResult, err
}

// PutKindConfig stores c on condition that the stored revision is prev; the zero prev requires
// that none is stored.
func (s Items) PutKindConfig(ctx context.Context, c storage.KindConfig,
	prev [16]byte) (storage.WriteResult, error) {
	written, err := s.put(ctx, "put configuration", item.FromKindConfig(&c), itemop.RevisionIs(prev))
	return written.WriteResult, err
}

// PutRotatingSecret stores a day's secret on condition that the day has none yet. ConditionFailed
// comes with the stored secret, so that no read is needed.
func (s Items) PutRotatingSecret(ctx context.Context,
	secret storage.RotatingSecret) (storage.WriteResult, storage.RotatingSecret, error) {
	written, err := s.put(ctx, "put rotating secret", item.FromRotatingSecret(&secret), absent)
	if written.WriteResult != storage.ConditionFailed {
		return written.WriteResult, storage.RotatingSecret{}, err
	}
	stored, err := item.RotatingSecret(written.Old)
	return written.WriteResult, stored, err
}
