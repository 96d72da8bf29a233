package query_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func (w written) temperature() *big.Rat {
	v, _ := w.Attrs.Get("temperature")
	return v.Number.Rat()
}

// stepsKnown returns the increase over the steps that end in a range, with no step that leads into or over a
// missing part. The step into the range counts only if asked for.
func stepsKnown(all []written, from, to model.Time, missing []query.Segment, into bool) string {
	sum, known := new(big.Rat), false
	for i := 1; i < len(all); i++ {
		last, next := all[i-1].At, all[i].At
		over := func(m query.Segment) bool { return m.From <= next && last < m.To }
		if next < from || next >= to || last < from && !into || slices.ContainsFunc(missing, over) {
			continue
		}
		step := new(big.Rat).Sub(all[i].temperature(), all[i-1].temperature())
		if step.Sign() < 0 {
			step = all[i].temperature()
		}
		sum, known = sum.Add(sum, step), true
	}
	if !known {
		return "not known"
	}
	return sum.RatString()
}

// A total, a chart and a page have the steps between readings of which nothing between is missing, and no
// other: neither over a part of the range, nor from before one that ends where the range begins.
func TestCounter_NoStepLeadsOverAMissingPart(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := newFixture(r, func(k *catalog.Kind) {
			keptFor(k)
			k.Measures = []rollup.MeasureSpec{{Name: "temperature", Counter: true}}
		})
		base := now.Add(-time.Duration(rapid.IntRange(0, 1500).Draw(r, "age in days")) * tier.Day24)
		var hours []time.Duration // of 50 days: numbers that are drawn from a range are mostly small
		for h := range 50 * 24 {
			hours = append(hours, time.Duration(h)*time.Hour+20*time.Minute)
		}
		within := func(what string) time.Duration { return rapid.SampledFrom(hours).Draw(r, what) }
		var all []written
		for i := range rapid.IntRange(2, 12).Draw(r, "readings") {
			when := min(base.Add(within("when")), now)
			e := written{w.reading(when, fmt.Sprint(i), rapid.Int64Range(0, 50).Draw(r, "value"), 0), when}
			if rapid.Bool().Draw(r, "imported") {
				e.at = now
			}
			all = append(all, e)
		}
		slices.SortFunc(all, func(a, b written) int { return a.Order.Compare(b.Order) })
		w.storeWritten(all)
		q := query.Rollups{Series: w.series(), From: base.Add(within("from")), Limit: 2000}
		q.To = q.From.Add(within("length"))
		check := func(what string, m rollup.Measure, from, to model.Time, missing []query.Segment) {
			with, without := stepsKnown(all, from, to, missing, true), stepsKnown(all, from, to, missing, false)
			if got := increaseText(m); got != with && got != without {
				r.Fatalf("%s of %s to %s, missing %v: increase %s, want %s, or %s without the step into it",
					what, from, to, missing, got, with, without)
			}
		}
		total, err := w.query.RangeTotal(t.Context(), q)
		if err != nil {
			r.Fatal(err)
		}
		check("total", total.Measure("temperature"), q.From, q.To, total.Missing)
		q.Unit = rapid.SampledFrom([]tier.Unit{tier.Hour, tier.Day, tier.Month}).Draw(r, "unit")
		q.From, q.To = q.Unit.BucketAt(q.From).Start, q.Unit.BucketAt(q.To).End
		page, err := w.query.AllRollups(t.Context(), q)
		if err != nil {
			r.Fatal(err)
		}
		for _, b := range page.Rollups {
			check("bucket", b.Measure("temperature"), b.Bucket.Start, b.Bucket.End, page.Missing)
		}
		sum, err := w.query.Total(t.Context(), q)
		if err != nil {
			r.Fatal(err)
		}
		check("total of buckets", sum.Measure("temperature"), q.From, q.To, sum.Missing)
		curve, err := w.query.Chart(t.Context(), query.Chart{Rollups: q})
		if err != nil {
			r.Fatal(err)
		}
		whole := curve.Total()
		check("total of a chart", whole.Measure("temperature"), curve.From, curve.To, curve.Missing)
	})
}

// A reading that was imported is stored, and the one after it has expired: the step into a range that begins
// behind both is not known. Nor is it in a range that begins before them.
func TestCounter_NoStepLeadsIntoARangeOverAMissingPart(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(k *catalog.Kind) {
		keptFor(k)
		k.Measures = []rollup.MeasureSpec{{Name: "temperature", Counter: true}}
	})
	reading := func(day string, value int64, writtenAt model.Time) written {
		return written{w.reading(at(day+"T12:00:00Z"), day, value, 0), writtenAt}
	}
	w.storeWritten([]written{
		reading("2018-06-03", 100, now), reading("2018-06-05", 40, at("2018-06-05T12:00:00Z")),
		reading("2018-06-08", 700, now), reading("2018-06-09", 705, now),
	})
	for _, from := range []string{"2018-06-01T00:00:00Z", "2018-06-08T00:00:00Z"} {
		q := query.Rollups{Series: w.series(), Unit: tier.Day, From: at(from), To: at("2018-06-29T00:00:00Z")}
		page, err := w.query.AllRollups(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		total, err := w.query.RangeTotal(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		figures := []string{increaseText(total.Measure("temperature"))}
		for _, day := range page.Rollups[max(0, len(page.Rollups)-2):] {
			figures = append(figures, increaseText(day.Measure("temperature")))
		}
		if got := fmt.Sprint(figures); got != "[5 not known 5]" {
			t.Errorf("from %s: total and last two days are %s; want the 5 of the last day alone", from, got)
		}
	}
}

// A meter that paused for longer than events, or hours, are kept: the tier that still has its last reading
// tells the step after the pause, to a bucket, a range that begins within an hour, and a day of a zone alike.
func TestCounter_AStepLeadsOverAPauseThatATierHas(t *testing.T) {
	t.Parallel()
	kolkata := zone(t, "Asia/Kolkata")
	for name, pause := range map[string]time.Duration{
		"events have expired": 20 * tier.Day24, "hours too": 100 * tier.Day24, "days too": 700 * tier.Day24,
	} {
		w := newFixture(t, func(k *catalog.Kind) {
			keptFor(k)
			k.Measures = []rollup.MeasureSpec{{Name: "temperature", Counter: true}}
		})
		last, next := now.Add(-pause), now.Add(-10*time.Minute)
		w.storeWritten([]written{{w.reading(last, "", 100, 0), last}, {w.reading(next, "", 140, 0), next}})
		q := query.Rollups{Series: w.series(), From: tier.Day.BucketAt(next).Start, To: now}
		got := map[string]rollup.Measure{}
		for _, q.Unit = range []tier.Unit{tier.Hour, tier.Day} {
			page, err := w.query.AllRollups(t.Context(), q)
			if err != nil || len(page.Rollups) != 1 {
				t.Fatalf("%s: %d rollups, %v", name, len(page.Rollups), err)
			}
			got[q.Unit.String()] = page.Rollups[0].Measure("temperature")
		}
		q.From = next.Add(-time.Minute)
		total, err := w.query.RangeTotal(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		got["total"] = total.Measure("temperature")
		local := query.Local{Rollups: q, Zone: kolkata, Unit: times.Day}
		days, err := w.query.LocalRollups(t.Context(), local)
		if err != nil || len(days.Rollups) != 1 {
			t.Fatalf("%s: %d local days, %v", name, len(days.Rollups), err)
		}
		got["local day"] = days.Rollups[0].Measure("temperature")
		for what, m := range got {
			if increase := increaseText(m); increase != "40" {
				t.Errorf("%s: the increase of the %s is %s, want 40", name, what, increase)
			}
		}
	}
}

// A range in which a part is missing has no step out of this part, which a coarser tier would tell: the steps
// of its buckets would not add up to its total.
func TestCounter_NoStepLeadsOutOfAMissingPart(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(k *catalog.Kind) {
		keptFor(k)
		k.Measures = []rollup.MeasureSpec{{Name: "temperature", Counter: true}}
	})
	last, next := now.Add(-100*tier.Day24), now.Add(-10*time.Minute)
	w.storeWritten([]written{{w.reading(last, "", 100, 0), last}, {w.reading(next, "", 140, 0), next}})
	behind, before := last.Add(2*tier.Day24), last.Add(-tier.Day24)
	for from, want := range map[model.Time]string{before: "not known", behind: "40"} {
		q := query.Rollups{Series: w.series(), Unit: tier.Hour, From: tier.Day.BucketAt(from).Start, To: now}
		page, err := w.query.AllRollups(t.Context(), q)
		if err != nil || len(page.Rollups) != 1 {
			t.Fatalf("%d rollups, %v", len(page.Rollups), err)
		}
		total, err := w.query.Total(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(increaseText(page.Rollups[0].Measure("temperature")), ", ",
			increaseText(total.Measure("temperature")))
		if got != want+", "+want {
			t.Errorf("from %s, missing %v: %s, want %s", q.From, page.Missing, got, want)
		}
	}
}
