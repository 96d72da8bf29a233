package rollup_test

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// level declares a mean over time.
func level(scale int) *rollup.Spec {
	return &rollup.Spec{Measures: []rollup.MeasureSpec{{Name: "kwh", Scale: scale, TimeMean: true}}}
}

// naiveMean is the mean of the values that hold in the steps which end from a time on, with fractions.
func naiveMean(all []*model.Event, scale int, from model.Time) (mean float64, known bool) {
	r := newRecount(all, "kwh", scale)
	integral, covered := new(big.Rat), new(big.Rat)
	for i := 1; i < len(r.values); i++ {
		if r.orders[i].At >= from {
			held := new(big.Rat).SetInt64(int64(r.orders[i].At - r.orders[i-1].At))
			covered.Add(covered, held)
			integral.Add(integral, held.Mul(held, r.values[i-1]))
		}
	}
	if covered.Sign() == 0 {
		return 0, false
	}
	mean, _ = integral.Quo(integral, covered).Float64()
	return mean, true
}

// Like counters: the same bytes in every cut and order, the figure of a naive recount, and for each bucket
// the steps that end in it.
func TestTimeMean_EqualsARecountInEveryCutAndOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.SampledFrom([]int{0, 2, 9, 15}).Draw(t, "scale")
		all := meterReadings(t, 24)
		parts := buckets(t, all)
		folded := tiers(t, level(scale), parts)
		if whole := encoded(newSummary(level(scale), all...)); encoded(folded) != whole {
			t.Fatalf("got  %x\nwant %x", encoded(folded), whole)
		}
		check := func(what any, m rollup.Measure, all []*model.Event, from model.Time) {
			got, known := m.TimeMean()
			if want, has := naiveMean(all, scale, from); got != want || known != has {
				t.Fatalf("%v: mean %v, known: %v; want %v, %v", what, got, known, want, has)
			}
		}
		check("all", measure(t, decoded(t, folded), "kwh"), all, model.MinTime)
		var before rollup.LastReadings
		for i, part := range parts {
			row := decoded(t, newSummary(level(scale), part...))
			m, _ := row.MeasureAfter("kwh", &before)
			check(i, m, slices.Concat(parts[:i+1]...), part[0].At)
			before.Pass(row)
		}
	})
}

func TestTimeMean_AValueHoldsUntilTheNext(t *testing.T) {
	s := newSummary(level(0), event(noon, "", "kwh", "10"), event(noon+90, "", "kwh", "-50"),
		event(noon+100, "", "kwh", "7"))
	if mean, known := measure(t, s, "kwh").TimeMean(); !known || mean != 4 {
		t.Errorf("mean %v, known: %v; want 10 for 90 ms and -50 for 10 ms, which is 4", mean, known)
	}
	if _, known := measure(t, s, "kwh").Increase(); known {
		t.Error("a measure that is no counter has an increase")
	}
	if _, known := measure(t, newSummary(meter(0, 0), event(noon, "", "kwh", "1"),
		event(noon+1, "", "kwh", "2")), "kwh").TimeMean(); known {
		t.Error("a counter that declares no mean over time has one")
	}
}
