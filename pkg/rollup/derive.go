package rollup

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"github.com/holiman/uint256"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Measure is a copy of one measure's numbers. Averages and quantiles are derived from exact integers when
// they are read; none is stored. Where Count is 0 the decimals and orders are zero and have no meaning.
type Measure struct {
	Name    string
	Count   int64 // valid values
	Invalid int64 // null, not a number, or 10^15 and more in magnitude
	Rounded int64 // valid values that had finer digits than Scale and were rounded half to even
	Scale   int   // digits after the decimal point

	Sum, Min, Max   model.Decimal // exact at Scale
	First, Last     model.Decimal // by event time, then id
	FirstAt, LastAt model.Order

	sum, squares uint256.Int
	sketch       sketch
	steps        stepKind
	runs         []run // one for each part of each series
	stepScale    int   // of the numbers of runs
}

// Measure returns the named measure of s; false where no event had it.
func (s *Summary) Measure(name string) (Measure, bool) {
	i, found := s.findMeasure(name)
	if !found {
		return Measure{}, false
	}
	t := &s.measures[i]
	return Measure{
		Name: t.name, Count: t.count, Invalid: t.invalid, Rounded: t.rounded, Scale: t.scale,
		Sum:     model.Unscaled(t.sum, t.scale),
		Min:     model.Unscaled(t.min, t.scale),
		Max:     model.Unscaled(t.max, t.scale),
		First:   model.Unscaled(t.first.value, t.scale),
		Last:    model.Unscaled(t.last.value, t.scale),
		FirstAt: t.first.order, LastAt: t.last.order,
		sum: t.sum, squares: t.squares, sketch: slices.Clone(t.sketch),
		steps: t.steps.kind, runs: t.steps.joined(t.scale), stepScale: t.scale,
	}, true
}

// String returns the stored figures on one line.
func (m Measure) String() string {
	text := fmt.Sprintf("count %d, invalid %d, sum %s, min %s, max %s, first %s, last %s",
		m.Count, m.Invalid, m.Sum, m.Min, m.Max, m.First, m.Last)
	if increase, known := m.Increase(); known {
		text += fmt.Sprintf(", increase %s", increase)
	}
	return text
}

// Avg returns the float64 nearest to the mean; false where there are no values.
func (m Measure) Avg() (float64, bool) {
	if m.Count == 0 {
		return 0, false
	}
	f, _ := new(big.Rat).SetFrac(signed(&m.sum), m.unit()).Float64()
	return f, true
}

// Variance returns the float64 nearest to the population variance; false where there are no values.
func (m Measure) Variance() (float64, bool) {
	if m.Count == 0 {
		return 0, false
	}
	unit := m.unit()
	f, _ := new(big.Rat).SetFrac(m.spread(), unit.Mul(unit, unit)).Float64()
	return f, true
}

// Stddev returns the population standard deviation, correct to the last bit or the one
// before it; false where there are no values.
func (m Measure) Stddev() (float64, bool) {
	if m.Count == 0 {
		return 0, false
	}
	const precision = 512
	root := new(big.Float).SetPrec(precision).SetInt(m.spread())
	root.Sqrt(root)
	f, _ := root.Quo(root, new(big.Float).SetPrec(precision).SetInt(m.unit())).Float64()
	return f, true
}

// Quantile returns a number within 1 % of the value at the nearest rank, ⌈q·Count⌉ of the sorted values; the
// least and the greatest are exact. q is taken as the decimal that it prints as, so 0.55 of 100 values is the
// 55th. Quantile returns false where there are no values, where any event was folded while the measure was
// declared without percentiles, and where q is not between 0 and 1.
func (m Measure) Quantile(q float64) (float64, bool) {
	if m.Count == 0 || len(m.sketch) == 0 || !(q >= 0 && q <= 1) {
		return 0, false
	}
	low, high := m.Min.Float64(), m.Max.Float64()
	switch rank := nearestRank(q, m.Count); rank {
	case 1:
		return low, true
	case m.Count:
		return high, true
	default:
		return min(max(m.sketch.at(rank), low), high), true
	}
}

// nearestRank returns ⌈q·n⌉, at least 1.
func nearestRank(q float64, n int64) int64 {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(q, 'g', -1, 64))
	r.Mul(r, new(big.Rat).SetInt64(n))
	rank, rest := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		rank.Add(rank, big.NewInt(1))
	}
	return max(rank.Int64(), 1)
}

// unit returns Count × 10^Scale, the divisor of sums.
func (m Measure) unit() *big.Int {
	unit := powersOf10[m.Scale].ToBig()
	return unit.Mul(unit, big.NewInt(m.Count))
}

// spread returns n·Σx² − (Σx)² in units of the scale. It is never negative for real
// values; a negative result, from bytes that no values made, becomes 0.
func (m Measure) spread() *big.Int {
	n := new(big.Int).Mul(big.NewInt(m.Count), m.squares.ToBig())
	sum := signed(&m.sum)
	if n.Sub(n, sum.Mul(sum, sum)); n.Sign() < 0 {
		n.SetInt64(0)
	}
	return n
}

func signed(n *uint256.Int) *big.Int {
	if n.Sign() < 0 {
		b := new(uint256.Int).Neg(n).ToBig()
		return b.Neg(b)
	}
	return n.ToBig()
}
