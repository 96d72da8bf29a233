package itemstore

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// EventActions returns the actions of an append after the one on its latest item: the check of
// the purge lock, the puts, the checks of absent events, the merge.
func EventActions(tx *storage.AppendTransaction) []itemop.Action {
	all := make([]itemop.Action, 0, 2+len(tx.Puts)+len(tx.Absent))
	if tx.PurgeLock != nil {
		all = append(all, itemop.Action{Key: tablekeys.PurgeLock(*tx.PurgeLock), Precondition: absent})
	}
	for i := range tx.Puts {
		it := item.FromEvent(&tx.Puts[i])
		all = append(all, itemop.Action{Key: it.Key(), Put: it, Precondition: absent})
	}
	for _, k := range tx.Absent {
		all = append(all, itemop.Action{Key: keys.Event(k), Precondition: absent})
	}
	if m := tx.Merge; m != nil {
		it := item.FromEvent(&m.Event)
		unchanged := itemop.Requirement{Op: itemop.AttrEquals, Attr: tablekeys.AttrHash,
			Value: item.Value{Type: item.B, B: m.Was[:]}}
		all = append(all, itemop.Action{Key: it.Key(), Put: it,
			Precondition: append(notExpiring(m.Now), unchanged)})
	}
	return all
}

// notExpiring requires that the item exists and does not expire within tier.ExpiryMargin. A
// user must not delete an item that TTL is about to remove, because the stream record of its
// expiry must not look like a deletion.
func notExpiring(now model.Time) itemop.Precondition {
	soon := item.Number(now.Add(tier.ExpiryMargin).Seconds())
	return itemop.Precondition{
		{Op: itemop.ItemExists},
		{Op: itemop.AttrAbsentOrCompares, Attr: keys.AttrExpiresAt, By: model.Greater, Value: soon},
	}
}

// FailedAppend returns the result of an append that failed on a condition. results are the results
// of its actions: on the latest item, if the transaction writes or checks it, and of EventActions.
func FailedAppend(tx *storage.AppendTransaction, results []itemop.ItemResult) (storage.StoreResult, error) {
	next := func() (one itemop.ItemResult) {
		if len(results) > 0 {
			one, results = results[0], results[1:]
		}
		return one
	}
	reply := storage.StoreResult{Result: storage.ConditionFailed}
	if tx.Latest != nil || tx.Check != nil {
		one := next()
		reply.LatestFailed = one.Failed
		if one.Failed && one.Old != nil {
			latest, err := item.Latest(one.Old)
			if err != nil {
				return storage.StoreResult{Result: storage.Unknown}, fmt.Errorf("append: %w", err)
			}
			reply.Latest = &latest
		}
	}
	if tx.PurgeLock != nil {
		reply.PurgeLockFailed = next().Failed
	}
	reply.Stored = make([]*model.Event, 0, len(tx.Puts)+len(tx.Absent)+1)
	for _, identity := range identities(tx) {
		var found *model.Event
		if one := next(); one.Failed {
			found = storedEvent(one.Old, identity)
		}
		reply.Stored = append(reply.Stored, found)
	}
	return reply, nil
}

// identities returns the keys of the puts, of the absent events, and of the merge.
func identities(tx *storage.AppendTransaction) []model.EventKey {
	out := make([]model.EventKey, 0, len(tx.Puts)+len(tx.Absent)+1)
	for i := range tx.Puts {
		out = append(out, tx.Puts[i].Key())
	}
	out = append(out, tx.Absent...)
	if tx.Merge != nil {
		out = append(out, tx.Merge.Event.Key())
	}
	return out
}

// storedEvent returns the event that a put found under its identity. A failed condition without
// the item still means that there is an event, which is returned as unreadable.
func storedEvent(old item.Item, identity model.EventKey) *model.Event {
	event, err := item.Event(old)
	if err != nil {
		event = model.Event{Series: identity.Series, Order: identity.Order, Unreadable: true}
	}
	return &event
}
