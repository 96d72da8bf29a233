package aggregate_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// stopAfter is a table that stops a sweep at its nth deletion, and may return one invalidation a page.
type stopAfter struct {
	stopping
	run   *aggregate.RunningSweep
	n     int
	paged bool
	seen  func()
}

func (s *stopAfter) Invalidations(
	ctx context.Context, shard storage.QueueShard, due model.Time, after string,
) (storage.InvalidationPage, error) {
	if s.paged {
		return s.stopping.Invalidations(ctx, shard, due, after)
	}
	return s.store.Invalidations(ctx, shard, due, after)
}

func (s *stopAfter) DeleteInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	left, result, err := s.store.DeleteInvalidations(ctx, these)
	if s.seen(); s.n == 0 {
		s.run.Stop()
	}
	s.n--
	return left, result, err
}

// hours puts four hours of the series into the queue, and returns their closing times.
func (w *world) hours() (closings []model.Time) {
	w.t.Helper()
	for hour := range 4 {
		w.setNow(at(ten).Add(time.Duration(hour) * time.Hour))
		w.put(model.Order{At: w.now()}, "1")
		w.process()
		closings = append(closings, at(eleven).Add(time.Duration(hour)*time.Hour))
	}
	w.setNow(at("2026-03-10T14:02:00Z"))
	return closings
}

// A sweep that is stopped ends after the invalidations that it works on. Its low watermark is before the
// first one that is left, which another sweep finds, and nothing counts as failed.
func TestSweepUntilStopped_EndsBetweenInvalidations(t *testing.T) {
	for _, paged := range []bool{false, true} {
		for n := range 4 {
			t.Run(fmt.Sprint(paged, n), func(t *testing.T) {
				w := newWorldWith(t, deferred(gauge, 0))
				closings, run := w.hours(), new(aggregate.RunningSweep)
				table := &stopAfter{stopping: stopping{store: w.table}, run: run, n: n, paged: paged, seen: func() {}}
				w.on(table)
				w.agg.Limits.Concurrency, w.agg.Limits.Buckets = 1, 1
				r, err := w.agg.SweepUntilStopped(w.ctx(), storage.FirstGeneration.Shard(w.series), run)
				all, _ := w.table.Sweeps(w.ctx())
				want := at("2026-03-10T14:00:00Z")
				if n < 3 {
					want = closings[n+1] - 1
				}
				if err != nil || r.Swept != n+1 || r.Left != 0 || len(r.Failures) > 0 || r.Stopped != (n < 3) ||
					all.For(w.series) != want || r.Through != want || !run.Stopped() {
					t.Errorf("%v, %+v, low watermarks %v; want %d swept, through %s", err, r, all, n+1, want)
				}
				w.on(w.table)
				if r := w.sweep(); r.Swept != 3-n || r.Stopped {
					t.Errorf("then swept %d, want %d", r.Swept, 3-n)
				}
				w.sweepAt("2026-04-01T00:02:00Z") // the day and the month
				w.wantQueue()
				w.wantRecount()
			})
		}
	}
}

// A sweep that is stopped before it begins leaves everything, and no low watermark before all times.
func TestSweepUntilStopped_BeforeItBeginsLeavesEverything(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	closings, run := w.hours(), new(aggregate.RunningSweep)
	run.Stop()
	r, err := w.agg.SweepUntilStopped(w.ctx(), storage.FirstGeneration.Shard(w.series), run)
	all, _ := w.table.Sweeps(w.ctx())
	if err != nil || r.Swept != 0 || !r.Stopped || all.For(w.series) != closings[0]-1 {
		t.Errorf("%v, %+v, low watermarks %v; want nothing swept, and a watermark before the first", err, r, all)
	}
	if r := w.sweep(); r.Swept != 4 {
		t.Errorf("then swept %d, want 4", r.Swept)
	}
}

// More may be due at the time of the last invalidation that was read: the low watermark is before it.
func TestSweepUntilStopped_WatermarkIsBeforeWhatWasNotRead(t *testing.T) {
	const (
		gathered = 10_000 // at least, before they are worked off
		queued   = 2 * gathered
	)
	w := newWorldWith(t, deferred(gauge, 0))
	w.hours()
	shard, closing := storage.FirstGeneration.Shard(w.series), at("2026-03-10T09:00:00Z")
	for n, put := 0, 0; put < queued; n++ {
		s := w.series
		s.Subject.ID = fmt.Sprint("other", n)
		key := rollup.Key{Series: s, Tier: tier.Hour.String(), Start: closing.Add(-time.Hour)}
		one := storage.FirstGeneration.Invalidation(closing, key)
		if one.Shard != shard {
			continue
		}
		if _, _, err := w.table.PutInvalidations(w.ctx(), []storage.Invalidation{one}); err != nil {
			t.Fatal(err)
		}
		put++
	}
	run := new(aggregate.RunningSweep)
	w.on(&stopAfter{stopping: stopping{store: w.table}, run: run, seen: func() {}})
	w.agg.Limits.Buckets = queued
	r, err := w.agg.SweepUntilStopped(w.ctx(), shard, run)
	if err != nil || r.Swept < gathered || r.Swept >= queued || !r.Stopped || r.Through != closing-1 {
		t.Errorf("%v, swept %d, stopped %t, through %s; want some, true, %s",
			err, r.Swept, r.Stopped, r.Through, closing-1)
	}
	w.on(w.table)
	if rest := w.sweep(); rest.Swept != queued+4-r.Swept {
		t.Errorf("first swept %d and then %d, want all", r.Swept, rest.Swept)
	}
}

// The rate of a sweep is what it worked off until now. One that has not read everything outlasts any time.
func TestOutlasts_ComparesWhatIsLeftWithTheRateOfTheSweep(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	w.hours()
	run, deletions := new(aggregate.RunningSweep), 0
	if !run.Outlasts(time.Hour, time.Second) {
		t.Error("a sweep that has read nothing is taken to end soon")
	}
	table := &stopAfter{stopping: stopping{store: w.table}, run: run, n: -1}
	table.seen = func() { // after the nth row, which is recorded only after its deletion
		deletions++
		done, left := deletions-1, 5-deletions
		for _, soon := range []time.Duration{time.Second, 10 * time.Second, time.Minute} {
			want := float64(left)*10 > float64(done)*soon.Seconds()
			if got := run.Outlasts(soon, 10*time.Second); got != want {
				t.Errorf("%d worked off in 10s, %d left: outlasts %s: %t, want %t", done, left, soon, got, want)
			}
		}
	}
	w.on(table)
	w.agg.Limits.Concurrency, w.agg.Limits.Buckets = 1, 1
	if r, err := w.agg.SweepUntilStopped(w.ctx(), storage.FirstGeneration.Shard(w.series), run); err != nil ||
		r.Swept != 4 || r.Stopped {
		t.Errorf("%v, %+v; want 4 swept", err, r)
	}
	if deletions != 4 || run.Outlasts(0, time.Second) {
		t.Errorf("after %d deletions, a sweep that has ended outlasts", deletions)
	}
}
