package rollup_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

var percentiles = &rollup.Spec{Measures: []rollup.MeasureSpec{{Name: "x", Scale: rollup.DefaultScale,
	Percentiles: true}}}

func sketched(values []string) *rollup.Summary {
	s := rollup.New(percentiles)
	for i, v := range values {
		s.AddEvent(event(noon, fmt.Sprint(i), "x", v))
	}
	return s
}

// nearest returns the value at the nearest rank, ⌈p·n/1000⌉, computed with integers.
func nearest(values []string, perMille int) float64 {
	sorted := make([]*big.Rat, len(values))
	for i, v := range values {
		sorted[i] = halfEven(model.MustDecimal(v).Rat(), rollup.DefaultScale)
	}
	slices.SortFunc(sorted, (*big.Rat).Cmp)
	rank := max((perMille*len(values)+999)/1000, 1)
	f, _ := sorted[rank-1].Float64()
	return f
}

func checkQuantiles(t failer, values []string) {
	t.Helper()
	m := measure(t, sketched(values), "x")
	for _, perMille := range []int{0, 1, 10, 50, 250, 500, 550, 750, 900, 950, 990, 999, 1000} {
		want := nearest(values, perMille)
		got, ok := m.Quantile(float64(perMille) / 1000)
		if !ok || math.Abs(got-want) > 0.01*math.Abs(want) {
			t.Fatalf("quantile %d/1000 of %d values: got %v (%v), want %v within 1 %%", perMille, len(values), got, ok,
				want)
		}
	}
}

func TestQuantile_IsWithinOnePercentOfTheNearestRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkQuantiles(t, rapid.SliceOfN(rapid.OneOf(
			rapid.StringMatching(`-?[1-4]?[0-9]\.[0-9]`),
			rapid.StringMatching(`-?[1-9][0-9]{0,14}`),
			rapid.StringMatching(`-?0\.0{0,8}[1-9]`),
			rapid.Just("0"),
		), 1, 200).Draw(t, "values"))
	})
}

func TestQuantile_OfHardCases(t *testing.T) {
	for name, values := range map[string][]string{
		"one value":             {"22.4"},
		"one value, repeated":   slices.Repeat([]string{"-3.75"}, 99),
		"zeros":                 {"0", "0", "0"},
		"about zero":            {"-0.000000001", "0", "0.000000001", "0"},
		"thirty decades":        {"0.000000001", "999999999999999", "-0.000000001", "-999999999999999", "1", "-1", "10", "0"},
		"powers of ten":         {"0.001", "0.01", "0.1", "1", "10", "100", "1000"},
		"finer than the scale":  {"0.0000000004", "0.0000000006", "1.00000000049"},
		"nearly equal":          {"100000000000000", "100000000000001", "100000000000002", "99999999999999.999999999"},
		"rounds up to 10^15":    {"999999999999999.9999999999", "1", "2"},
		"far apart at the rank": {"1", "1", "1", "1", "1000000", "1000000"},
	} {
		t.Run(name, func(t *testing.T) { checkQuantiles(t, values) })
	}
}

func TestQuantile_LeastAndGreatestAreExact(t *testing.T) {
	for i := range 100 {
		least, greatest := 100+i, 1000+7*i
		m := measure(t, sketched([]string{"500", fmt.Sprint(greatest), fmt.Sprint(least), "600"}), "x")
		low, _ := m.Quantile(.25)
		high, _ := m.Quantile(1)
		if low != float64(least) || high != float64(greatest) {
			t.Errorf("got %v and %v, want %d and %d", low, high, least, greatest)
		}
	}
}

// In binary floating point .55·100 is above 55 and .07·100 is above 7, which no caller
// means.
func TestQuantile_RankFollowsTheDecimalNotation(t *testing.T) {
	values := make([]string, 100)
	for i := range values {
		values[i] = fmt.Sprint(math.Pow(2, float64(i%40)))
	}
	slices.SortFunc(values, func(a, b string) int { return model.MustDecimal(a).Cmp(model.MustDecimal(b)) })
	m := measure(t, sketched(values), "x")
	for _, rank := range []int{7, 14, 28, 29, 55, 56, 57, 58} {
		got, _ := m.Quantile(float64(rank) / 100)
		want := model.MustDecimal(values[rank-1]).Float64()
		if math.Abs(got-want) > 0.01*want {
			t.Errorf("the %dth of 100: got %v, want %v", rank, got, want)
		}
	}
}

func TestQuantile_ReturnsFalseWhereItIsUnknown(t *testing.T) {
	with := sketched([]string{"1", "2"})
	without := newSummary(&rollup.Spec{}, event(noon, "late", "x", "3"))
	invalid := newSummary(percentiles, event(noon, "null", "x", "NaN"))
	mixed := rollup.New(percentiles)
	mixed.Merge(with)
	mixed.Merge(without)
	mixed.Merge(sketched([]string{"4"}))
	healed := rollup.New(percentiles)
	healed.Merge(with)
	healed.Merge(invalid)
	for name, c := range map[string]struct {
		s    *rollup.Summary
		q    float64
		want bool
	}{
		"sketched":                {with, .5, true},
		"undeclared":              {without, .5, false},
		"one part without":        {mixed, .5, false},
		"one part without values": {healed, .5, true},
		"no valid values":         {invalid, .5, false},
		"below 0":                 {with, -.1, false},
		"above 1":                 {with, 1.1, false},
		"not a number":            {with, math.NaN(), false},
	} {
		if _, ok := measure(t, c.s, "x").Quantile(c.q); ok != c.want {
			t.Errorf("%s: Quantile returned %v, want %v", name, ok, c.want)
		}
	}
}
