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

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// whole is a rebuild of all there is of the world's series.
func (w *world) whole() aggregate.Rebuild {
	return aggregate.Rebuild{Series: w.series, From: model.MinTime, To: model.MaxTime + 1,
		Terms: aggregate.Terms{Manner: aggregate.SpareSealed}}
}

func (w *world) rebuild(r aggregate.Rebuild) aggregate.Report {
	w.Helper()
	report, err := w.agg.Rebuild(w.ctx(), r)
	if err != nil || len(report.Failures) > 0 {
		w.Fatalf("rebuild: %v, failures %v", err, report.Failures)
	}
	return report
}

// lose drops what the table stream has: a batch that was given up.
func (w *world) lose() { w.changes() }

// Whatever nobody was told of, whatever a hand did to rows: one rebuild mends it.
func TestRebuild_MendsWhateverNobodyWasToldOf(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t)
		var orders []model.Order
		for i := range rapid.IntRange(1, 12).Draw(r, "events") {
			o := model.Order{At: at(ten).Add(-time.Duration(rapid.IntRange(0, 24*70).Draw(r, "hours back")) * time.Hour), ID: fmt.Sprint(i)}
			orders = append(orders, o)
			w.put(o, fmt.Sprint(i))
			if rapid.Bool().Draw(r, "told") {
				w.settle()
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
			if _, err := keys.ParseRow(it.Key()); err == nil && rapid.IntRange(0, 3).Draw(r, "hand") == 0 {
				if err := w.DeleteItem(w.ctx(), it.Key()); err != nil {
					t.Fatal(err)
				}
			}
		}
		w.rebuild(w.whole())
		w.wantRecount()
		before := w.images()
		if report := w.rebuild(w.whole()); report.Changed != 0 {
			t.Errorf("a second rebuild changed %d rows, want none", report.Changed)
		}
		w.wantImages(before)
	})
}

func TestRebuild_LooksAtARowThatHasNoChildren(t *testing.T) {
	for _, u := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		w.settle()
		w.delete(order(ten, ""))
		w.lose()
		for _, other := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
			if other != u {
				if err := w.DeleteItem(w.ctx(), rowItemKey(w, other, ten)); err != nil {
					t.Fatal(err)
				}
			}
		}
		w.rebuild(w.whole())
		if row := w.row(u, ten); row == nil || !row.Empty {
			t.Errorf("the %s row without children stands: %+v, want it emptied", u, row)
		}
	}
}

func TestRebuild_OfARangeLooksAtItsBucketsAndAtThoseOver(t *testing.T) {
	w := newWorld(t)
	for _, when := range []string{"2026-03-08T10:00:00Z", ten, eleven, "2026-03-11T10:00:00Z"} {
		w.put(order(when, ""), "1")
	}
	w.lose()
	r := w.whole()
	r.From, r.To = at(half), at(half)+1 // within an hour: widened to it
	report := w.rebuild(r)
	if report.Looks != 3 || report.Changed != 3 {
		t.Errorf("%d looks, %d rows changed; want 3, 3: an hour, its day and its month", report.Looks, report.Changed)
	}
	w.wantRow(tier.Month, ten, 1, "1", true)
	if w.row(tier.Hour, eleven) != nil {
		t.Error("an hour beyond the range was made")
	}
}

func TestRebuild_FromATierOnTakesTheFinerAsItStands(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.settle()
	w.put(order(half, ""), "2")
	w.lose()
	if err := w.DeleteItem(w.ctx(), rowItemKey(w, tier.Day, ten)); err != nil {
		t.Fatal(err)
	}
	r := w.whole()
	r.Tier = tier.Day
	if report := w.rebuild(r); report.Looks != 2 || report.Changed != 1 {
		t.Errorf("%d looks, %d changed; want 2, 1: the day was missing", report.Looks, report.Changed)
	}
	w.wantRow(tier.Day, ten, 1, "1", true)
	r.Tier = tier.Minute
	if _, err := w.agg.Rebuild(w.ctx(), r); err == nil || !strings.Contains(err.Error(), "no tier minute") {
		t.Errorf("a tier the kind has not: %v", err)
	}
}

func TestRebuild_DryRunNamesRowsAndWritesNothing(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.settle()
	w.put(order(half, ""), "2")
	w.put(order(eleven, ""), "3")
	w.lose()
	before := w.images()
	var mu sync.Mutex
	var told []string
	r := w.whole()
	r.DryRun = true
	r.Found = func(n aggregate.Note) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, n.Key.Tier+" "+n.Key.Start.String()+": "+n.Text)
	}
	report := w.rebuild(r)
	slices.Sort(told)
	want := []string{
		"hour 2026-03-10T10:00:00.000Z: the row says 1 events, its children say 2",
		"hour 2026-03-10T11:00:00.000Z: no row of 1 events",
	}
	if diff := cmp.Diff(want, told); diff != "" || report.Changed != 2 || report.Writes != 0 {
		t.Errorf("changed %d, %d writes, told (-want +got):\n%s", report.Changed, report.Writes, diff)
	}
	w.wantImages(before)
}

// A rebuild knows of no change that a sealed row misses; a redrive does.
func TestRebuild_SealedRowsAreMarkedOnlyWhereAChangeIsKnown(t *testing.T) {
	for manner, exact := range map[aggregate.Manner]bool{
		aggregate.SpareSealed: true, aggregate.MarkSealed: false, aggregate.MarkEvery: false,
	} {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		w.settle()
		w.advance(30 * tier.Day24)
		r := w.whole()
		r.Manner = manner
		w.rebuild(r)
		w.wantRow(tier.Hour, ten, 1, "1", exact)
		w.wantRow(tier.Month, ten, 1, "1", exact)
	}
}

// After the events of a given-up batch have expired, what is left is no proof.
func TestRebuild_MarkEveryMarksOpenRowsForGood(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.settle()
	r := w.whole()
	r.Manner = aggregate.MarkEvery
	w.rebuild(r)
	w.wantRow(tier.Hour, ten, 1, "1", false)
	w.wantRow(tier.Day, ten, 1, "1", false)
	w.put(order(half, ""), "2") // the hour is sealed, the day stays open
	w.put(order(eleven, ""), "3")
	w.settle()
	w.wantRow(tier.Hour, ten, 1, "1", false)
	w.wantRow(tier.Day, ten, 2, "3", false)
}

func TestRebuild_ResumedWhereItGotToLeavesNothingOut(t *testing.T) {
	for stop := 1; stop < 8; stop++ {
		w := newWorld(t)
		w.agg.Limits.Concurrency = 1
		for hour := range 30 { // over two days, so that pieces end within one
			w.put(model.Order{At: at(ten).Add(-time.Duration(hour) * time.Hour)}, fmt.Sprint(hour))
		}
		w.lose()
		r := w.whole()
		ctx, cancel := context.WithCancel(w.ctx())
		pieces := 0
		r.Reached = func(next model.Time, _ aggregate.Counts) {
			r.From = next
			if pieces++; pieces == stop {
				cancel()
			}
		}
		_, err := w.agg.Rebuild(ctx, r)
		cancel()
		if pieces == stop && !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped after %d pieces: %v", pieces, err)
		}
		r.Resumed, r.Reached = true, nil
		report := w.rebuild(r)
		if stop == 3 && report.Looks >= 33 {
			t.Errorf("resumed after 3 pieces: %d looks, want fewer than all", report.Looks)
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
	r := w.whole()
	r.Rate = 2
	report := w.rebuild(r)
	if took := w.now().Sub(began); took != time.Duration(report.Looks)*time.Second/2 {
		t.Errorf("%d looks at 2 a second took %s", report.Looks, took)
	}
}

func TestRebuild_NamesWhatANewerVersionWroteAndGoesOn(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.settle()
	it, err := w.GetItem(w.ctx(), rowItemKey(w, tier.Hour, ten))
	if err != nil {
		t.Fatal(err)
	}
	it[keys.AttrVersion] = item.Value{Type: item.N, S: "99"}
	if err := w.PutItem(w.ctx(), it); err != nil {
		t.Fatal(err)
	}
	w.put(order("2026-03-08T10:00:00Z", ""), "1")
	w.lose()
	report, err := w.agg.Rebuild(w.ctx(), w.whole())
	if err != nil || len(report.Failures) == 0 || !errors.Is(report.Failures[0].Err, item.ErrNewer) {
		t.Fatalf("%v, failures %v; want the newer row named", err, report.Failures)
	}
	w.wantRow(tier.Hour, "2026-03-08T10:00:00Z", 1, "1", true)
}

func TestRebuild_RefusesAKindItDoesNotKnow(t *testing.T) {
	w := newWorld(t)
	r := w.whole()
	r.Series.Kind = "NOISE"
	if _, err := w.agg.Rebuild(w.ctx(), r); err == nil || !strings.Contains(err.Error(), `kind "NOISE"`) {
		t.Errorf("got %v", err)
	}
}

// Writers and the table stream go on; the rebuild and they meet in the same rows.
func TestRebuild_BesideLiveTrafficHarmsNothing(t *testing.T) {
	w := newWorld(t)
	var group sync.WaitGroup
	done := make(chan struct{})
	group.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				w.rebuild(w.whole())
			}
		}
	})
	for i := range 60 {
		w.put(model.Order{At: at(ten).Add(-time.Duration(i%7) * time.Hour), ID: fmt.Sprint(i)}, fmt.Sprint(i))
		if i%5 == 4 {
			w.delete(model.Order{At: at(ten).Add(-time.Duration(i%7) * time.Hour), ID: fmt.Sprint(i)})
		}
		w.settle()
	}
	close(done)
	group.Wait()
	w.wantRecount()
}

func TestRevisit_LooksAtEachBucketOverThePlacesOnce(t *testing.T) {
	w := newWorld(t)
	for _, when := range []string{ten, half, eleven} {
		w.put(order(when, ""), "1")
	}
	w.lose()
	places := []aggregate.Place{
		{Series: w.series, At: at(ten)}, {Series: w.series, At: at(half)}, {Series: w.series, At: at(eleven)},
		{Series: w.series, At: at(ten), Tier: tier.Day},
	}
	report := w.agg.Revisit(w.ctx(), places, aggregate.Terms{})
	if len(report.Failures) > 0 || report.Looks != 4 {
		t.Errorf("%d looks, failures %v; want 4: two hours, a day, a month", report.Looks, report.Failures)
	}
	w.wantRecount()
	places[1].Series.Kind = "NOISE"
	if r := w.agg.Revisit(w.ctx(), places, aggregate.Terms{}); len(r.Failures) != 1 || r.Failures[0].Change != 1 {
		t.Errorf("failures %v, want one at place 1", r.Failures)
	}
}

// A damaged row cannot say how long its children lived.
func TestRebuild_ReplacesADamagedRowAndSaysWhatItCannotKnow(t *testing.T) {
	for days, exact := range map[int]bool{1: true, 5: false} {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		w.settle()
		it, err := w.GetItem(w.ctx(), rowItemKey(w, tier.Hour, ten))
		if err != nil {
			t.Fatal(err)
		}
		it[keys.AttrSummary] = item.Value{Type: item.B, B: []byte("no summary")}
		if err := w.PutItem(w.ctx(), it); err != nil {
			t.Fatal(err)
		}
		w.advance(time.Duration(days) * tier.Day24)
		if report := w.rebuild(w.whole()); report.Sealed != 1 {
			t.Errorf("unasked: %d sealed rows met, want the damaged one left alone", report.Sealed)
		}
		r := w.whole()
		r.ReplaceDamaged = true
		w.rebuild(r)
		w.wantRow(tier.Hour, ten, 1, "1", exact)
		w.wantRow(tier.Day, ten, 1, "1", exact)
	}
}
