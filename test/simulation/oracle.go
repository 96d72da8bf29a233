package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// oracle knows every event ever accepted less those deleted by somebody. It reads the
// table's own log, which nothing delays, repeats or loses.
type oracle struct {
	*world
	events   map[model.EventKey]model.Event
	accepted map[model.EventKey]model.Time // when the events that stand were accepted
	first    map[rollup.Key]model.Time     // when a bucket got its first event ever
}

func newOracle(w *world) *oracle {
	return &oracle{world: w, events: map[model.EventKey]model.Event{}, accepted: map[model.EventKey]model.Time{}, first: map[rollup.Key]model.Time{}}
}

// record takes note of a change.
func (o *oracle) record(r *memory.Record) {
	image := r.New
	if image == nil {
		image = r.Old
	}
	e, err := item.Event(image)
	if err != nil {
		return
	}
	key := e.Key()
	switch {
	case r.New == nil && expiry(r, e.ExpiresAt): // an event that expired was accepted all the same
	case r.New == nil:
		delete(o.events, key)
		delete(o.accepted, key)
	default:
		o.events[key] = e
		if r.Old == nil {
			o.accept(key)
		}
	}
}

// expiry reports whether a removal is one by expiry: TTL's own, and whatever removes
// an item that would expire within five minutes.
func expiry(r *memory.Record, expiresAt int64) bool {
	return r.Service || expiresAt != 0 && expiresAt <= r.At.Add(tier.ExpiryMargin).Seconds()
}

func (o *oracle) accept(key model.EventKey) {
	o.accepted[key] = o.Now()
	for _, t := range o.kind().Ladder.Tiers {
		row := rowOver(t, key)
		if _, known := o.first[row]; !known {
			o.first[row] = o.Now()
		}
	}
}

// toldNow takes changes for accepted only now, when a repair has told of them: a row
// that would have lived its time before nobody makes any more.
func (o *oracle) toldNow(changes []model.Change) {
	for _, c := range changes {
		if _, stands := o.accepted[c.Key]; stands {
			o.accepted[c.Key] = o.Now()
		}
	}
}

func rowOver(t tier.Tier, key model.EventKey) rollup.Key {
	return rollup.Key{Series: key.Series, Tier: t.Unit.String(), Start: t.Unit.BucketOf(key.At).Start}
}

// bucket is what a row should hold.
type bucket struct {
	rung     int
	fold     *rollup.Fold
	accepted model.Time // when the earliest of its events that stand was accepted
}

// recount makes the row of every bucket of every tier from events alone.
func (o *oracle) recount() map[rollup.Key]*bucket {
	all := map[rollup.Key]*bucket{}
	for key, e := range o.events {
		for rung, t := range o.kind().Ladder.Tiers {
			if t.From != 0 && t.Unit.BucketOf(key.At).Start < t.From {
				continue
			}
			row := rowOver(t, key)
			b := all[row]
			if b == nil {
				b = &bucket{rung: rung, fold: rollup.NewFold(o.kind().Spec()), accepted: o.accepted[key]}
				all[row] = b
			}
			b.fold.AddEvent(&e)
			b.accepted = min(b.accepted, o.accepted[key])
		}
	}
	return all
}

// series are those that ever had an event, in order.
func (o *oracle) series() []model.Series {
	all := map[model.Series]bool{}
	for key := range o.first {
		all[key.Series] = true
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b model.Series) int {
		return cmp.Or(strings.Compare(a.String(), b.String()), cmp.Compare(a.Shard, b.Shard))
	})
}

// sorted are the events that stand, in order.
func (o *oracle) sorted() []model.EventKey {
	return slices.SortedFunc(maps.Keys(o.events), func(a, b model.EventKey) int {
		return cmp.Or(strings.Compare(a.Series.String(), b.Series.String()), cmp.Compare(a.Series.Shard, b.Series.Shard), a.Compare(b.Order))
	})
}
