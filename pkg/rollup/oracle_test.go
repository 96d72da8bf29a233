package rollup_test

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// recount computes a measure with fractions of unbounded size: slow, and independent code.
type recount struct {
	count, invalid, rounded int64
	values                  []*big.Rat // in order of their events
	orders                  []model.Order
}

func newRecount(events []*model.Event, name string, scale int) (r recount) {
	sorted := slices.SortedFunc(slices.Values(events), func(a, b *model.Event) int {
		return a.Order.Compare(b.Order)
	})
	for _, e := range sorted {
		v, ok := e.Attrs.Get(name)
		if !ok {
			continue
		}
		if v.Kind != model.Number || new(big.Rat).Abs(v.Number.Rat()).Cmp(big.NewRat(1e15, 1)) >= 0 {
			r.invalid++
			continue
		}
		rounded := halfEven(v.Number.Rat(), scale)
		if rounded.Cmp(v.Number.Rat()) != 0 {
			r.rounded++
		}
		r.count++
		r.values, r.orders = append(r.values, rounded), append(r.orders, e.Order)
	}
	return r
}

func halfEven(x *big.Rat, scale int) *big.Rat {
	unit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
	scaled := new(big.Rat).Mul(x, unit)
	floor := new(big.Int).Div(scaled.Num(), scaled.Denom())
	rest := new(big.Rat).Sub(scaled, new(big.Rat).SetInt(floor))
	if c := rest.Cmp(big.NewRat(1, 2)); c > 0 || c == 0 && floor.Bit(0) == 1 {
		floor.Add(floor, big.NewInt(1))
	}
	return new(big.Rat).Quo(new(big.Rat).SetInt(floor), unit)
}

func (r recount) sum() *big.Rat {
	sum := new(big.Rat)
	for _, v := range r.values {
		sum.Add(sum, v)
	}
	return sum
}

func (r recount) mean() *big.Rat { return r.over(r.sum()) }

func (r recount) over(x *big.Rat) *big.Rat { return x.Quo(x, big.NewRat(r.count, 1)) }

// variance is the mean square of the distances from the mean. The tested code subtracts
// two sums instead.
func (r recount) variance() *big.Rat {
	mean, sum := r.mean(), new(big.Rat)
	for _, v := range r.values {
		d := new(big.Rat).Sub(v, mean)
		sum.Add(sum, d.Mul(d, d))
	}
	return r.over(sum)
}

func (r recount) sorted() []*big.Rat {
	return slices.SortedFunc(slices.Values(r.values), (*big.Rat).Cmp)
}

func TestMeasure_EqualsARecountWithFractions(t *testing.T) {
	scales := map[string]int{"alpha": rollup.DefaultScale}
	for _, m := range station.Measures {
		scales[m.Name] = m.Scale
	}
	rapid.Check(t, func(t *rapid.T) {
		all := events(20).Draw(t, "events")
		s := newSummary(&rollup.Spec{Measures: station.Measures}, all...)
		if s.Events() != int64(len(all)) {
			t.Fatalf("%d events, want %d", s.Events(), len(all))
		}
		for name, scale := range scales {
			want := newRecount(all, name, scale)
			if name == "alpha" {
				want.invalid = numbersBeyond(all, name) // an undeclared text is not a measure
			}
			m, ok := s.Measure(name)
			if ok != (want.count+want.invalid > 0) {
				t.Fatalf("measure %s: found %v, want %v", name, ok, !ok)
			}
			if ok {
				checkMeasure(t, m, want)
			}
		}
	})
}

func numbersBeyond(events []*model.Event, name string) (n int64) {
	for _, e := range events {
		if v, ok := e.Attrs.Get(name); ok && v.Kind == model.Number &&
			new(big.Rat).Abs(v.Number.Rat()).Cmp(big.NewRat(1e15, 1)) >= 0 {
			n++
		}
	}
	return n
}

func checkMeasure(t *rapid.T, m rollup.Measure, want recount) {
	if m.Count != want.count || m.Invalid != want.invalid || m.Rounded != want.rounded {
		t.Fatalf("%s: count %d, invalid %d, rounded %d; want %d, %d, %d",
			m.Name, m.Count, m.Invalid, m.Rounded, want.count, want.invalid, want.rounded)
	}
	avg, ok := m.Avg()
	if ok != (m.Count > 0) {
		t.Fatalf("%s: Avg of %d values returned %v", m.Name, m.Count, ok)
	}
	if !ok {
		return
	}
	last := len(want.values) - 1
	sorted := want.sorted()
	for _, c := range []struct {
		what string
		got  model.Decimal
		want *big.Rat
	}{
		{"sum", m.Sum, want.sum()}, {"min", m.Min, sorted[0]}, {"max", m.Max, sorted[last]},
		{"first", m.First, want.values[0]}, {"last", m.Last, want.values[last]},
	} {
		if c.got.Rat().Cmp(c.want) != 0 {
			t.Fatalf("%s %s: got %s, want %s", m.Name, c.what, c.got, c.want.FloatString(20))
		}
	}
	if m.FirstAt != want.orders[0] || m.LastAt != want.orders[last] {
		t.Fatalf("%s: first at %v, last at %v; want %v, %v", m.Name, m.FirstAt, m.LastAt, want.orders[0],
			want.orders[last])
	}
	checkDerived(t, m, want, avg)
}

func checkDerived(t *rapid.T, m rollup.Measure, want recount, avg float64) {
	if exact, _ := want.mean().Float64(); avg != exact {
		t.Fatalf("%s avg: got %v, want %v", m.Name, avg, exact)
	}
	variance, _ := m.Variance()
	if exact, _ := want.variance().Float64(); variance != exact {
		t.Fatalf("%s variance: got %v, want %v", m.Name, variance, exact)
	}
	stddev, _ := m.Stddev()
	root := new(big.Float).SetPrec(300).SetRat(want.variance())
	if exact, _ := root.Sqrt(root).Float64(); stddev != exact {
		t.Fatalf("%s stddev: got %v, want %v", m.Name, stddev, exact)
	}
}

// The sum of squares of the largest number of events of the largest magnitude fits at the
// largest scale.
func TestMeasure_SumsOfSquaresOfTheLargestValuesFit(t *testing.T) {
	spec := &rollup.Spec{Measures: []rollup.MeasureSpec{{Name: "x", Scale: rollup.MaxScale}}}
	s := newSummary(spec,
		event(noon, "1", "x", "999999999999999.999999999999999"),
		event(noon, "2", "x", "-999999999999999.999999999999999"))
	for range 39 { // 2^40 events
		double := rollup.New(spec)
		double.Merge(s)
		double.Merge(s)
		s = double
	}
	m := measure(t, decoded(t, s), "x")
	stddev, _ := m.Stddev()
	if m.Count != 1<<40 || !m.Sum.IsZero() || stddev != 1e15 {
		t.Errorf("count %d, sum %s, stddev %v; want 2^40, 0 and 1e15", m.Count, m.Sum, stddev)
	}
}

func TestMeasure_NumberAtTheBoundIsInvalid(t *testing.T) {
	s := newSummary(station, event(noon, "1", "battery", "1000000000000000"),
		event(noon, "2", "battery", "999999999999999.9"))
	m := measure(t, s, "battery")
	if m.Invalid != 1 || m.Count != 1 || m.Max.String() != "1000000000000000" || m.Rounded != 1 {
		t.Errorf("got %+v; want one invalid value, and one that is rounded up to the bound", m)
	}
	decoded(t, s)
}
