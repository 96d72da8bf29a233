package memory

import (
	"context"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// DeleteEvent removes an event as somebody does: on condition that it is there and
// does not expire within five minutes of now. Refused says that it is not there, or
// is left to expire.
func (t *Table) DeleteEvent(ctx context.Context, event model.EventKey, now model.Time) (model.Answer, error) {
	answer, _, err := t.one(ctx, "delete event", action{key: keys.Event(event), holds: lasting(now), become: whole(nil)})
	return answer, err
}

// CorrectEvent changes an event in place, as somebody does: the whole item is
// replaced, on condition that it is there, does not expire within five minutes of
// now, and does not expire earlier by the change.
func (t *Table) CorrectEvent(ctx context.Context, event model.Event, now model.Time) (model.Answer, error) {
	it, lasts := item.FromEvent(&event), lasting(now)
	answer, _, err := t.one(ctx, "correct event", action{key: it.Key(), become: whole(it), holds: func(old item.Item) bool {
		return lasts(old) && !nearer(old, event.ExpiresAt)
	}})
	return answer, err
}

// lasting: the item is there and will not expire within the margin.
func lasting(now model.Time) func(item.Item) bool {
	soon := now.Add(tier.ExpiryMargin).Seconds()
	return func(old item.Item) bool {
		if _, expires := old[keys.AttrExpiresAt]; !expires {
			return old != nil
		}
		at, ok := expiry(old)
		return ok && at > soon
	}
}

// nearer: an expiry of expiresAt would come before the one of old. Nobody brings an
// event's expiry nearer: who wants it gone deletes it.
func nearer(old item.Item, expiresAt int64) bool {
	at, ok := expiry(old)
	return expiresAt != 0 && (!ok || expiresAt < at)
}

// expiry is when an item expires, in epoch seconds; ok is false where it never does.
func expiry(it item.Item) (at int64, ok bool) {
	v := it[keys.AttrExpiresAt]
	if v.Type != item.N {
		return 0, false
	}
	at, err := strconv.ParseInt(v.S, 10, 64)
	return at, err == nil
}
