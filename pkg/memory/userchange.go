package memory

import (
	"context"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

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
