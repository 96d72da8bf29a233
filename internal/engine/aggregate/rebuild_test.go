package aggregate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// complete is a rebuild of the complete series.
func (w *world) complete() aggregate.Rebuild {
	return aggregate.Rebuild{Series: w.series, From: model.MinTime, To: model.MaxTime + 1,
		RepairOptions: aggregate.RepairOptions{Mark: aggregate.MarkNone}}
}

func (w *world) rebuild(r aggregate.Rebuild) aggregate.Report {
	w.t.Helper()
	report, err := w.agg.Rebuild(w.ctx(), r)
	if err != nil || len(report.Failures) > 0 {
		w.t.Fatalf("rebuild: %v, failures %v", err, report.Failures)
	}
	return report
}

// lose drops the new changes, like a batch that was given up.
func (w *world) lose() { w.changes() }

// One rebuild repairs lost records, and rows that were deleted.
func TestRebuild_RepairsLostRecordsAndDeletedRows(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t)
		var orders []model.Order
		for i := range rapid.IntRange(1, 12).Draw(r, "events") {
			o := model.Order{At: at(ten).Add(
				-time.Duration(rapid.IntRange(0, 24*70).Draw(r, "hours back")) * time.Hour), ID: fmt.Sprint(i)}
			orders = append(orders, o)
			w.put(o, fmt.Sprint(i))
			if rapid.Bool().Draw(r, "delivered") {
				w.process()
			} else {
				w.lose()
			}
		}
		for _, o := range orders {
			switch rapid.IntRange(0, 4).Draw(r, "then") {
			case 0:
				w.delete(o)
			case 1:
				w.correct(o, "99")
			}
		}
		w.lose()
		for _, it := range w.items() {
			if _, err := keys.ParseRow(it.Key()); err == nil && rapid.IntRange(0, 3).Draw(r, "delete row") == 0 {
				if err := w.table.DeleteItem(w.ctx(), it.Key()); err != nil {
					t.Fatal(err)
				}
			}
		}
		w.rebuild(w.complete())
		w.wantRecount()
		before := w.images()
		if report := w.rebuild(w.complete()); report.Changed != 0 {
			t.Errorf("a second rebuild changed %d rows, want none", report.Changed)
		}
		w.wantImages(before)
	})
}

func TestRebuild_RecomputesARowWithoutChildren(t *testing.T) {
	for _, u := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		w.process()
		w.delete(order(ten, ""))
		w.lose()
		for _, other := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
			if other != u {
				if err := w.table.DeleteItem(w.ctx(), rowItemKey(w, other, ten)); err != nil {
					t.Fatal(err)
				}
			}
		}
		w.rebuild(w.complete())
		if row := w.row(u, ten); row == nil || !row.Empty {
			t.Errorf("the %s row without children is %+v, want an empty row", u, row)
		}
	}
}

func TestRebuild_OfARangeRecomputesItsBucketsAndTheirParents(t *testing.T) {
	w := newWorld(t)
	for _, when := range []string{"2026-03-08T10:00:00Z", ten, eleven, "2026-03-11T10:00:00Z"} {
		w.put(order(when, ""), "1")
	}
	w.lose()
	r := w.complete()
	r.From, r.To = at(half), at(half)+1 // within an hour, which is recomputed completely
	report := w.rebuild(r)
	if report.Recomputed != 3 || report.Changed != 3 {
		t.Errorf("%d recomputations, %d rows changed; want 3, 3: an hour, its day and its month", report.Recomputed,
			report.Changed)
	}
	w.wantRow(tier.Month, ten, 1, "1", true)
	if w.row(tier.Hour, eleven) != nil {
		t.Error("an hour outside the range was created")
	}
}

func TestRebuild_FromATierOnUsesTheFinerRowsAsStored(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.process()
	w.put(order(half, ""), "2")
	w.lose()
	if err := w.table.DeleteItem(w.ctx(), rowItemKey(w, tier.Day, ten)); err != nil {
		t.Fatal(err)
	}
	r := w.complete()
	r.Tier = tier.Day
	if report := w.rebuild(r); report.Recomputed != 2 || report.Changed != 1 {
		t.Errorf("%d recomputations, %d changed; want 2, 1: the day was missing", report.Recomputed, report.Changed)
	}
	w.wantRow(tier.Day, ten, 1, "1", true)
	r.Tier = tier.Minute
	if _, err := w.agg.Rebuild(w.ctx(), r); err == nil || !strings.Contains(err.Error(), "no tier minute") {
		t.Errorf("a tier that the kind does not have: %v", err)
	}
}

func TestRebuild_DryRunNamesRowsAndWritesNothing(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.process()
	w.put(order(half, ""), "2")
	w.put(order(eleven, ""), "3")
	w.lose()
	before := w.images()
	var mu sync.Mutex
	var differences []string
	r := w.complete()
	r.DryRun = true
	r.OnDifference = func(n aggregate.Note) {
		mu.Lock()
		defer mu.Unlock()
		differences = append(differences, n.Key.Tier+" "+n.Key.Start.String()+": "+n.Text)
	}
	report := w.rebuild(r)
	slices.Sort(differences)
	want := []string{
		"hour 2026-03-10T10:00:00.000Z: the row has 1 events, its children have 2",
		"hour 2026-03-10T11:00:00.000Z: no row, but children with 1 events",
	}
	if diff := cmp.Diff(want, differences); diff != "" || report.Changed != 2 || report.Writes != 0 {
		t.Errorf("%d changed, %d writes, differences (-want +got):\n%s", report.Changed, report.Writes, diff)
	}
	w.wantImages(before)
}

// A rebuild does not know whether a sealed row misses a change; a redrive does.
func TestRebuild_MarksSealedRowsOnlyWhereAChangeIsKnown(t *testing.T) {
	for mark, exact := range map[aggregate.MarkMode]bool{
		aggregate.MarkNone: true, aggregate.MarkSealed: false, aggregate.MarkAll: false,
	} {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		w.process()
		w.advance(30 * tier.Day24)
		r := w.complete()
		r.Mark = mark
		w.rebuild(r)
		w.wantRow(tier.Hour, ten, 1, "1", exact)
		w.wantRow(tier.Month, ten, 1, "1", exact)
	}
}

// After events of a lost batch have expired, a fold of the rest is incomplete.
func TestRebuild_MarkAllMarksOpenRowsPermanently(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.process()
	r := w.complete()
	r.Mark = aggregate.MarkAll
	w.rebuild(r)
	w.wantRow(tier.Hour, ten, 1, "1", false)
	w.wantRow(tier.Day, ten, 1, "1", false)
	w.put(order(half, ""), "2") // the hour is sealed, the day is not
	w.put(order(eleven, ""), "3")
	w.process()
	w.wantRow(tier.Hour, ten, 1, "1", false)
	w.wantRow(tier.Day, ten, 2, "3", false)
}

func TestRebuild_ResumedAtItsProgressOmitsNothing(t *testing.T) {
	for stop := 1; stop < 8; stop++ {
		w := newWorld(t)
		w.agg.Limits.Concurrency = 1
		for hour := range 30 { // two days, so that progress is reported within one
			w.put(model.Order{At: at(ten).Add(-time.Duration(hour) * time.Hour)}, fmt.Sprint(hour))
		}
		w.lose()
		r := w.complete()
		ctx, cancel := context.WithCancel(w.ctx())
		reports := 0
		r.OnProgress = func(next model.Time, _ aggregate.Counts) {
			r.From = next
			if reports++; reports == stop {
				cancel()
			}
		}
		_, err := w.agg.Rebuild(ctx, r)
		cancel()
		if reports == stop && !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped after %d progress reports: %v", reports, err)
		}
		r.Resumed, r.OnProgress = true, nil
		report := w.rebuild(r)
		if stop == 3 && report.Recomputed >= 33 {
			t.Errorf("resumed after 3 progress reports: %d recomputations, want fewer than all", report.Recomputed)
		}
		w.wantRecount()
	}
}

func TestRebuild_KeepsToItsRate(t *testing.T) {
	w := newWorld(t)
	for hour := range 10 {
		w.put(model.Order{At: at(ten).Add(-time.Duration(hour) * time.Hour)}, "1")
	}
	w.lose()
	began := w.now()
	w.agg.Sleep = func(_ context.Context, d time.Duration) error { w.advance(d); return nil }
	r := w.complete()
	r.Rate = 2
	report := w.rebuild(r)
	if took := w.now().Sub(began); took != time.Duration(report.Recomputed)*time.Second/2 {
		t.Errorf("%d recomputations at 2 a second took %s", report.Recomputed, took)
	}
}

// The run before recomputed the last hour of a day with events, and was stopped before the day itself.
func TestRebuild_ResumedAfterTheLastHourRecomputesTheDay(t *testing.T) {
	for resumed, want := range map[bool]bool{true: true, false: false} {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		w.process()
		for _, u := range []tier.Unit{tier.Day, tier.Month} {
			if err := w.table.DeleteItem(w.ctx(), rowItemKey(w, u, ten)); err != nil {
				t.Fatal(err)
			}
		}
		w.rebuild(aggregate.Rebuild{Series: w.series, From: at(eleven), To: model.MaxTime, Resumed: resumed})
		for _, u := range []tier.Unit{tier.Day, tier.Month} {
			if got := exists(w.row(u, ten)); got != want {
				t.Errorf("resumed %t: the row of the %s exists: %t, want %t", resumed, u, got, want)
			}
		}
	}
}

func exists(row *rollup.Row) bool { return row != nil && !row.Empty }

// A rebuild without a rate never waits.
func TestRebuild_WithoutARateNeverWaits(t *testing.T) {
	w := newWorld(t)
	for hour := range 10 {
		w.put(model.Order{At: at(ten).Add(-time.Duration(hour) * time.Hour)}, "1")
	}
	w.lose()
	w.on(&writingLate{store: w.table, before: func() { w.advance(time.Second) }})
	w.agg.Sleep = func(_ context.Context, d time.Duration) error {
		t.Errorf("it waits for %s", d)
		return nil
	}
	w.rebuild(w.complete())
	w.wantRecount()
}

func TestRebuild_ReportsNewerRowsAndContinues(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.process()
	it, err := w.table.GetItem(w.ctx(), rowItemKey(w, tier.Hour, ten))
	if err != nil {
		t.Fatal(err)
	}
	it[keys.AttrVersion] = item.Value{Type: item.N, S: "99"}
	if err := w.table.PutItem(w.ctx(), it); err != nil {
		t.Fatal(err)
	}
	w.put(order("2026-03-08T10:00:00Z", ""), "1")
	w.lose()
	report, err := w.agg.Rebuild(w.ctx(), w.complete())
	if err != nil || len(report.Failures) == 0 || !errors.Is(report.Failures[0].Err, item.ErrNewer) {
		t.Fatalf("%v, failures %v; want the newer row named", err, report.Failures)
	}
	w.wantRow(tier.Hour, "2026-03-08T10:00:00Z", 1, "1", true)
}

// A rebuild that cannot write ends with the error, which is not one of the rows that it names and leaves out.
func TestRebuild_EndsAtAFailure(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.lose()
	w.on(&faulty{store: w.table, denyFrom: 1})
	report, err := w.agg.Rebuild(w.ctx(), w.complete())
	if err == nil || len(report.Failures) != 0 {
		t.Errorf("%v, failures %v; want an error, and no failure beside it", err, report.Failures)
	}
}

func TestRebuild_RejectsAnUnknownKind(t *testing.T) {
	w := newWorld(t)
	r := w.complete()
	r.Series.Kind = "NOISE"
	if _, err := w.agg.Rebuild(w.ctx(), r); err == nil || !strings.Contains(err.Error(), `kind "NOISE"`) {
		t.Errorf("got %v", err)
	}
}

// Writers, the table stream and the rebuild write the same rows concurrently.
func TestRebuild_IsSafeDuringLiveTraffic(t *testing.T) {
	w := newWorld(t)
	var group sync.WaitGroup
	done := make(chan struct{})
	group.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				w.rebuild(w.complete())
			}
		}
	})
	for i := range 60 {
		w.put(model.Order{At: at(ten).Add(-time.Duration(i%7) * time.Hour), ID: fmt.Sprint(i)}, fmt.Sprint(i))
		if i%5 == 4 {
			w.delete(model.Order{At: at(ten).Add(-time.Duration(i%7) * time.Hour), ID: fmt.Sprint(i)})
		}
		w.process()
	}
	close(done)
	group.Wait()
	w.wantRecount()
}

func TestRecompute_RecomputesEachBucketOfItsTargetsOnce(t *testing.T) {
	w := newWorld(t)
	for _, when := range []string{ten, half, eleven} {
		w.put(order(when, ""), "1")
	}
	w.lose()
	targets := []aggregate.Target{
		{Series: w.series, At: at(ten)}, {Series: w.series, At: at(half)}, {Series: w.series, At: at(eleven)},
		{Series: w.series, At: at(ten), Tier: tier.Day},
	}
	report := w.agg.Recompute(w.ctx(), targets, aggregate.RepairOptions{})
	if len(report.Failures) > 0 || report.Recomputed != 4 {
		t.Errorf("%d recomputations, failures %v; want 4: two hours, a day, a month", report.Recomputed,
			report.Failures)
	}
	w.wantRecount()
	targets[1].Series.Kind = "NOISE"
	if r := w.agg.Recompute(w.ctx(), targets, aggregate.RepairOptions{}); len(r.Failures) != 1 ||
		r.Failures[0].Change != 1 {
		t.Errorf("failures %v, want one at target 1", r.Failures)
	}
}

// A damaged row does not say when its children expire: what replaces it is exact while all of them must
// exist by the least retention that they may have, with a margin of two hours.
func TestRebuild_RetargetsADamagedRowInexactlyWhereChildrenMayHaveExpired(t *testing.T) {
	for _, u := range []tier.Unit{tier.Hour, tier.Day} {
		b, least := u.BucketAt(at(ten)),
			map[tier.Unit]time.Duration{tier.Hour: tier.MinRaw, tier.Day: 90 * tier.Day24}[u]
		for later, exact := range map[time.Duration]bool{-time.Millisecond: true, 0: false, tier.Day24: false} {
			w := newWorld(t)
			w.put(order(ten, ""), "1")
			w.process()
			it, err := w.table.GetItem(w.ctx(), rowItemKey(w, u, ten))
			if err != nil {
				t.Fatal(err)
			}
			it[tablekeys.AttrSummary] = item.Value{Type: item.B, B: []byte("no summary")}
			if err := w.table.PutItem(w.ctx(), it); err != nil {
				t.Fatal(err)
			}
			w.setNow(b.Start.Add(least - 2*tier.SealMargin + later))
			r := w.complete()
			r.Tier = u
			if report := w.rebuild(r); report.Sealed != 1 {
				t.Errorf("without ReplaceDamaged: %d sealed rows, want the damaged one unchanged", report.Sealed)
			}
			r.ReplaceDamaged = true
			w.rebuild(r)
			w.wantRow(u, ten, 1, "1", exact)
			w.wantRow(tier.Month, ten, 1, "1", exact)
		}
	}
}

// An hour is within the range if a moment of it is, whether the range has one of its events or not.
func TestRebuild_RangeIncludesTheWholeHourOfItsEnd(t *testing.T) {
	for to, want := range map[model.Time]int{at(ten): 0, at(ten) + 1: 3} {
		w := newWorld(t)
		w.put(order(half, ""), "1")
		w.lose()
		r := w.complete()
		r.From, r.To = at(ten).Add(-time.Hour), to
		if report := w.rebuild(r); report.Recomputed != want {
			t.Errorf("a range up to %s: %d recomputations, want %d", to, report.Recomputed, want)
		}
	}
}

// A rebuild reports progress each second of its rate, and after some hundred buckets without one.
func TestRebuild_ReportsProgressAsItsRateAllows(t *testing.T) {
	for rate, want := range map[float64]int{0: 1, 2: 5} {
		w := newWorld(t)
		for hour := range 10 {
			w.put(model.Order{At: at(ten).Add(-12 * time.Duration(hour) * time.Hour)}, "1")
		}
		w.lose()
		w.agg.Sleep = func(_ context.Context, d time.Duration) error { w.advance(d); return nil }
		r, reports := w.complete(), 0
		r.Rate, r.OnProgress = rate, func(model.Time, aggregate.Counts) { reports++ }
		if report := w.rebuild(r); reports != want || report.Recomputed != 17 {
			t.Errorf("at a rate of %g: %d reports, %d recomputations; want %d, and 10 hours, 6 days and a month", rate,
				reports, report.Recomputed, want)
		}
	}
}

// Rows have no shard: a rebuild of a shard is one of its series.
func TestRebuild_OfAShardIsThatOfItsSeries(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.lose()
	r := w.complete()
	r.Series.Shard = 3
	w.rebuild(r)
	w.wantRow(tier.Hour, ten, 1, "1", true)
	r.Tier = tier.Minute
	if _, err := w.agg.Rebuild(w.ctx(), r); err == nil ||
		!strings.HasPrefix(err.Error(), "rebuild "+r.Series.String()) {
		t.Errorf("%v, want an error that names the series", err)
	}
}

// A repair writes a row again though it is right, and lists its series, unless it is a dry run.
func TestRecompute_WritesRightRowsAndTheListOfSeries(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.lose()
	listed := func() bool {
		it, err := w.table.GetItem(w.ctx(), tablekeys.SeriesEntry(w.series))
		if err != nil {
			t.Fatal(err)
		}
		return it != nil
	}
	targets := []aggregate.Target{{Series: w.series, At: at(ten)}}
	w.agg.Recompute(w.ctx(), targets, aggregate.RepairOptions{DryRun: true})
	if listed() || w.row(tier.Hour, ten) != nil {
		t.Error("a dry run wrote to the table")
	}
	w.agg.Recompute(w.ctx(), targets, aggregate.RepairOptions{})
	rev := w.row(tier.Hour, ten).Rev
	if !listed() {
		t.Error("the series is not listed")
	}
	w.agg.Recompute(w.ctx(), targets, aggregate.RepairOptions{})
	if w.row(tier.Hour, ten).Rev == rev {
		t.Error("the right row was not written again")
	}
}

// The failure in a later batch has the index of its target, and the batches after it are not begun.
func TestRecompute_CountsTargetsOverBatches(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.lose()
	w.agg.Limits.Buckets = 2
	targets := make([]aggregate.Target, 6)
	for i := range targets {
		targets[i] = aggregate.Target{Series: w.series, At: at(ten)}
	}
	targets[3].Series.Kind = "NOISE"
	if r := w.agg.Recompute(w.ctx(), targets, aggregate.RepairOptions{}); len(r.Failures) != 1 ||
		r.Failures[0].Change != 3 {
		t.Errorf("failures %v, want one at target 3", r.Failures)
	}
	w.on(&faulty{store: w.table, denyFrom: 1})
	targets[3].Series.Kind = w.series.Kind
	if r := w.agg.Recompute(w.ctx(), targets, aggregate.RepairOptions{}); len(r.Failures) == 0 ||
		r.Failures[len(r.Failures)-1].Change > 1 {
		t.Errorf("failures %v, want failures of the first batch only", r.Failures)
	}
}

// A dry run names the sealed row that would be marked inexact, once it is marked no more.
func TestSealed_DryRunNamesTheRowThatWouldBeMarked(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.process()
	w.advance(30 * tier.Day24)
	hour := []aggregate.Target{{Series: w.series, At: at(ten)}}
	for i, c := range []struct{ dry, marked bool }{{true, true}, {true, true}, {false, true}, {true, false}} {
		rev := w.row(tier.Hour, ten).Rev
		named := false
		r := w.agg.Recompute(w.ctx(), hour,
			aggregate.RepairOptions{DryRun: c.dry, OnDifference: func(n aggregate.Note) {
				named = named || strings.Contains(n.Text, "sealed and exact")
			}})
		if r.Sealed != 1 || named != c.marked || (w.row(tier.Hour, ten).Rev == rev) != c.dry {
			t.Errorf("run %d, dry %t: %d sealed, named %t, want 1, %t", i, c.dry, r.Sealed, named, c.marked)
		}
	}
}
