package query_test

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// meters is a simulation of two meters over five days.
func meters(t *rapid.T) *simulation {
	kind := iot.Readings
	kind.Measures = []rollup.MeasureSpec{{Name: "value", Counter: true}}
	kind.Retention = tier.Standard()
	kind.Shards = rapid.SampledFrom([]int{1, 3}).Draw(t, "shards")
	l := newSimulation(t, kind)
	for range rapid.IntRange(2, 30).Draw(t, "readings") {
		age := rapid.Int64Range(0, 5*24*12).Draw(t, "age") * int64(5*time.Minute)
		meter, value := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "meter"),
			rapid.Int64Range(0, 50).Draw(t, "value")
		l.append(meter, "", now.Add(-time.Duration(age)), value)
	}
	l.process()
	return l
}

// used returns the increase over the steps that end in a range, by the events alone: nil if there are none.
func (l *simulation) used(from, to model.Time, subjects ...string) *big.Rat {
	var used *big.Rat
	for _, subject := range subjects {
		all := lists.Filter(l.appended, func(e model.Event) bool { return e.Series.Subject.ID == subject })
		slices.SortFunc(all, func(a, b model.Event) int { return a.Order.Compare(b.Order) })
		for i := 1; i < len(all); i++ {
			if all[i].At < from || all[i].At >= to {
				continue
			}
			step := new(big.Rat).Sub(reading(all[i]), reading(all[i-1]))
			if step.Sign() < 0 {
				step = reading(all[i])
			}
			used = step.Add(step, cmp.Or(used, new(big.Rat)))
		}
	}
	return used
}

func reading(e model.Event) *big.Rat {
	v, _ := e.Attrs.Get("value")
	return v.Number.Rat()
}

func increaseText(m rollup.Measure) string {
	if increase, known := m.Increase(); known {
		return increase.Rat().RatString()
	}
	return "not known"
}

func (l *simulation) usedText(from, to model.Time, subjects ...string) string {
	if used := l.used(from, to, subjects...); used != nil {
		return used.RatString()
	}
	return "not known"
}

// The increase of a bucket is of the steps between readings that end in it: in a chart, a page and a total,
// of one or two meters, in any tier.
func TestCounter_EveryReaderHasTheStepsThatEndInTheBucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx, l := context.Background(), meters(t)
		subjects := rapid.SampledFrom([][]string{{"a"}, {"a", "b"}}).Draw(t, "subjects")
		q := query.Rollups{
			Series: query.Series{Kind: l.kind, Subject: subjects[0]}, Subjects: subjects,
			Unit: rapid.SampledFrom([]tier.Unit{tier.Hour, tier.Day}).Draw(t, "tier"),
			From: now.Add(-time.Duration(rapid.IntRange(1, 6*24).Draw(t, "hours")) * time.Hour), To: now + 1,
			Newest: rapid.Bool().Draw(t, "newest"),
		}
		check := func(what string, r query.Rollup) {
			want := l.usedText(r.Bucket.Start, r.Bucket.End, subjects...)
			if got := increaseText(r.Measure("value")); got != want {
				t.Fatalf("%s: the increase of %s is %s, want %s", what, r.Bucket, got, want)
			}
		}
		curve, err := l.query.Chart(ctx, query.Chart{Rollups: q, Gaps: rapid.Bool().Draw(t, "gaps")})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range curve.Rollups {
			if !r.Gap {
				check("chart", r)
			}
		}
		total := curve.Total()
		got, want := increaseText(total.Measure("value")), l.usedText(curve.From, curve.To, subjects...)
		if got != want && len(curve.Rollups) > 0 {
			t.Fatalf("total of the chart: %s, want %s", got, want)
		}
		for q.Limit = rapid.IntRange(1, 3).Draw(t, "limit"); ; {
			page, err := l.query.Rollups(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range page.Rollups {
				check("page", r)
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
		}
	})
}

// A total of any range, and of the days of a time zone.
func TestCounter_TotalsHaveTheStepsThatEndInTheRange(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	rapid.Check(t, func(t *rapid.T) {
		ctx, l := context.Background(), meters(t)
		minutes := func(what string) time.Duration {
			return time.Duration(rapid.IntRange(0, 6*24*60).Draw(t, what)) * time.Minute
		}
		q := query.Rollups{Series: query.Series{Kind: l.kind, Subject: "a"}, To: now + 1}
		q.From = now.Add(-minutes("from"))
		total, err := l.query.RangeTotal(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := increaseText(total.Measure("value")), l.usedText(q.From, q.To, "a"); got != want {
			t.Fatalf("total from %s: %s, want %s", q.From, got, want)
		}
		page, err := l.query.LocalRollups(ctx, query.Local{Rollups: q, Zone: berlin, Unit: times.Day})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Rollups {
			got, want := increaseText(r.Measure("value")), l.usedText(r.Bucket.Start, r.Bucket.End, "a")
			if got != want {
				t.Fatalf("%s: %s, want %s", r.Label(), got, want)
			}
		}
	})
}

// Rows without the counter lie between its readings: the reader looks further back, as far as it says.
func TestCounter_LastReadingIsFoundBehindOtherRows(t *testing.T) {
	for name, c := range map[string]struct {
		between int
		want    string
	}{"none": {0, "5"}, "a day": {24, "5"}, "beyond the limit": {300, "not known"}} {
		w := newFixture(t, func(k *catalog.Kind) {
			k.Measures = []rollup.MeasureSpec{{Name: "energy", Counter: true}}
		})
		start := tier.Hour.BucketAt(now).Start
		energy := func(when model.Time, n int64) model.Event {
			e := w.reading(when, "", n, 0)
			e.Attrs[0].Name = "energy"
			return e
		}
		w.storeRow(w.row(tier.Hour, 0, energy(start-hour*model.Time(c.between+1), 10)))
		for i := range c.between {
			w.storeRow(w.row(tier.Hour, 0, w.reading(start-hour*model.Time(i+1), "", 20, 0)))
		}
		w.storeRow(w.row(tier.Hour, 0, energy(start, 15)))
		q := query.Rollups{Series: w.series(), Unit: tier.Hour, From: start, To: now}
		page, err := w.query.Rollups(t.Context(), q)
		if err != nil || len(page.Rollups) != 1 {
			t.Fatalf("%s: %d rollups, %v", name, len(page.Rollups), err)
		}
		if got := increaseText(page.Rollups[0].Measure("energy")); got != c.want {
			t.Errorf("%s: increase %s, want %s", name, got, c.want)
		}
	}
}

// The figures of a counter are text for people and machines alike.
func TestFiguresOf_ACounter(t *testing.T) {
	s := rollup.New(&rollup.Spec{Measures: []rollup.MeasureSpec{{Name: "temperature", Counter: true}}})
	w := newFixture(t, nil)
	for i, n := range []int64{7, 9, 4} {
		e := w.reading(now+model.Time(i)*1000, "", n, 0)
		s.AddEvent(&e)
	}
	m, _ := s.Measure("temperature")
	f := figure.New(m)
	if got := fmt.Sprint(f.Increase, *f.Resets, *f.Rate, *f.Covered); got != "6 1 3 2" {
		t.Errorf("increase, resets, rate, time: %s; want 6 1 3 2", got)
	}
	other := w.reading(now, "", 1, 0)
	m, _ = summaryBy(&iot.Readings, &other).Measure("temperature")
	if f := figure.New(m); f.Increase != nil || f.Resets != nil || f.Rate != nil || f.Covered != nil {
		t.Errorf("figures of no counter: %+v", f)
	}
}

func summaryBy(kind *catalog.Kind, e *model.Event) *rollup.Summary {
	s := rollup.New(kind.Spec())
	s.AddEvent(e)
	return s
}
