package aggregate_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Events are inserted, deleted, corrected, expired and delivered in any order and any
// number of times, under faults and between the steps of other recomputations. Once every
// record has been delivered, an exact row has the bytes of a recount of all events ever
// accepted, except those that a user deleted; and a missing row has expired, or a coarser
// row is inexact.
func TestProcess_ExactRowsEqualTheAcceptedEvents(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		h := newHistory(t, r)
		r.Repeat(map[string]func(*rapid.T){
			"insert":  h.insert,
			"delete":  h.deleteOne,
			"correct": h.correctOne,
			"deliver": h.deliver,
			"replay":  h.replay,
			"expire":  h.expire,
			"wait":    h.wait,
		})
		h.deliverRest(r)
		h.check(r)
	})
}

// history is a world, the events accepted into it, and the changes that its table stream
// has not delivered yet.
type history struct {
	*world
	accepted map[model.EventKey]model.Event
	records  []storage.Change // all so far
	pending  []storage.Change // not acknowledged
	ids      int
}

func newHistory(t *testing.T, r *rapid.T) *history {
	kind := gauge
	kind.Retention = tier.Policy{Raw: 3 * tier.Day24, Tiers: []tier.Tier{
		{Unit: tier.Hour, Retention: 7 * tier.Day24},
		{Unit: tier.Day, Retention: 37 * tier.Day24},
		{Unit: tier.Month, Retention: rapid.SampledFrom([]time.Duration{tier.Forever, 80 * tier.Day24}).Draw(r, "month")},
	}}
	h := &history{world: newWorldWith(t, kind), accepted: map[model.EventKey]model.Event{}}
	return h
}

// insert uses few buckets, so that changes meet: three hours of two days of one month.
func (h *history) insert(r *rapid.T) {
	hour := rapid.SampledFrom([]string{ten, eleven, "2026-03-08T10:00:00Z"}).Draw(r, "hour")
	h.ids++
	o := model.Order{At: at(hour).Add(time.Duration(h.ids%60) * time.Minute), ID: fmt.Sprint(h.ids)}
	h.put(o, fmt.Sprint(h.ids))
	h.accepted[h.key(o)] = h.event(o, fmt.Sprint(h.ids))
	h.collect()
}

func (h *history) collect() {
	fresh := h.changes()
	h.records = append(h.records, fresh...)
	h.pending = append(h.pending, fresh...)
}

func (h *history) pick(r *rapid.T) (model.EventKey, bool) {
	var all []model.EventKey
	for k := range h.accepted {
		all = append(all, k)
	}
	if len(all) == 0 {
		return model.EventKey{}, false
	}
	slices.SortFunc(all, func(a, b model.EventKey) int { return a.Compare(b.Order) })
	return rapid.SampledFrom(all).Draw(r, "event"), true
}

func (h *history) deleteOne(r *rapid.T) {
	if k, ok := h.pick(r); ok {
		if result, _ := h.table.DeleteEvent(h.ctx(), k, h.now()); result == storage.Written {
			delete(h.accepted, k)
		}
		h.collect()
	}
}

func (h *history) correctOne(r *rapid.T) {
	if k, ok := h.pick(r); ok {
		h.ids++
		e := h.event(k.Order, fmt.Sprint(h.ids))
		if result, _ := h.table.CorrectEvent(h.ctx(), e, h.now()); result == storage.Written {
			h.accepted[k] = e
		}
		h.collect()
	}
}

// deliver delivers some pending changes in any order, and acknowledges those before the
// first failure.
func (h *history) deliver(r *rapid.T) {
	if len(h.pending) == 0 {
		return
	}
	batch := rapid.Permutation(h.pending).Draw(r, "order")[:rapid.IntRange(1, len(h.pending)).Draw(r, "cut")]
	h.on(h.draw(r, 2))
	report := h.agg.Process(h.ctx(), batch)
	acknowledged := len(batch)
	if len(report.Failures) > 0 {
		acknowledged = report.Failures[0].Change
	}
	for _, c := range batch[:acknowledged] {
		h.pending = slices.DeleteFunc(h.pending, func(p storage.Change) bool { return p.Seq == c.Seq })
	}
}

// replay delivers changes again that were acknowledged before.
func (h *history) replay(r *rapid.T) {
	if len(h.records) > 0 {
		h.on(h.table)
		from := rapid.IntRange(0, len(h.records)-1).Draw(r, "from")
		h.agg.Process(h.ctx(), h.records[from:])
	}
}

func (h *history) expire(r *rapid.T) {
	some := rapid.Uint32().Draw(r, "some")
	h.table.ExpireWhere(h.now(), func(k keys.Key) bool {
		return uint32(len(k.SK)*31+int(k.SK[len(k.SK)-1]))&some != 0
	})
	h.collect()
}

// wait lets time pass. A table stream keeps its records for a day, so no change is pending
// for longer.
func (h *history) wait(r *rapid.T) {
	d := rapid.SampledFrom([]time.Duration{
		time.Minute, time.Hour, tier.Day24, 3*tier.Day24 - 90*time.Minute, 3*tier.Day24 - 30*time.Minute,
		7 * tier.Day24, 36 * tier.Day24,
	}).Draw(r, "wait")
	if len(h.pending) > 0 && h.now().Add(d).Sub(h.pending[0].At) > 18*time.Hour {
		h.deliverRest(r)
		h.pending = nil
	}
	h.advance(d)
}

func (h *history) deliverRest(r *rapid.T) {
	h.on(h.table)
	if report := h.agg.Process(h.ctx(), h.pending); len(report.Failures) > 0 {
		r.Fatalf("the last delivery: %v", report.Failures)
	}
}

// draw returns a table with a fault at one write: a result, or changes by other invocations
// between the reads and the write of a recomputation.
func (h *history) draw(r *rapid.T, depth int) store {
	n := rapid.Int64Range(1, 6).Draw(r, "write")
	switch rapid.IntRange(0, 6).Draw(r, "fault") {
	case 0:
		return &faulty{store: h.table, denyFrom: n}
	case 1:
		return &faulty{store: h.table, write: n, result: storage.Unknown}
	case 2:
		return &faulty{store: h.table, write: n, result: storage.Unknown, stored: true}
	case 3:
		return &interposed{store: h.table, before: func() { h.meanwhile(r, depth) }}
	case 4: // a table with batch reads, and other invocations after one
		var once sync.Once
		return &batched{store: h.table, skip: int(n % 3), onRead: func() {
			once.Do(func() { h.meanwhile(r, depth) })
		}}
	case 5:
		return &batched{store: &interposed{store: h.table, before: func() { h.meanwhile(r, depth) }}}
	}
	return h.table
}

// meanwhile is what happens between the reads and the write of a recomputation: a change,
// and another invocation that processes all changes so far.
func (h *history) meanwhile(r *rapid.T, depth int) {
	if rapid.Bool().Draw(r, "delete meanwhile") {
		h.deleteOne(r)
	} else {
		h.insert(r)
	}
	other := newWorldSharing(h.world)
	if depth > 0 {
		other.on(h.draw(r, depth-1))
	}
	other.agg.Process(context.Background(), h.records)
}

func (h *history) check(r *rapid.T) {
	listed := h.listed()
	for k := range h.accepted {
		if l := listed[k.Series]; l.First > k.At || l.Last.Add(tier.Day24) <= k.At {
			r.Errorf("an event of %s is not between the times of the list of series, %+v", k.At, l)
		}
	}
	var events []model.Event
	for _, e := range h.accepted {
		events = append(events, e)
	}
	want := h.recount(events)
	for key, fold := range want {
		row, err := h.table.Row(h.ctx(), key)
		if err != nil {
			r.Fatal(err)
		}
		if row == nil || row.Empty {
			h.checkMissing(r, key)
		} else if row.Exact {
			if diff := cmp.Diff(newImage(&rollup.Row{Fold: *fold}), newImage(row)); diff != "" {
				r.Errorf("%s %s is exact but differs from a recount (-want +got):\n%s", key.Tier, key.Start, diff)
			}
		}
	}
	for _, it := range h.images() {
		if !it.Empty && it.Exact && len(want) == 0 {
			r.Errorf("a row is exact, but every accepted event was deleted")
		}
	}
}

// checkMissing fails unless the missing row is past its retention, or a coarser row is
// inexact.
func (h *history) checkMissing(r *rapid.T, key rollup.Key) {
	for _, t := range h.kind.Retention.Tiers {
		b := t.Unit.BucketAt(key.Start)
		if t.Unit.String() == key.Tier && t.Retention != tier.Forever &&
			b.End.Add(t.Retention) <= h.now().Add(tier.SealMargin) {
			return
		}
		row, err := h.table.Row(h.ctx(), rollup.Key{Series: key.Series, Tier: t.Unit.String(), Start: b.Start})
		if err != nil {
			r.Fatal(err)
		}
		if row != nil && !row.Empty && !row.Exact {
			return
		}
	}
	r.Errorf("%s %s is missing, and no coarser row is inexact", key.Tier, key.Start)
}
