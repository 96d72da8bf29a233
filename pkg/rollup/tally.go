package rollup

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

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
	bin           int    // where the last value went in it: a guess for the next
	within        span   // values here change neither min nor max
}

// mark is a value with the place of its event in the series.
type mark struct {
	order model.Order
	value uint256.Int
}

// compare orders marks by event time, then id. Two events with one identity are of
// two series, merged on reading: then the value decides, so that order never does.
func (m *mark) compare(o *mark) int { return m.compareTo(&o.order, &o.value) }

// compareTo is negative when m comes before a value at a place.
func (m *mark) compareTo(order *model.Order, value *uint256.Int) int {
	if m.order.At != order.At {
		return cmp.Compare(m.order.At, order.At)
	}
	return m.compareTie(order, value)
}

// compareTie is compareTo of two at one time.
func (m *mark) compareTie(order *model.Order, value *uint256.Int) int {
	if c := strings.Compare(m.order.ID, order.ID); c != 0 {
		return c
	}
	switch {
	case m.value.Slt(value):
		return -1
	case m.value.Sgt(value):
		return 1
	}
	return 0
}

// add takes in one value, rounded half to even at scale, which is not above t's.
func (t *tally) add(value *model.Decimal, scale int, sketched bool, order *model.Order) {
	if n, ok := value.Scaled64(scale); ok && scale == t.scale {
		t.addSmall(n, sketched, order)
		return
	}
	n, exact, ok := value.Scaled(scale)
	if !ok {
		t.invalid++
		return
	}
	if !exact {
		t.quantised++
	}
	scaleUp(&n, t.scale-scale)
	if t.sketches(sketched) {
		t.addKey(keyOf(&n, t.scale))
	}
	var square uint256.Int
	square.Abs(&n)
	square.Mul(&square, &square)
	t.widen(&n)
	t.addNumber(&n, &square, order)
}

// addSmall is add of what 64 bits hold, by which nearly every value comes in.
func (t *tally) addSmall(n int64, sketched bool, order *model.Order) {
	sign := uint64(n >> 63) // in all bits
	magnitude := (uint64(n) ^ sign) - sign
	if t.sketches(sketched) {
		t.addKey(keyOfSmall(magnitude, n < 0, t.scale))
	}
	value := uint256.Int{uint64(n), sign, sign, sign}
	if !t.within.has(n) {
		t.widen(&value)
	}
	high, low := bits.Mul64(magnitude, magnitude)
	t.addNumber(&value, &uint256.Int{low, high}, order)
}

// widen has min and max take n in.
func (t *tally) widen(n *uint256.Int) {
	if t.count == 0 || n.Slt(&t.min) {
		t.min = *n
	}
	if t.count == 0 || n.Sgt(&t.max) {
		t.max = *n
	}
	t.within = spanOf(&t.min, &t.max)
}

// addNumber takes in n, which is between min and max, and its square.
func (t *tally) addNumber(n, square *uint256.Int, order *model.Order) {
	if t.count == 0 || t.first.compareTo(order, n) > 0 {
		t.first = mark{order: *order, value: *n}
	}
	if t.count == 0 || t.last.compareTo(order, n) < 0 {
		t.last = mark{order: *order, value: *n}
	}
	t.squares.Add(&t.squares, square)
	t.sum.Add(&t.sum, n)
	t.count++
}

// sketches reports whether the next value goes into the sketch, which is kept whole or
// not at all.
func (t *tally) sketches(sketched bool) bool {
	if !sketched {
		t.sketch = nil
	}
	return sketched && (t.count == 0 || len(t.sketch) > 0)
}

func (t *tally) addKey(key int32) { t.sketch, t.bin = t.sketch.add(key, t.bin) }

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
	t.scale, t.within = scale, span{}
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
