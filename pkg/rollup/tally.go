package rollup

import (
	"slices"

	"github.com/holiman/uint256"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// tally is what a summary keeps of one measure. Numbers are integers at its scale,
// in two's complement of 256 bits: 2^40 squares of values below 10^15 at the largest
// scale fit, so nothing is ever rounded after it came in.
type tally struct {
	name      string
	scale     int   // may only grow
	count     int64 // valid values
	invalid   int64 // null, not a number, or out of range
	quantised int64 // valid values that had finer digits than the scale

	// What follows means something where count > 0.
	sum, min, max uint256.Int
	squares       uint256.Int // at twice the scale
	first, last   mark
	sketch        sketch // empty where not every value is in it
}

// mark is a value with the place of its event in the series.
type mark struct {
	order model.Order
	value uint256.Int
}

// compare orders marks by event time, then id. Two events with one identity are of
// two series, merged on reading: then the value decides, so that order never does.
func (m *mark) compare(o *mark) int {
	if c := m.order.Compare(o.order); c != 0 {
		return c
	}
	switch {
	case m.value.Slt(&o.value):
		return -1
	case m.value.Sgt(&o.value):
		return 1
	}
	return 0
}

// add takes in one value, rounded half to even at scale, which is not above t's.
func (t *tally) add(value model.Decimal, scale int, sketched bool, order model.Order) {
	n, exact, ok := value.Scaled(scale)
	if !ok {
		t.invalid++
		return
	}
	if !exact {
		t.quantised++
	}
	scaleUp(&n, t.scale-scale)
	t.addSketch(&n, sketched)
	t.addNumber(&n, mark{order: order, value: n})
}

func (t *tally) addNumber(n *uint256.Int, at mark) {
	if t.count == 0 || n.Slt(&t.min) {
		t.min = *n
	}
	if t.count == 0 || n.Sgt(&t.max) {
		t.max = *n
	}
	if t.count == 0 || at.compare(&t.first) < 0 {
		t.first = at
	}
	if t.count == 0 || at.compare(&t.last) > 0 {
		t.last = at
	}
	var square uint256.Int
	square.Abs(n)
	square.Mul(&square, &square)
	t.squares.Add(&t.squares, &square)
	t.sum.Add(&t.sum, n)
	t.count++
}

// addSketch keeps the sketch whole or not at all.
func (t *tally) addSketch(n *uint256.Int, sketched bool) {
	switch {
	case !sketched:
		t.sketch = nil
	case t.count == 0 || len(t.sketch) > 0:
		t.sketch = t.sketch.add(keyOf(n, t.scale), 1)
	}
}

// merge takes in all of o, which is not changed.
func (t *tally) merge(o *tally) {
	part := *o
	part.grow(t.scale)
	t.grow(part.scale)
	t.invalid += part.invalid
	switch {
	case part.count == 0:
		return
	case t.count == 0:
		part.name, part.invalid, part.sketch = t.name, t.invalid, slices.Clone(part.sketch)
		*t = part
		return
	}
	t.quantised += part.quantised
	t.mergeSketch(part.sketch)
	if part.min.Slt(&t.min) {
		t.min = part.min
	}
	if part.max.Sgt(&t.max) {
		t.max = part.max
	}
	if part.first.compare(&t.first) < 0 {
		t.first = part.first
	}
	if part.last.compare(&t.last) > 0 {
		t.last = part.last
	}
	t.sum.Add(&t.sum, &part.sum)
	t.squares.Add(&t.squares, &part.squares)
	t.count += part.count
}

func (t *tally) mergeSketch(o sketch) {
	if len(t.sketch) == 0 || len(o) == 0 {
		t.sketch = nil
		return
	}
	t.sketch = t.sketch.merge(o)
}

func (t *tally) clone() tally {
	c := *t
	c.sketch = slices.Clone(t.sketch)
	return c
}

// grow raises the scale, exactly.
func (t *tally) grow(scale int) {
	more := scale - t.scale
	if more <= 0 {
		return
	}
	t.scale = scale
	for _, n := range t.linear() {
		scaleUp(n, more)
	}
	scaleUp(&t.squares, 2*more)
}

// linear are the numbers at the tally's scale, in the order they are stored.
func (t *tally) linear() [5]*uint256.Int {
	return [...]*uint256.Int{&t.sum, &t.min, &t.max, &t.first.value, &t.last.value}
}

// scaleUp multiplies n by 10^digits, exactly.
func scaleUp(n *uint256.Int, digits int) {
	if digits > 0 {
		n.Mul(n, &powersOf10[digits])
	}
}

// powersOf10 reach as far as the square of the largest scale.
var powersOf10 = func() (powers [2*MaxScale + 1]uint256.Int) {
	powers[0].SetOne()
	for i := 1; i < len(powers); i++ {
		powers[i].Mul(&powers[i-1], uint256.NewInt(10))
	}
	return powers
}()
