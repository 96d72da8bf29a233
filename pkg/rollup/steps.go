package rollup

import (
	"cmp"
	"slices"
	"strings"

	"github.com/holiman/uint256"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// stepKind says which figures a measure has of the steps between its readings, as bits. It is stored.
type stepKind byte

const (
	counterSteps stepKind = 1 << iota // the increase, and the resets
	wrap32Steps                       // of a counter: a lower reading has wrapped around at 2^32
	wrap64Steps                       // likewise, at 2^64
	timeSteps                         // the integral over time: a value holds until the next reading

	allSteps = counterSteps | wrap32Steps | wrap64Steps | timeSteps
)

// counter returns the bits that decide how a step of a counter counts.
func (k stepKind) counter() stepKind { return k & (counterSteps | wrap32Steps | wrap64Steps) }

// common returns the figures that readings of both kinds have.
func (k stepKind) common(o stepKind) stepKind {
	both := k & o &^ k.counter()
	if k.counter() == o.counter() {
		both |= k.counter()
	}
	return both
}

// valid reports whether a declaration can be of this kind.
func (k stepKind) valid() bool {
	wrap := k & (wrap32Steps | wrap64Steps)
	return k&^allSteps == 0 && (wrap == 0 || k&counterSteps != 0 && wrap != wrap32Steps|wrap64Steps)
}

// steps are the readings of a measure as far as their order matters. A reading is a run of its own until all
// are joined in order of time: so it makes no difference in which order they were added and merged.
type steps struct {
	kind     stepKind       // what all readings have; 0: nothing is known of the steps
	readings []orderedValue // each a run without a step
	runs     []run          // of merged summaries
}

// run is consecutive readings of one series: no other reading of the series is between first and last.
type run struct {
	series      string // "" unless several series are merged
	part        int    // no step leads from one part of a series to the next: see Apart
	first, last orderedValue
	increase    uint256.Int // of a counter, over the steps inside
	resets      int64       // steps to a lower reading
	integral    uint256.Int // of the values over the steps inside, times milliseconds, in two's complement
}

// add adds a reading whose measure is declared with a kind.
func (s *steps) add(kind stepKind, first bool, value *uint256.Int, order *model.Order) {
	if first {
		s.kind = kind
	}
	if s.kind = s.kind.common(kind); s.kind == 0 {
		*s = steps{}
		return
	}
	s.readings = append(s.readings, orderedValue{order: *order, value: *value})
}

// merge adds o, which has readings too and is not changed.
func (s *steps) merge(o *steps) {
	if s.kind = s.kind.common(o.kind); s.kind == 0 {
		*s = steps{}
		return
	}
	s.readings = append(s.readings, o.readings...)
	s.runs = append(s.runs, o.runs...)
}

func (s *steps) clone() steps {
	return steps{kind: s.kind, readings: slices.Clone(s.readings), runs: slices.Clone(s.runs)}
}

// grow raises the scale of all numbers.
func (s *steps) grow(digits int) {
	for i := range s.readings {
		scaleUp(&s.readings[i].value, digits)
	}
	for i := range s.runs {
		r := &s.runs[i]
		for _, n := range []*uint256.Int{&r.first.value, &r.last.value, &r.increase, &r.integral} {
			scaleUp(n, digits)
		}
	}
}

// joined returns the run of each part of each series, in this order. Scale is the scale of the numbers.
func (s *steps) joined(scale int) []run {
	all := slices.Clone(s.runs)
	for _, r := range s.readings {
		all = append(all, run{first: r, last: r})
	}
	slices.SortFunc(all, func(a, b run) int {
		return cmp.Or(strings.Compare(a.series, b.series), cmp.Compare(a.part, b.part),
			a.first.compare(&b.first), a.last.compare(&b.last))
	})
	whole := all[:0]
	for _, r := range all {
		n := len(whole)
		if n > 0 && whole[n-1].series == r.series && whole[n-1].part == r.part {
			whole[n-1].join(&r, s.kind, scale)
			continue
		}
		whole = append(whole, r)
	}
	return whole
}

// join appends a later run of the same part, and adds the step between the two.
func (r *run) join(next *run, kind stepKind, scale int) {
	r.increase.Add(&r.increase, &next.increase)
	r.resets += next.resets
	r.integral.Add(&r.integral, &next.integral)
	if kind&counterSteps != 0 {
		r.count(&next.first.value, kind, scale)
	}
	if kind&timeSteps != 0 {
		r.hold(next.first.order.At)
	}
	if next.last.compare(&r.last) > 0 {
		r.last = next.last
	}
}

// count adds the step of a counter from the last reading to the next one. After a reset the counter counts
// from zero: so does one whose lower reading is no wrap-around, and one that was negative.
func (r *run) count(next *uint256.Int, kind stepKind, scale int) {
	var step uint256.Int
	step.Sub(next, &r.last.value)
	if step.Sign() >= 0 {
		r.increase.Add(&r.increase, &step)
		return
	}
	r.resets++
	if around, wraps := kind.wrapsAt(scale); wraps && !step.Add(&step, around).Slt(zero) {
		r.increase.Add(&r.increase, &step)
		return
	}
	if next.Sign() > 0 {
		r.increase.Add(&r.increase, next)
	}
}

// hold adds the last value to the integral until a time. Runs of damaged rows may overlap: it then holds for
// no time.
func (r *run) hold(until model.Time) {
	if until <= r.last.order.At {
		return
	}
	area := uint256.NewInt(uint64(until - r.last.order.At))
	r.integral.Add(&r.integral, area.Mul(area, &r.last.value))
}

var zero = new(uint256.Int)

// wrapsAt returns the number at which a counter starts again from zero, at a scale; false if it does not.
func (k stepKind) wrapsAt(scale int) (*uint256.Int, bool) {
	bits := uint(32)
	if k&wrap64Steps != 0 {
		bits = 64
	}
	around := uint256.NewInt(1)
	around.Lsh(around, bits)
	return around.Mul(around, &powersOf10[scale]), k&(wrap32Steps|wrap64Steps) != 0
}

// combine returns the figures of several series together: from the first reading of any to the last.
func combine(runs []run) run {
	all := runs[0]
	for _, r := range runs[1:] {
		if r.first.compare(&all.first) < 0 {
			all.first = r.first
		}
		if r.last.compare(&all.last) > 0 {
			all.last = r.last
		}
		all.increase.Add(&all.increase, &r.increase)
		all.resets += r.resets
		all.integral.Add(&all.integral, &r.integral)
	}
	return all
}
