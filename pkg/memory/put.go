package memory

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Put stores one event on condition that no event with this identity is stored.
func (t *Table) Put(ctx context.Context, event model.Event) (ingest.StoreResult, error) {
	it := item.FromEvent(&event)
	result, old, err := t.writeOne(ctx, "put event", action{key: it.Key(), condition: absent, change: replaceWith(it)})
	reply := ingest.StoreResult{Result: result}
	if result == storage.ConditionFailed {
		reply.Stored = []*model.Event{storedEvent(old)}
		reply.Stored[0].Attempt = item.Attempt(old)
	}
	return reply, err
}

// Quarantine stores q on condition that its ID is not stored. If it is, the request is a
// repeat and the result is Written.
func (t *Table) Quarantine(ctx context.Context, q entity.Quarantined) (storage.WriteResult, error) {
	it := item.FromQuarantined(&q)
	result, _, err := t.writeOne(ctx, "quarantine", action{key: it.Key(), condition: absent, change: replaceWith(it)})
	if result == storage.ConditionFailed {
		return storage.Written, nil
	}
	return result, err
}

// PutRow replaces the complete row on condition that the stored revision is prev; for the
// zero Rev, that there is no row.
func (t *Table) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	it, err := item.FromRow(row)
	if err != nil {
		return storage.Unknown, err
	}
	unchanged := func(old item.Item) bool {
		if prev == (rollup.Rev{}) {
			return old == nil
		}
		rev := old[tablekeys.AttrRev]
		return rev.Type == item.B && bytes.Equal(rev.B, prev[:])
	}
	result, _, err := t.writeOne(ctx, "put rollup", action{key: it.Key(), condition: unchanged, change: replaceWith(it)})
	return result, err
}

// writeOne writes one item. old is the item on which the condition failed, if the result is
// ConditionFailed.
func (t *Table) writeOne(ctx context.Context, operation string, a action) (_ storage.WriteResult, old item.Item, _ error) {
	if err := checkContext(ctx, operation); err != nil {
		return storage.Unknown, nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	failures, err := t.write([]action{a})
	switch {
	case err != nil:
		return storage.Unknown, nil, fmt.Errorf("%s: %w", operation, err)
	case failures != nil:
		return storage.ConditionFailed, failures[0].old, nil
	default:
		return storage.Written, nil, nil
	}
}

// DeleteEvent deletes an event for a user, on condition that it exists and does not expire
// within tier.ExpiryMargin of now; otherwise the result is ConditionFailed.
func (t *Table) DeleteEvent(ctx context.Context, event model.EventKey, now model.Time) (storage.WriteResult, error) {
	result, _, err := t.writeOne(ctx, "delete event", action{key: keys.Event(event), condition: notExpiring(now), change: replaceWith(nil)})
	return result, err
}

// CorrectEvent replaces an event for a user, on condition that it exists, does not expire
// within tier.ExpiryMargin of now, and does not expire earlier than before; otherwise the
// result is ConditionFailed.
func (t *Table) CorrectEvent(ctx context.Context, event model.Event, now model.Time) (storage.WriteResult, error) {
	it, lasts := item.FromEvent(&event), notExpiring(now)
	result, _, err := t.writeOne(ctx, "correct event", action{key: it.Key(), change: replaceWith(it), condition: func(old item.Item) bool {
		return lasts(old) && !expiresEarlier(old, event.ExpiresAt)
	}})
	return result, err
}

// notExpiring: the item exists and does not expire within tier.ExpiryMargin.
func notExpiring(now model.Time) func(item.Item) bool {
	soonest := now.Add(tier.ExpiryMargin).Seconds()
	return func(old item.Item) bool {
		if _, expires := old[keys.AttrExpiresAt]; !expires {
			return old != nil
		}
		at, ok := expiry(old)
		return ok && at > soonest
	}
}

// expiresEarlier: expiresAt is before the expiry of old. A correction may not shorten the
// retention of an event.
func expiresEarlier(old item.Item, expiresAt int64) bool {
	at, ok := expiry(old)
	return expiresAt != 0 && (!ok || expiresAt < at)
}

// expiry returns when an item expires, in epoch seconds; ok is false if it never does.
func expiry(it item.Item) (at int64, ok bool) {
	v := it[keys.AttrExpiresAt]
	if v.Type != item.N {
		return 0, false
	}
	at, err := strconv.ParseInt(v.S, 10, 64)
	return at, err == nil
}
