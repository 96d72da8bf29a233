package simulation

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// oracle has every event ever accepted, except those that a user deleted. It reads the log
// of the table itself, in which no record is delayed, repeated or lost.
type oracle struct {
	*world
	events   map[model.EventKey]model.Event
	accepted map[model.EventKey]model.Time // when each event in events was accepted
	first    map[rollup.Key]model.Time     // when a bucket got its first event
	deleted  map[model.Series]model.Order  // the newest event that a user deleted
	// late are events that a user deleted or corrected shortly before they expired, or whose change
	// was repaired then. A fold of latest items that comes to know a deletion within an hour of the
	// expiry cannot tell both apart, and after the expiry it cannot read the corrected event.
	late map[model.EventKey]bool
	// unknown are events of which a group need not know: those that were stored again after they had
	// expired, perhaps in another group, and those whose records were lost until they had expired.
	unknown map[model.EventKey]bool
	moves   map[model.Subject][]storage.Membership
}

func newOracle(w *world) *oracle {
	return &oracle{world: w, events: map[model.EventKey]model.Event{},
		accepted: map[model.EventKey]model.Time{}, first: map[rollup.Key]model.Time{},
		deleted: map[model.Series]model.Order{}, late: map[model.EventKey]bool{},
		unknown: map[model.EventKey]bool{}, moves: map[model.Subject][]storage.Membership{}}
}

// record processes one change of the table.
func (o *oracle) record(r *memory.Record) {
	image := r.New
	if image == nil {
		image = r.Old
	}
	if m, err := item.Memberships(image); err == nil {
		o.recordMove(m)
	}
	e, err := item.Event(image)
	if err != nil {
		return
	}
	key := e.Key()
	switch {
	case r.New == nil && expiry(r, e.ExpiresAt): // an expired event still counts as accepted
	case r.New == nil:
		o.readers.add(change{key: key})
		delete(o.events, key)
		delete(o.accepted, key)
		// One that cannot be decoded never had what the item has of an expired one of the same time.
		o.late[key] = expiresWithin(e, shortlyBefore, r.At) || e.Unreadable && o.unknown[key]
		if newest, any := o.deleted[key.Series.WithoutShard()]; !any || newest.Before(key.Order) {
			o.deleted[key.Series.WithoutShard()] = key.Order
		}
	default:
		o.readers.add(change{key: key, to: &e})
		if _, known := o.events[key]; known && r.Old == nil {
			o.unknown[key] = true
		}
		o.events[key] = e
		o.late[key] = r.Old != nil && expiresWithin(e, shortlyBefore, r.At)
		if r.Old == nil {
			o.accept(key)
		}
	}
}

// expiresWithin reports whether an event expires less than a duration after a time, or has expired.
func expiresWithin(e model.Event, d time.Duration, at model.Time) bool {
	return e.ExpiresAt != 0 && at.Add(d).Seconds() >= e.ExpiresAt
}

// expiry reports whether a removal counts as an expiry: one by TTL, and any other removal
// of an item that would expire within five minutes.
func expiry(r *memory.Record, expiresAt int64) bool {
	return r.Service || expiresAt != 0 && expiresAt <= r.At.Add(tier.ExpiryMargin).Seconds()
}

func (o *oracle) accept(key model.EventKey) {
	o.accepted[key] = o.Now()
	for _, t := range o.kind().Retention.Tiers {
		row := rowOver(t, key)
		if _, known := o.first[row]; !known {
			o.first[row] = o.Now()
		}
	}
}

// acceptNow treats the events of repaired changes as accepted now, because a row that would
// have expired before the repair is not created. Their deletions become known now, too.
func (o *oracle) acceptNow(changes []storage.Change) {
	for _, c := range changes {
		if _, exists := o.events[c.Key]; !exists && c.Before != nil {
			o.late[c.Key] = o.late[c.Key] || expiresWithin(*c.Before, time.Hour, o.Now())
		}
		if _, exists := o.accepted[c.Key]; exists {
			o.accepted[c.Key] = o.Now()
			o.late[c.Key] = o.late[c.Key] || expiresWithin(o.events[c.Key], time.Hour, o.Now())
			if left, _ := o.table.GetItem(context.Background(), keys.Event(c.Key)); left == nil {
				o.unknown[c.Key] = true
			}
		}
	}
}

func rowOver(t tier.Tier, key model.EventKey) rollup.Key {
	return rollup.Key{Series: key.Series.WithoutShard(), Tier: t.Unit.String(),
		Start: t.Unit.BucketAt(key.At).Start}
}

// bucket is the expected content of a row.
type bucket struct {
	level    int
	fold     *rollup.Fold
	accepted model.Time // when the earliest of its events was accepted
	events   []*model.Event
}

// recount makes the row of every bucket of every tier from events only.
func (o *oracle) recount() map[rollup.Key]*bucket {
	all := map[rollup.Key]*bucket{}
	for key, e := range o.events {
		for level, t := range o.kind().Retention.Tiers {
			if t.From != 0 && t.Unit.BucketAt(key.At).Start < t.From {
				continue
			}
			row := rowOver(t, key)
			b := all[row]
			if b == nil {
				b = &bucket{level: level, fold: rollup.NewFold(o.kind().Spec()), accepted: o.accepted[key]}
				all[row] = b
			}
			b.fold.AddEvent(&e)
			b.events = append(b.events, &e)
			b.accepted = min(b.accepted, o.accepted[key])
		}
	}
	return all
}

// series returns all series that ever had an event, in order.
func (o *oracle) series() []model.Series {
	all := map[model.Series]bool{}
	for key := range o.first {
		all[key.Series] = true
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b model.Series) int {
		return strings.Compare(a.String(), b.String())
	})
}

// sorted returns the keys of the stored events, in order.
func (o *oracle) sorted() []model.EventKey {
	return slices.SortedFunc(maps.Keys(o.events), func(a, b model.EventKey) int {
		return cmp.Or(strings.Compare(a.Series.String(), b.Series.String()),
			cmp.Compare(a.Series.Shard, b.Series.Shard), a.Compare(b.Order))
	})
}
