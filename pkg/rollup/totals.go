package rollup

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/holiman/uint256"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// totals are the totals of one measure. Numbers are integers at its scale, in two's complement of 256 bits.
// 2^40 squares of values below 10^15 fit at the largest scale, so nothing is rounded after a value was added.
type totals struct {
	name    string
	scale   int   // never reduced
	count   int64 // valid values
	invalid int64 // null, not a number, or out of range
	rounded int64 // valid values with finer digits than the scale

	// The rest is valid where count > 0.
	sum, min, max uint256.Int
	squares       uint256.Int // at twice the scale
	first, last   orderedValue
	sketch        sketch      // empty where a value is not in it
	bin           int         // index of the last value's bin: the next value is likely near
	range64       int64Range  // values in it change neither min nor max
	steps         steps       // of declared measures alone
	members       memberLists // of groups; nil if no list is known
}

// orderedValue is a value with the position of its event in the series.
type orderedValue struct {
	order model.Order
	value uint256.Int
}

// compare orders by event time, then id. Two events with the same time and id are of two series that are
// merged on reading: then the value decides, so that the result does not depend on the order of merging.
func (m *orderedValue) compare(o *orderedValue) int { return m.compareTo(&o.order, &o.value) }

// compareTo is compare with a value and its position.
func (m *orderedValue) compareTo(order *model.Order, value *uint256.Int) int {
	if m.order.At != order.At {
		return cmp.Compare(m.order.At, order.At)
	}
	return m.compareTie(order, value)
}

// compareTie is compareTo for equal times.
func (m *orderedValue) compareTie(order *model.Order, value *uint256.Int) int {
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

// add adds one value, rounded half to even at the declared scale, which is at most t's scale.
func (t *totals) add(value *model.Decimal, as *MeasureSpec, order *model.Order) {
	if n, ok := value.Scaled64(as.Scale); ok && as.Scale == t.scale {
		t.addSmall(n, as, order)
		return
	}
	n, exact, ok := value.Scaled(as.Scale)
	if !ok {
		t.invalid++
		return
	}
	if !exact {
		t.rounded++
	}
	scaleUp(&n, t.scale-as.Scale)
	if t.keepsSketch(as.Percentiles) {
		t.addKey(sketchKey(&n, t.scale))
	}
	var square uint256.Int
	square.Abs(&n)
	square.Mul(&square, &square)
	t.widen(&n)
	t.addNumber(&n, &square, as, order)
}

// addSmall is add for a number of 64 bits, which nearly every value is.
func (t *totals) addSmall(n int64, as *MeasureSpec, order *model.Order) {
	sign := uint64(n >> 63) // in all bits
	magnitude := (uint64(n) ^ sign) - sign
	if t.keepsSketch(as.Percentiles) {
		t.addKey(keyOfSmall(magnitude, n < 0, t.scale))
	}
	value := uint256.Int{uint64(n), sign, sign, sign}
	if !t.range64.contains(n) {
		t.widen(&value)
	}
	high, low := bits.Mul64(magnitude, magnitude)
	t.addNumber(&value, &uint256.Int{low, high}, as, order)
}

// widen extends min and max to n.
func (t *totals) widen(n *uint256.Int) {
	if t.count == 0 || n.Slt(&t.min) {
		t.min = *n
	}
	if t.count == 0 || n.Sgt(&t.max) {
		t.max = *n
	}
	t.range64 = newInt64Range(&t.min, &t.max)
}

// addNumber adds n, which is between min and max, and its square.
func (t *totals) addNumber(n, square *uint256.Int, as *MeasureSpec, order *model.Order) {
	if kind := as.steps(); kind|t.steps.kind != 0 {
		t.steps.add(kind, t.count == 0, n, order)
	}
	if t.count == 0 || t.first.compareTo(order, n) > 0 {
		t.first = orderedValue{order: *order, value: *n}
	}
	if t.count == 0 || t.last.compareTo(order, n) < 0 {
		t.last = orderedValue{order: *order, value: *n}
	}
	t.squares.Add(&t.squares, square)
	t.sum.Add(&t.sum, n)
	t.count++
}

// keepsSketch reports whether the next value is added to the sketch. It drops a sketch
// that would miss a value.
func (t *totals) keepsSketch(sketched bool) bool {
	if !sketched {
		t.sketch = nil
	}
	return sketched && (t.count == 0 || len(t.sketch) > 0)
}

func (t *totals) addKey(key int32) { t.sketch, t.bin = t.sketch.add(key, t.bin) }

// merge adds o, which is not changed. sameBucket says that it is of another member in the same bucket of a
// group.
func (t *totals) merge(o *totals, sameBucket bool) {
	part := *o
	part.steps = o.steps.clone()
	part.grow(t.scale)
	t.grow(part.scale)
	t.invalid += part.invalid
	switch {
	case part.count == 0:
		return
	case t.count == 0:
		part.name = t.name
		part.invalid = t.invalid
		part.sketch = slices.Clone(part.sketch)
		part.members = slices.Clone(part.members)
		*t = part
		return
	}
	t.rounded += part.rounded
	t.mergeSketch(part.sketch)
	t.steps.merge(&part.steps)
	t.members = t.members.merge(part.members, sameBucket)
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

func (t *totals) mergeSketch(o sketch) {
	if len(t.sketch) == 0 || len(o) == 0 {
		t.sketch = nil
		return
	}
	t.sketch = t.sketch.merge(o)
}

func (t *totals) clone() totals {
	c := *t
	c.sketch = slices.Clone(t.sketch)
	c.steps = t.steps.clone()
	c.members = slices.Clone(t.members)
	return c
}

// grow raises the scale. Values stay exact.
func (t *totals) grow(scale int) {
	more := scale - t.scale
	if more <= 0 {
		return
	}
	t.scale, t.range64 = scale, int64Range{}
	for _, n := range t.linear() {
		scaleUp(n, more)
	}
	scaleUp(&t.squares, 2*more)
	t.steps.grow(more)
	t.members = t.members.grow(more)
}

// linear returns the numbers at the scale of t, in the order in which they are stored.
func (t *totals) linear() [5]*uint256.Int {
	return [...]*uint256.Int{&t.sum, &t.min, &t.max, &t.first.value, &t.last.value}
}

// scaleUp multiplies n by 10^digits, exactly.
func scaleUp(n *uint256.Int, digits int) {
	if digits > 0 {
		n.Mul(n, &powersOf10[digits])
	}
}

// powersOf10 are enough for the square of the largest scale.
var powersOf10 = func() (powers [2*MaxScale + 1]uint256.Int) {
	powers[0].SetOne()
	for i := 1; i < len(powers); i++ {
		powers[i].Mul(&powers[i-1], uint256.NewInt(10))
	}
	return powers
}()

// int64Range is a range of 64-bit integers that contains needs a single comparison for.
// The zero int64Range is empty.
type int64Range struct {
	low  int64
	size uint64
}

func (s int64Range) contains(n int64) bool { return uint64(n)-uint64(s.low) < s.size }

// newInt64Range returns the range from low to high, both included. It is empty where one
// of them does not fit into 64 bits.
func newInt64Range(low, high *uint256.Int) int64Range {
	if !fits64(low) || !fits64(high) {
		return int64Range{}
	}
	return int64Range{int64(low[0]), high[0] - low[0] + 1}
}

// fits64 reports whether n, in two's complement, fits into 64 bits.
func fits64(n *uint256.Int) bool {
	sign := uint64(int64(n[0]) >> 63)
	return n[1] == sign && n[2] == sign && n[3] == sign
}
