package aggregate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// newLateWorld has a kind that coalesces late changes, in tiers that are deferred from a level
// on, and a sweep of just now: it is noon.
func newLateWorld(t *testing.T, from int) *world {
	kind := deferred(gauge, from)
	kind.Retention.LateEvery = 5 * time.Minute
	w := newWorldWith(t, kind)
	w.sweep()
	return w
}

const twoDaysAgo = "2026-03-08T10:00:00Z"

// A flood of late changes costs each bucket one recomputation in each tick, whatever its
// number of changes, and the day is recomputed once for all of its hours.
func TestLate_BucketsAreRecomputedOnceATick(t *testing.T) {
	w := newLateWorld(t, 0)
	recomputed := 0
	for n := range 100 {
		for hour := range 10 {
			w.put(model.Order{At: at(twoDaysAgo).Add(time.Duration(hour)*time.Hour + time.Duration(n)*time.Second)},
				fmt.Sprint(n))
		}
		r := w.process()
		recomputed += r.Recomputed
		w.advance(time.Second)
	}
	if recomputed != 0 || len(w.queue()) != 10 {
		t.Errorf("%d recomputations and %d invalidations, want 0 and 10", recomputed, len(w.queue()))
	}
	w.sweepAt("2026-03-10T12:06:59.999Z")
	w.wantQueue(allDue("2026-03-10T12:05:00.000Z", 10)...) // not two minutes after the tick
	if r := w.sweepAt("2026-03-10T12:07:00Z"); r.Swept != 10 || r.Recomputed != 11 ||
		r.Through != at("2026-03-10T12:05:00Z") {
		t.Errorf("swept %d, %d recomputations, through %s; want 10, 11 (ten hours and their day) and the "+
			"tick's end", r.Swept, r.Recomputed, r.Through)
	}
	w.wantRow(tier.Day, twoDaysAgo, 1000, "99", true)
	w.wantQueue("month due 2026-04-01T00:00:00.000Z")
}

func allDue(when string, n int) (all []string) {
	for range n {
		all = append(all, "hour due "+when)
	}
	return all
}

// The memory of puts is of one tick.
func TestLate_NextTickPutsAgain(t *testing.T) {
	w := newLateWorld(t, 0)
	for _, c := range []struct {
		after time.Duration
		puts  int
	}{{0, 1}, {5*time.Minute - 1, 0}, {time.Millisecond, 1}, {time.Second, 0}} {
		w.advance(c.after)
		w.put(model.Order{At: at(twoDaysAgo), ID: fmt.Sprint(w.now())}, "1")
		if r := w.process(); r.Invalidations != c.puts || r.Deferred != 1 {
			t.Errorf("after %s: %d invalidations, %d left; want %d and 1", c.after, r.Invalidations, r.Deferred,
				c.puts)
		}
	}
	w.wantQueue("hour due 2026-03-10T12:05:00.000Z", "hour due 2026-03-10T12:10:00.000Z")
}

// For a tick after it has closed, a bucket is recomputed at once: what readers saw of it while
// it was open does not disappear.
func TestLate_JustClosedBucketIsRecomputedAtOnce(t *testing.T) {
	w := newLateWorld(t, 0)
	w.setNow(at(eleven).Add(5*time.Minute - 1))
	w.put(order(half, ""), "1")
	if r := w.process(); r.Recomputed != 1 || r.Deferred != 1 {
		t.Errorf("%+v, want the hour recomputed and the day left", r.Counts)
	}
	w.setNow(at(eleven).Add(5 * time.Minute))
	w.put(order(half, "later"), "2")
	if r := w.process(); r.Recomputed != 0 || r.Deferred != 1 {
		t.Errorf("%+v, want the hour left", r.Counts)
	}
	w.wantQueue("hour due 2026-03-10T11:10:00.000Z", "day due 2026-03-11T00:00:00.000Z")
}

// A tick that ends while the invalidation is put may have been swept: the bucket is
// recomputed at once, with its closed parents.
func TestLate_TickThatEndsDuringThePutIsRecomputedAtOnce(t *testing.T) {
	w := newLateWorld(t, 0)
	w.setNow(at("2026-03-10T12:04:59.999Z"))
	w.put(order(twoDaysAgo, ""), "1")
	w.on(&putting{store: w.table, after: func() { w.setNow(at("2026-03-10T12:05:00Z")) }})
	if r := w.process(); r.Recomputed != 1 {
		t.Errorf("%+v, want the hour recomputed", r.Counts)
	}
	w.wantRow(tier.Hour, twoDaysAgo, 1, "1", true)
}

func TestLate_ImmediateHoursAreRecomputedWithEachBatch(t *testing.T) {
	w := newLateWorld(t, 1)
	w.put(order(twoDaysAgo, ""), "1")
	if r := w.process(); r.Recomputed != 1 || r.Deferred != 1 {
		t.Errorf("%+v, want the hour recomputed and the day left", r.Counts)
	}
	w.wantQueue("day due 2026-03-10T12:05:00.000Z")
	w.sweepAt("2026-03-10T12:07:00Z")
	w.wantRow(tier.Day, twoDaysAgo, 1, "1", true)
}

// Late events may expire in the queue, if sweeps are dead for as long as events live. A row of
// those that are left is inexact, although its bucket closed before the low watermark.
func TestLate_RowOfEventsThatExpiredInTheQueueIsInexact(t *testing.T) {
	for _, exists := range []bool{false, true} {
		w := newLateWorld(t, 0)
		if exists { // its events were written under a longer retention
			e := w.event(order(twoDaysAgo, "first"), "1")
			e.ExpiresAt = w.now().Add(90 * tier.Day24).Seconds()
			if _, err := w.table.Put(w.ctx(), e); err != nil {
				t.Fatal(err)
			}
			w.process()
			w.sweepAt("2026-03-10T12:07:00Z")
			w.wantRow(tier.Hour, twoDaysAgo, 1, "1", true)
		}
		w.put(order(twoDaysAgo, "lost"), "2")
		w.process()
		w.advance(31 * tier.Day24)
		w.table.Expire(w.now())
		w.changes()
		w.put(order(twoDaysAgo, "left"), "3")
		w.process()
		w.sweepAt("2026-05-01T00:00:00Z")
		count := int64(1)
		if exists {
			count = 2
		}
		w.wantRow(tier.Hour, twoDaysAgo, count, "3", false)
	}
}

// A late change that has waited in the queue nearly as long as an event lives may be the only one that is
// left.
func TestLate_RowIsExactUntilALateEventOfTheQueueMayHaveExpired(t *testing.T) {
	for _, c := range []struct {
		dead  time.Duration // since the low watermark
		exact bool
	}{
		{30*tier.Day24 - aggregate.StreamRetention - 2*tier.SealMargin - time.Millisecond, true},
		{30*tier.Day24 - aggregate.StreamRetention - 2*tier.SealMargin, false},
	} {
		w := newLateWorld(t, 0)
		w.put(order(twoDaysAgo, ""), "1")
		w.process()
		w.setNow(noon.Add(c.dead - aggregate.ClockMargin))
		w.sweep()
		w.wantRow(tier.Hour, twoDaysAgo, 1, "1", c.exact)
	}
}

// An hour that was swept, with its day left by a sweep that died, may have expired: the absent
// day proves nothing if the low watermark is as old as an hour lives.
func TestLate_AbsentParentProvesNothingIfSweepsWereDead(t *testing.T) {
	w := newLateWorld(t, 0)
	w.put(order(twoDaysAgo, "first"), "1")
	w.process()
	w.advance(92 * tier.Day24) // and the hour that was written without its day has expired
	w.table.Expire(w.now())
	w.changes()
	w.put(order(twoDaysAgo, "late"), "9")
	w.process()
	w.advance(10 * time.Minute)
	w.sweep()
	if row := w.row(tier.Hour, twoDaysAgo); !row.Placeholder() {
		t.Errorf("the hour was recomputed from what is left: %+v", row)
	}
}

// An hour that is not created, because it may have lived and expired, makes its day inexact, however late
// the sweep comes that the day is left to.
func TestLate_AnHourThatIsNotCreatedMarksItsDayAfterSweepsWereDead(t *testing.T) {
	for _, dead := range []time.Duration{time.Hour, 2 * tier.Day24, 80 * tier.Day24, 100 * tier.Day24} {
		kind := deferred(gauge, 1) // hours are recomputed at once
		kind.Retention.LateEvery = 5 * time.Minute
		w := newWorldWith(t, kind)
		const longAgo = "2025-10-10T10:00:00Z"
		w.put(order(longAgo, ""), "1")
		w.process()
		if row := w.row(tier.Hour, longAgo); !row.Placeholder() {
			t.Fatalf("%+v, want the hour not created", row)
		}
		w.advance(dead)
		w.table.Expire(w.now())
		w.changes()
		w.sweep()
		if row := w.row(tier.Day, longAgo); row == nil || row.Empty || row.Exact {
			t.Errorf("swept %s later: day %+v, want an inexact row", dead, row)
		}
	}
}
