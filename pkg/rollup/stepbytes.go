package rollup

import (
	"github.com/holiman/uint256"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// This file writes and reads the steps of measures. Version says their format.

// encodeSteps returns the steps; nil if no measure has any.
func (s *Summary) encodeSteps() (dst []byte) {
	n := 0
	for i := range s.measures {
		if t := &s.measures[i]; t.steps.kind != 0 {
			n, dst = n+1, t.encodeSteps(appendCount(dst, int64(i)))
		}
	}
	if n == 0 {
		return nil
	}
	return append(appendCount(nil, int64(n)), dst...)
}

// encodeSteps appends the figures of all runs together. A stored summary is of one series, and so of one run.
func (t *totals) encodeSteps(dst []byte) []byte {
	r := combine(t.steps.joined(t.scale))
	dst = append(dst, byte(t.steps.kind))
	if t.steps.kind&counterSteps != 0 {
		dst = appendCount(appendWide(dst, &r.increase), r.resets)
	}
	if t.steps.kind&timeSteps != 0 {
		dst = appendSigned(dst, &r.integral)
	}
	return dst
}

// eachMeasure reads something of measures of s, which have been read. Each has values.
func (r *reader) eachMeasure(s *Summary, minBytes int, read func(*totals)) {
	before := int64(-1)
	for n := r.length(minBytes); n > 0 && r.err == nil; n-- {
		i := r.index(len(s.measures))
		if r.err != nil {
			return
		}
		if r.check(i > before && s.measures[i].count > 0, "order of a list"); r.err == nil {
			read(&s.measures[i])
		}
		before = i
	}
}

// steps reads the steps of a measure.
func (r *reader) steps(t *totals) {
	t.steps.kind = stepKind(r.byte())
	one := run{first: t.first, last: t.last}
	if t.steps.kind&counterSteps != 0 {
		one.increase, one.resets = r.wide(), r.count(t.count-1)
		r.check(!one.increase.Gt(t.mostIncrease()), "increase that no values can have")
	}
	if t.steps.kind&timeSteps != 0 {
		one.integral = r.signed()
		r.check(t.plausibleIntegral(&one), "integral that no values can have")
	}
	r.check(t.steps.kind != 0 && t.steps.kind.valid(), "steps")
	t.steps.runs = []run{one}
}

// plausibleIntegral reports whether the readings can have the integral: at each step a value between the
// least and the greatest holds for the covered time at most.
func (t *totals) plausibleIntegral(r *run) bool {
	var least, greatest, integral, most uint256.Int
	greatest.Abs(&t.max)
	if least.Abs(&t.min).Gt(&greatest) {
		greatest = least
	}
	covered := uint256.NewInt(uint64(r.last.order.At - r.first.order.At))
	most.Mul(&greatest, covered.Mul(covered, uint256.NewInt(uint64(t.count))))
	return !integral.Abs(&r.integral).Gt(&most)
}

// mostIncrease returns what the increase of a counter never exceeds: at each step the greatest value, or one
// turn of a counter of 64 bits.
func (t *totals) mostIncrease() *uint256.Int {
	around, _ := wrap64Steps.wrapsAt(t.scale)
	most := new(uint256.Int).Mul(&powersOf10[model.MaxMeasureDigits], &powersOf10[t.scale])
	if around.Gt(most) {
		most = around
	}
	return most.Mul(most, uint256.NewInt(uint64(t.count-1)))
}
