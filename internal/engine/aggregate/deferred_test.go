package aggregate_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// deferred returns a kind of which the tiers from a level on are deferred.
func deferred(kind catalog.Kind, from int) catalog.Kind {
	if len(kind.Retention.Tiers) == 0 {
		kind.Retention = tier.Standard()
	}
	tiers := append([]tier.Tier(nil), kind.Retention.Tiers...)
	for level := from; level < len(tiers); level++ {
		tiers[level].Deferred = true
	}
	kind.Retention.Tiers = tiers
	return kind
}

// queue returns the invalidations of all queue shards.
func (w *world) queue() (all []storage.Invalidation) {
	w.t.Helper()
	for _, shard := range storage.FirstGeneration.QueueShards() {
		page, err := w.table.Invalidations(w.ctx(), shard, model.MaxTime, "")
		if err != nil || page.Next != "" {
			w.t.Fatal(page.Next, err)
		}
		all = append(all, page.Invalidations...)
	}
	return all
}

// sweep sweeps the queue shard of the series, and fails the test if that fails.
func (w *world) sweep() aggregate.SweepReport {
	w.t.Helper()
	report, err := w.agg.Sweep(w.ctx(), storage.FirstGeneration.Shard(w.series))
	if err != nil || len(report.Failures) > 0 {
		w.t.Fatalf("sweep: %v, failures %v", err, report.Failures)
	}
	return report
}

// sweepAt sets the clock and sweeps.
func (w *world) sweepAt(when string) aggregate.SweepReport {
	w.t.Helper()
	w.setNow(at(when))
	return w.sweep()
}

func (w *world) wantQueue(want ...string) {
	w.t.Helper()
	var got []string
	for _, i := range w.queue() {
		got = append(got, i.Key.Tier+" due "+i.Due.String())
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		w.t.Errorf("queue %v, want %v", got, want)
	}
}

func TestDeferred_OpenBucketIsLeftToTheSweepThatFollowsItsClosing(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	w.setNow(at(half))
	w.put(order(ten, ""), "1")
	if r := w.process(); r.Deferred != 1 || r.Invalidations != 1 || r.Recomputed != 0 || r.Reads+r.Writes != 0 {
		t.Errorf("%+v, want one invalidation and no row", r.Counts)
	}
	w.put(order(half, ""), "9")
	if r := w.process(); r.Deferred != 1 || r.Invalidations != 0 {
		t.Errorf("%+v, want the invalidation remembered", r.Counts)
	}
	w.wantQueue("hour due 2026-03-10T11:00:00.000Z")

	w.sweepAt("2026-03-10T11:01:59.999Z")
	w.wantQueue("hour due 2026-03-10T11:00:00.000Z") // not two minutes later
	r := w.sweepAt("2026-03-10T11:02:00Z")
	if r.Swept != 1 || r.Left != 0 || r.Through != at(eleven) {
		t.Errorf("swept %d, left %d, through %s; want 1, 0, %s", r.Swept, r.Left, r.Through, eleven)
	}
	w.wantRow(tier.Hour, ten, 2, "9", true)
	w.wantQueue("day due 2026-03-11T00:00:00.000Z")
	w.sweepAt("2026-03-11T00:02:00Z")
	w.wantRow(tier.Day, ten, 2, "9", true)
	w.sweepAt("2026-04-01T00:02:00Z")
	w.wantQueue()
	w.wantRecount()
}

func TestDeferred_ClosedBucketIsRecomputedAtOnceAndItsOpenParentIsLeft(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	w.put(order(ten, ""), "1") // at noon: two hours late
	if r := w.process(); r.Recomputed != 1 || r.Deferred != 1 || r.Invalidations != 1 {
		t.Errorf("%+v, want the hour recomputed and the day left", r.Counts)
	}
	w.wantRow(tier.Hour, ten, 1, "1", true)
	w.wantQueue("day due 2026-03-11T00:00:00.000Z")
}

func TestDeferred_ImmediateFinestTierIsRecomputedWithEachBatch(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 1))
	w.setNow(at(half))
	for _, when := range []string{ten, half} {
		w.put(order(when, ""), "1")
		w.process()
	}
	w.wantRow(tier.Hour, ten, 2, "1", true)
	w.wantQueue("day due 2026-03-11T00:00:00.000Z")
	w.sweepAt("2026-04-01T00:02:00Z")
	w.sweep()
	w.wantQueue()
	w.wantRecount()
}

// putting is a table that does something at the next put of an invalidation.
type putting struct {
	store
	before, after func()
	result        storage.WriteResult
	err           error
	puts          int
}

func (p *putting) PutInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	p.puts++
	if p.err != nil {
		return these, storage.Unknown, p.err
	}
	call := func(f *func()) {
		if do := *f; do != nil {
			*f = nil
			do()
		}
	}
	call(&p.before)
	defer call(&p.after)
	if p.result != 0 && p.result != storage.Written && p.puts == 1 {
		return these, p.result, nil
	}
	return p.store.PutInvalidations(ctx, these)
}

// A bucket that closes while its invalidation is put may have been swept before: it is
// recomputed at once.
func TestDeferred_BucketThatClosesDuringThePutIsRecomputed(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	w.setNow(at(eleven) - 1)
	w.put(order(half, ""), "1")
	w.on(&putting{store: w.table, after: func() { w.setNow(at(eleven)) }})
	if r := w.process(); r.Recomputed != 1 || r.Deferred != 1 {
		t.Errorf("%+v, want the hour recomputed and the day left", r.Counts)
	}
	w.wantRow(tier.Hour, ten, 1, "1", true)
}

// A put without a clear result is repeated; when its bucket closes meanwhile, the bucket is
// recomputed.
func TestDeferred_PutWithoutAResultIsNoPut(t *testing.T) {
	for _, result := range []storage.WriteResult{storage.Unknown, storage.Throttled} {
		w := newWorldWith(t, deferred(gauge, 0))
		w.setNow(at(half))
		w.put(order(ten, ""), "1")
		table := &putting{store: w.table, result: result}
		w.on(table)
		if r := w.process(); table.puts != 2 || r.Deferred != 1 || r.Recomputed != 0 {
			t.Errorf("%s: %d puts, %+v; want 2 and the hour left", result, table.puts, r.Counts)
		}
		w = newWorldWith(t, deferred(gauge, 0))
		w.setNow(at(half))
		w.put(order(ten, ""), "1")
		w.on(&putting{store: w.table, result: result, after: func() { w.setNow(at(eleven)) }})
		if r := w.process(); r.Recomputed != 1 {
			t.Errorf("%s: %+v; want the hour recomputed", result, r.Counts)
		}
	}
}

func TestDeferred_PutThatFailsFailsTheRecord(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	w.setNow(at(half))
	w.put(order(ten, ""), "1")
	w.on(&putting{store: w.table, err: errors.New("access denied")})
	if r := w.agg.Process(w.ctx(), w.changes()); len(r.Failures) != 1 || r.Failures[0].Change != 0 ||
		r.Deferred != 0 {
		t.Errorf("failures %v, %d left; want the record failed", r.Failures, r.Deferred)
	}
	w.agg.Store = noQueue{w.table}
	w.put(order(half, ""), "1")
	if r := w.agg.Process(w.ctx(), w.changes()); len(r.Failures) != 1 {
		t.Errorf("a store without a queue: failures %v, want one", r.Failures)
	}
}

// noQueue is a store that has no invalidations.
type noQueue struct{ aggregate.Store }

// A process that was frozen may have a clock that is behind. A change was committed
// before it was delivered, so the clock is not before that.
func TestDeferred_ChangeIsLaterThanAClockThatIsBehind(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	w.put(order(ten, ""), "1") // at noon
	changes := w.changes()
	w.setNow(at(half))
	if r := w.processAll(changes); r.Recomputed != 1 {
		t.Errorf("%+v, want the hour recomputed: it closed before the change was committed", r.Counts)
	}
}

// Deletions and corrections of an open bucket need no row. A closed bucket is recomputed, and the
// open day is swept.
func TestDeferred_DeletionsAndCorrectionsEndInTheRecount(t *testing.T) {
	for _, from := range []int{0, 1, 2} {
		w := newWorldWith(t, deferred(gauge, from))
		w.setNow(at(half))
		for i := range 5 {
			w.put(order(ten, fmt.Sprint(i)), fmt.Sprint(i))
		}
		w.process()
		w.delete(order(ten, "4"))
		w.process()
		w.setNow(at(eleven))
		w.correct(order(ten, "3"), "77")
		w.process()
		w.sweepAt("2026-03-10T11:10:00Z")
		w.delete(order(ten, "0"))
		w.process()
		w.wantRow(tier.Hour, ten, 3, "77", true)
		w.sweepAt("2026-03-11T00:02:00Z")
		w.sweepAt("2026-04-01T00:02:00Z")
		w.wantQueue()
		w.wantRecount()
	}
}

// The sweep was dead for longer than events live: the row of what is left is inexact.
func TestDeferred_RowOfABucketThatIsSweptAfterItsEventsExpiredIsInexact(t *testing.T) {
	for _, c := range []struct {
		late  time.Duration // since the start of the hour
		exact bool
	}{
		{30*tier.Day24 - 65*time.Minute - time.Millisecond, true},
		{30*tier.Day24 - 65*time.Minute, false},
		{31 * tier.Day24, false},
	} {
		w := newWorldWith(t, deferred(gauge, 0))
		w.setNow(at(ten))
		w.put(order(ten, "first"), "1")
		w.process()
		w.advance(30 * time.Minute)
		w.put(order(half, "second"), "2")
		w.process()
		w.setNow(at(ten).Add(c.late))
		w.sweep()
		w.wantRow(tier.Hour, ten, 2, "2", c.exact)
		w.sweepAt("2026-04-12T00:00:00Z")
		w.wantRow(tier.Day, ten, 2, "2", c.exact)
	}
}

// A tier that becomes deferred is so from a time on, to the millisecond.
func TestDeferred_BucketsAreLeftFromTheTimeThatTheConfigurationSays(t *testing.T) {
	for after, left := range map[time.Duration]int{-time.Millisecond: 0, 0: 1} {
		w := newWorldWith(t, deferred(gauge, 0))
		for level := range w.kind.Retention.Tiers {
			w.kind.Retention.Tiers[level].DeferredFrom = at(half)
		}
		w.setNow(at(half).Add(after))
		w.put(order(ten, ""), "1")
		if r := w.process(); r.Deferred != left || (r.Recomputed == 0) != (left == 1) {
			t.Errorf("%s after that time: %d left, %d recomputed; want %d left", after, r.Deferred, r.Recomputed, left)
		}
	}
}

// An event of 40 days ago is the first of its hour if a sweep has passed the end of that hour.
func TestDeferred_BucketIsSettledFromItsClosingTimeOn(t *testing.T) {
	for _, c := range []struct {
		swept time.Duration // since the bucket closed
		exact bool
	}{{-time.Millisecond, false}, {0, true}} {
		w := newWorldWith(t, deferred(gauge, 0))
		old := tier.Hour.BucketAt(noon.Add(-40 * tier.Day24))
		if result, err := w.table.AdvanceSweep(w.ctx(), storage.FirstGeneration.Shard(w.series),
			old.End.Add(c.swept)); err != nil || result != storage.Written {
			t.Fatal(result, err)
		}
		w.put(model.Order{At: old.Start}, "1")
		w.process()
		w.wantRow(tier.Hour, old.Start.String(), 1, "1", c.exact)
	}
}

// The grace of a tier was raised after the invalidation was put. Readers that do not know that yet expect
// the row once the low watermark has passed its due time.
func TestSweep_WritesTheRowThatIsDueAlthoughItsBucketClosesLaterNow(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	w.setNow(at(half))
	w.put(order(ten, ""), "1")
	w.process()
	w.kind.Retention.Tiers[0].Grace = time.Hour
	if r := w.sweepAt("2026-03-10T11:02:00Z"); r.Swept != 1 || r.Through != at(eleven) {
		t.Errorf("swept %d through %s; want 1, %s", r.Swept, r.Through, eleven)
	}
	w.wantRow(tier.Hour, ten, 1, "1", true)
}

// An absent day does not prove that there never was an hour, while no sweep has settled
// the day.
func TestDeferred_AbsentUnsettledParentProvesNothing(t *testing.T) {
	w := newWorldWith(t, deferred(shortest(), 1))
	w.setNow(at(half))
	w.put(order(ten, "first"), "1")
	w.process() // the hour; the sweep of its day is dead
	w.advance(8 * tier.Day24)
	w.table.Expire(w.now())
	w.changes()
	if w.row(tier.Hour, ten) != nil {
		t.Fatal("the hour has not expired")
	}
	w.put(order(half, "late"), "9")
	w.process()
	if row := w.row(tier.Hour, ten); !row.Placeholder() {
		t.Errorf("the hour was recomputed from what is left: %+v", row)
	}
	w.wantRow(tier.Day, ten, 0, "0", false)
}

// writingLate does something before the next write of a row. It is safe for concurrent use.
type writingLate struct {
	store
	before func()
	done   atomic.Bool
}

func (l *writingLate) PutRow(ctx context.Context, row *rollup.Row,
	prev rollup.Rev) (storage.WriteResult, error) {
	if l.done.CompareAndSwap(false, true) {
		l.before()
	}
	return l.store.PutRow(ctx, row, prev)
}

// The day may close, and be swept, before the row of its hour is written: whether it is left is
// decided after that.
func TestDeferred_ParentIsLeftOnlyAfterItsChildWasWritten(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	w.setNow(at("2026-03-10T23:59:59Z"))
	w.put(order(ten, ""), "1")
	sweeper := newWorldWith(t, deferred(gauge, 0)).agg
	sweeper.Store = w.table
	sweeper.QuarantineStore = w.table
	sweeper.Now = w.now
	w.on(&writingLate{store: w.table, before: func() {
		w.setNow(at("2026-03-11T00:02:00Z"))
		if _, err := sweeper.Sweep(w.ctx(), storage.FirstGeneration.Shard(w.series)); err != nil {
			t.Error(err)
		}
	}})
	w.process()
	w.wantRow(tier.Day, ten, 1, "1", true)
}
