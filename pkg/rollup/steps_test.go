package rollup_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// meter declares a counter.
func meter(scale, wrap int) *rollup.Spec {
	return &rollup.Spec{Measures: []rollup.MeasureSpec{{Name: "kwh", Scale: scale, Counter: true, Wrap: wrap}}}
}

// meterReadings draws readings of a counter, in order of time, some with the time of the one before.
func meterReadings(t *rapid.T, most int) (all []*model.Event) {
	value := rapid.OneOf(
		rapid.SampledFrom([]string{"0", "0.1", "4294967295.9", "4294967296", "999999999999999.999"}),
		rapid.SampledFrom([]string{"-3", "NaN", "1e15"}),
		rapid.Map(rapid.IntRange(0, 5000), func(n int) string { return fmt.Sprintf("%d.%03d", n/1000, n%1000) }),
	)
	at := noon
	for i := range rapid.IntRange(1, most).Draw(t, "readings") {
		at += model.Time(rapid.SampledFrom([]int{0, 1, 60_000, 3_600_000}).Draw(t, "gap"))
		all = append(all, event(at, fmt.Sprintf("%03d", i), "kwh", value.Draw(t, "value")))
	}
	return all
}

// naive is the increase and the resets of the steps in a list of readings that end at a time or later, with
// fractions.
type naive struct {
	increase *big.Rat
	resets   int64
	steps    int
}

func naiveSteps(all []*model.Event, scale, wrap int, from model.Time) naive {
	r := newRecount(all, "kwh", scale)
	n := naive{increase: new(big.Rat)}
	turn := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(wrap)))
	for i := 1; i < len(r.values); i++ {
		if r.orders[i].At < from {
			continue
		}
		n.steps++
		step := new(big.Rat).Sub(r.values[i], r.values[i-1])
		if step.Sign() < 0 {
			n.resets++
			around := new(big.Rat).Add(step, turn)
			step = new(big.Rat).Set(r.values[i])
			if step.Sign() < 0 {
				step.SetInt64(0)
			}
			if wrap > 0 && around.Sign() >= 0 {
				step = around
			}
		}
		n.increase.Add(n.increase, step)
	}
	return n
}

func (n naive) check(t *rapid.T, what string, m rollup.Measure) {
	increase, known := m.Increase()
	resets, _ := m.Resets()
	if known != (n.steps > 0) {
		t.Fatalf("%s: the increase is known: %v, after %d steps", what, known, n.steps)
	}
	if known && (increase.Rat().Cmp(n.increase) != 0 || resets != n.resets) {
		want := n.increase.FloatString(15)
		t.Fatalf("%s: increase %s, %d resets; want %s, %d", what, increase, resets, want, n.resets)
	}
}

// buckets cuts readings into consecutive parts, none of which begins at the time of the reading before.
func buckets(t *rapid.T, all []*model.Event) (parts [][]*model.Event) {
	for i, e := range all {
		if i == 0 || e.At != all[i-1].At && rapid.Bool().Draw(t, "cut") {
			parts = append(parts, nil)
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], e)
	}
	return parts
}

// tiers folds buckets through the bytes of rows of drawn tiers: each row is of consecutive buckets.
func tiers(t *rapid.T, spec *rollup.Spec, parts [][]*model.Event) *rollup.Summary {
	rows := make([]*rollup.Summary, len(parts))
	for i, part := range parts {
		rows[i] = newSummary(spec, rapid.Permutation(part).Draw(t, "arrivals")...)
	}
	for {
		var coarser []*rollup.Summary
		for len(rows) > 0 {
			n := rapid.IntRange(1, len(rows)).Draw(t, "children")
			row := rollup.New(spec)
			for _, child := range rapid.Permutation(rows[:n]).Draw(t, "order") {
				row.Merge(decoded(t, child))
			}
			coarser, rows = append(coarser, row), rows[n:]
		}
		if rows = coarser; len(rows) == 1 {
			return rows[0]
		}
	}
}

// The readings may come in any order, with any of them late, missing, corrected or deleted: what is folded is
// what is stored. Any cut into buckets and tiers has the same bytes, and the figures of a naive recount.
func TestCounter_EqualsARecountInEveryCutAndOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.SampledFrom([]int{0, 2, 9, 15}).Draw(t, "scale")
		wrap := rapid.SampledFrom([]int{0, 32, 64}).Draw(t, "wrap")
		spec, all := meter(scale, wrap), meterReadings(t, 24)
		whole := newSummary(spec, all...)
		folded := tiers(t, spec, buckets(t, all))
		if encoded(folded) != encoded(whole) {
			t.Fatalf("got  %x\nwant %x", encoded(folded), encoded(whole))
		}
		naiveSteps(all, scale, wrap, model.MinTime).check(t, "all", measure(t, decoded(t, folded), "kwh"))
	})
}

// Each step belongs to the bucket of the reading that ends it: the buckets of a range add up to its total.
func TestCounter_BucketsWithTheReadingBeforeAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wrap := rapid.SampledFrom([]int{0, 32}).Draw(t, "wrap")
		all := meterReadings(t, 24)
		parts := buckets(t, all)
		var before rollup.LastReadings
		sum := new(big.Rat)
		for i, part := range parts {
			row := decoded(t, newSummary(meter(3, wrap), part...))
			m, _ := row.MeasureAfter("kwh", &before)
			through := slices.Concat(parts[:i+1]...)
			naiveSteps(through, 3, wrap, part[0].At).check(t, fmt.Sprint("bucket ", i), m)
			var back rollup.LastReadings
			for _, earlier := range slices.Backward(parts[:i]) {
				back.Before(newSummary(meter(3, wrap), earlier...))
			}
			if again, _ := row.MeasureAfter("kwh", &back); fmt.Sprint(again) != fmt.Sprint(m) {
				t.Fatalf("bucket %d: backwards %v, forwards %v", i, again, m)
			}
			increase, _ := m.Increase()
			sum.Add(sum, increase.Rat())
			before.Pass(row)
		}
		if want := naiveSteps(all, 3, wrap, model.MinTime).increase; sum.Cmp(want) != 0 {
			t.Fatalf("the buckets add up to %s, want %s", sum, want)
		}
	})
}

func TestCounter_StepsOfEachCase(t *testing.T) {
	for name, c := range map[string]struct {
		wrap    int
		values  []string
		want    string
		resets  int64
		missing string // value of a reading that is not stored
	}{
		"no step":                    {values: []string{"7"}},
		"grows":                      {values: []string{"7", "7.5", "9"}, want: "2"},
		"reset counts from zero":     {values: []string{"7", "9", "1", "4"}, want: "6", resets: 1},
		"reset to zero":              {values: []string{"7", "0", "0"}, want: "0", resets: 1},
		"deleted reading of a reset": {values: []string{"7", "9", "1", "9"}, missing: "1", want: "2"},
		"late reading before reset":  {values: []string{"7", "9", "12", "1"}, want: "6", resets: 1},
		"wrap of 32 bits":            {wrap: 32, values: []string{"4294967290", "4"}, want: "10", resets: 1},
		"wrap of 64 bits": {wrap: 64, values: []string{"900000000000000", "0"},
			want: "18445844073709551616", resets: 1},
		"beyond the wrap":        {wrap: 32, values: []string{"9e14", "4"}, want: "4", resets: 1},
		"negative after a reset": {values: []string{"5", "-3", "-1"}, want: "2", resets: 1},
		"a text is no reading":   {values: []string{"5", "NaN", "6"}, want: "1"},
	} {
		s := rollup.New(meter(3, c.wrap))
		for i, v := range c.values {
			if v != c.missing {
				s.AddEvent(event(noon+model.Time(i), "", "kwh", v))
			}
		}
		increase, known := measure(t, s, "kwh").Increase()
		resets, _ := measure(t, s, "kwh").Resets()
		if got := increase.String(); known != (c.want != "") || known && got != c.want || resets != c.resets {
			t.Errorf("%s: increase %s (known: %v), %d resets; want %s, %d", name, got, known, resets, c.want, c.resets)
		}
	}
}

func TestCounter_RateIsTheIncreaseOfTheTimeCovered(t *testing.T) {
	s := newSummary(meter(0, 0), event(noon, "", "kwh", "10"), event(noon+60_000, "", "kwh", "40"))
	if rate, ok := measure(t, s, "kwh").Rate(); !ok || rate != .5 {
		t.Errorf("%v, %v; want 0.5 a second", rate, ok)
	}
	one := newSummary(meter(0, 0), event(noon, "a", "kwh", "10"), event(noon, "b", "kwh", "40"))
	if rate, ok := measure(t, one, "kwh").Rate(); ok || measure(t, one, "kwh").Covered() != 0 {
		t.Errorf("%v: want no rate of readings of one time", rate)
	}
}

// Two declarations meet in one bucket when a measure is declared as a counter: the steps between values of
// both are not known, in any order.
func TestCounter_IsNotKnownWhereAValueWasFoldedUnderAnotherDeclaration(t *testing.T) {
	first, second := event(noon, "", "kwh", "1"), event(noon+1, "", "kwh", "2")
	for _, other := range []*rollup.Spec{{}, meter(9, 32)} {
		a, b := newSummary(other, first), newSummary(meter(9, 0), second)
		ab, ba := rollup.New(meter(9, 0)), rollup.New(meter(9, 0))
		ab.Merge(a)
		ab.Merge(b)
		ba.Merge(b)
		ba.Merge(decoded(t, a))
		ba.AddEvent(event(noon+2, "", "kwh", "3"))
		ab.AddEvent(event(noon+2, "", "kwh", "3"))
		if _, known := measure(t, ab, "kwh").Increase(); known || encoded(ab) != encoded(ba) {
			t.Errorf("known: %v, equal: %v", known, encoded(ab) == encoded(ba))
		}
		var before rollup.LastReadings
		before.Pass(newSummary(meter(9, 0), event(noon-1, "", "kwh", "0")))
		before.Pass(a)
		if m, _ := b.MeasureAfter("kwh", &before); m.Covered() != 0 {
			t.Error("a step leads over readings of another declaration")
		}
		before.Pass(b)
		later := newSummary(meter(9, 0), event(noon+2, "", "kwh", "5"))
		if m, _ := later.MeasureAfter("kwh", &before); m.Covered() != time.Millisecond {
			t.Error("no step from the first reading of the declaration")
		}
	}
}

// A step leads from a reading of one meter to the next of the same meter.
func TestForSeries_IncreasesOfSeveralSeriesAddUp(t *testing.T) {
	other := series
	other.Subject.ID = "sensor_02"
	rapid.Check(t, func(t *rapid.T) {
		all := [][]*model.Event{meterReadings(t, 12), meterReadings(t, 12)}
		total := rollup.New(rollup.ForReading(meter(3, 0)))
		want, steps := new(big.Rat), 0
		for i, s := range []model.Series{series, other} {
			for _, part := range buckets(t, all[i]) {
				total.Merge(decoded(t, newSummary(meter(3, 0), part...)).ForSeries(s))
			}
			n := naiveSteps(all[i], 3, 0, model.MinTime)
			want, steps = want.Add(want, n.increase), steps+n.steps
		}
		m, _ := total.Measure("kwh")
		increase, known := m.Increase()
		if known != (steps > 0) || increase.Rat().Cmp(want) != 0 {
			t.Fatalf("increase %s, known: %v; want %s of %d steps", increase, known, want, steps)
		}
	})
}

// No step leads to a reading from one before a time that is not known. The rate is over the other steps.
func TestApart_LeavesOutTheStepsOverATime(t *testing.T) {
	s := rollup.New(meter(0, 0))
	for i, kwh := range []string{"10", "14", "90", "92"} {
		s.Merge(newSummary(meter(0, 0), event(noon+model.Time(i)*1000, "", "kwh", kwh)))
	}
	for _, c := range []struct {
		times    []model.Time
		increase string
		seconds  float64
	}{
		{times: nil, increase: "82", seconds: 3},
		{times: []model.Time{noon}, increase: "82", seconds: 3}, // before all of them
		{times: []model.Time{noon + 1500}, increase: "6", seconds: 2},
		{times: []model.Time{noon + 2000}, increase: "6", seconds: 2}, // it is the time of a reading
		{times: []model.Time{noon + 1200, noon + 1500}, increase: "6", seconds: 2},
		{times: []model.Time{noon + 500, noon + 1500}, increase: "2", seconds: 1},
	} {
		m, _ := s.Apart(c.times).MeasureAfter("kwh", nil)
		increase, _ := m.Increase()
		if rate, _ := m.Rate(); increase.String() != c.increase || m.Covered().Seconds() != c.seconds ||
			rate != increase.Float64()/c.seconds {
			t.Errorf("apart at %v: increase %s in %s, rate %g; want %s in %g s", c.times, increase, m.Covered(),
				rate, c.increase, c.seconds)
		}
	}
}

// The steps of a day are added to the scale that a later release declares.
func TestCounter_OfTwoScalesIsExact(t *testing.T) {
	fine := newSummary(meter(3, 0), event(noon, "", "kwh", "1.001"))
	coarse := newSummary(meter(1, 0), event(noon+1, "", "kwh", "2.5"), event(noon+2, "", "kwh", "0.5"))
	for _, both := range [][]*rollup.Summary{{fine, coarse}, {coarse, fine}} {
		s := rollup.New(meter(1, 0))
		s.Merge(both[0])
		s.Merge(both[1])
		if got, _ := measure(t, s, "kwh").Increase(); got.String() != "1.999" {
			t.Errorf("increase %s, want 1.999", got)
		}
	}
	var before rollup.LastReadings
	before.Pass(fine)
	m, _ := coarse.MeasureAfter("kwh", &before)
	if got, _ := m.Increase(); got.String() != "1.999" {
		t.Errorf("after the finer reading: increase %s, want 1.999", got)
	}
}

func TestSpec_HasStepsIfACounterIsDeclared(t *testing.T) {
	if station.HasSteps() || !meter(0, 0).HasSteps() {
		t.Error("want no steps of a station, and steps of a meter")
	}
	var before rollup.LastReadings
	before.Pass(newSummary(meter(0, 0), event(noon, "", "kwh", "NaN")))
	lacked := before.Lacks(meter(0, 0))
	before.Pass(newSummary(meter(0, 0), event(noon, "", "kwh", "1")))
	if !lacked || before.Lacks(meter(0, 0)) {
		t.Error("want a last reading after the first that is valid")
	}
}
