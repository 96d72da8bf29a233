package rollup

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/holiman/uint256"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Errors of Decode.
var (
	// ErrNewer reports that a newer program wrote the bytes. Upgrade this program: it must
	// not fold or overwrite them.
	ErrNewer = errors.New("the summary has a newer format than this program reads: upgrade the program")
	// ErrMalformed reports that the bytes are damaged: no program writes them.
	ErrMalformed = errors.New("not the canonical bytes of a summary")
)

// maxEvents bounds counts read from bytes. It is far above the events of any bucket, and
// small enough that no sum of such counts overflows.
const maxEvents = 1 << 48

// Decode reads canonical bytes. The result encodes to the same bytes and has no spec: see Merge. Any other
// bytes are an error. Decode never panics, and its memory use is proportional to len(b).
func Decode(b []byte) (*Summary, error) {
	s, err := decode(b)
	if err != nil {
		return nil, fmt.Errorf("decode summary of %d bytes: %w", len(b), err)
	}
	return s, nil
}

func decode(b []byte) (*Summary, error) {
	if len(b) == 0 || b[0] < oldestVersion {
		return nil, fmt.Errorf("version: %w", ErrMalformed)
	}
	if b[0] > Version {
		return nil, fmt.Errorf("version %d, but this program reads up to version %d: %w", b[0], Version, ErrNewer)
	}
	r := &reader{rest: b[1:]}
	s := r.summary(b[0])
	// An equal summary in another form (a longer varint, trailing zeros, an unused
	// position) encodes to other bytes. So does what encodes to nothing (unknown flags, bytes
	// after the end), and a number that overflowed.
	if r.err == nil && !bytes.Equal(s.Encode(make([]byte, 0, len(b))), b) {
		r.fail("not in canonical form")
	}
	return s, r.err
}

func (r *reader) summary(version byte) *Summary {
	s := &Summary{}
	flags := r.byte()
	s.truncated = flags == truncatedFlag
	if version == truncatedVersion || version > truncatedVersion && s.truncated {
		s.complete = r.text()
	}
	s.events = r.count(maxEvents)
	orders := r.orders()
	s.measures = sorted(r, minMeasureBytes, func(t *totals) { r.measure(t, orders, s.events) },
		func(a, b *totals) int { return strings.Compare(a.name, b.name) })
	if s.truncated && version == oldestVersion {
		r.check(len(s.measures) > 0, "truncated without measures")
		if s.format1 = true; len(s.measures) > 0 {
			s.complete = s.measures[len(s.measures)-1].name
		}
	}
	s.distincts = sorted(r, minDistinctBytes, func(d **distinct) { *d = r.distinct() },
		func(a, b **distinct) int { return strings.Compare((*a).name, (*b).name) })
	s.dimensions = sorted(r, minDimensionBytes, func(d **dimension) { *d = r.dimension(s.events) },
		func(a, b **dimension) int { return strings.Compare((*a).name, (*b).name) })
	if version > truncatedVersion {
		s.details = sorted(r, minDetailBytes, func(d **detail) { *d = r.detail(s) },
			func(a, b **detail) int { return strings.Compare((*a).name, (*b).name) })
		r.check(len(s.details) > 0 || version > detailVersion, "no details")
	}
	if version > detailVersion {
		r.eachMeasure(s, minStepsBytes, r.steps)
	}
	if version > stepsVersion {
		r.members(s)
	}
	return s
}

// The least lengths of elements in bytes.
const (
	minOrderBytes     = 2
	minMeasureBytes   = 4
	minDistinctBytes  = 10
	minDimensionBytes = 3
	minValueBytes     = 2
	minBinBytes       = 2
	minDetailBytes    = 4
	minPartBytes      = 4
	minSumBytes       = 4
	minSetBytes       = 7
	minStepsBytes     = 4
)

func (r *reader) orders() []model.Order {
	at := model.Time(0)
	return sorted(r, minOrderBytes, func(order *model.Order) {
		at += model.Time(r.varint())
		r.check(at >= model.MinTime && at <= model.MaxTime, "time")
		*order = model.Order{At: at, ID: r.text()}
	}, func(a, b *model.Order) int { return a.Compare(*b) })
}

func (r *reader) measure(t *totals, orders []model.Order, events int64) {
	t.name = r.text()
	head := r.byte()
	t.scale = int(head & scaleBits)
	t.count = r.count(events)
	t.invalid = r.count(events - t.count)
	r.check(t.count+t.invalid > 0, "measure without values")
	if t.count == 0 {
		return
	}
	t.rounded = r.count(t.count)
	zeros := int(r.byte())
	if zeros > t.scale {
		r.fail("digits")
		return
	}
	for _, n := range t.linear() {
		*n = r.signed()
		scaleUp(n, zeros)
	}
	t.squares = r.wide()
	scaleUp(&t.squares, 2*zeros)
	t.first.order, t.last.order = r.order(orders), r.order(orders)
	if head&sketchedFlag != 0 {
		t.sketch = r.sketch()
	}
	if r.err == nil {
		r.check(t.plausible(), "numbers that no values can have")
	}
}

// plausible reports whether the numbers are within the bounds that any values have. If
// they are, merging never overflows.
func (t *totals) plausible() bool {
	var limit, n, least, most, squares uint256.Int
	limit.Mul(&powersOf10[model.MaxMeasureDigits], &powersOf10[t.scale])
	for _, v := range [...]*uint256.Int{&t.min, &t.max, &t.first.value, &t.last.value} {
		if n.Abs(v).Gt(&limit) || v.Slt(&t.min) || v.Sgt(&t.max) {
			return false
		}
	}
	n.SetUint64(uint64(t.count))
	least.Mul(&t.min, &n)
	most.Mul(&t.max, &n)
	squares.Mul(limit.Mul(&limit, &limit), &n)
	return !t.sum.Slt(&least) && !t.sum.Sgt(&most) && !t.squares.Gt(&squares) &&
		t.first.compare(&t.last) <= 0 && t.plausibleSketch()
}

func (t *totals) plausibleSketch() bool {
	if len(t.sketch) == 0 {
		return true
	}
	return t.sketch.total() == t.count &&
		t.sketch[0].key == sketchKey(&t.min, t.scale) &&
		t.sketch[len(t.sketch)-1].key == sketchKey(&t.max, t.scale)
}

func (r *reader) sketch() sketch {
	key := int64(0)
	return sorted(r, minBinBytes, func(b *bin) {
		key += r.varint()
		*b = bin{key: int32(key), n: r.count(maxEvents)}
		r.check(b.n > 0, "empty bin")
	}, func(a, b *bin) int { return cmp.Compare(a.key, b.key) })
}

func (r *reader) distinct() *distinct {
	d := newDistinct(r.text(), ofRows)
	r.set(d)
	return d
}

// set reads the hashes or registers of d.
func (r *reader) set(d *distinct) {
	d.hashes = sorted(r, d.form.hashBytes, func(hash *uint64) {
		if b := r.bytes(d.form.hashBytes); b != nil {
			*hash = binary.BigEndian.Uint64(append(slices.Clip(b), 0, 0, 0))
		}
	}, func(a, b *uint64) int { return cmp.Compare(*a, *b) })
	r.check(len(d.hashes) <= d.form.hashes, "too many hashes")
	if len(d.hashes) == 0 {
		d.registers = r.registers(1 << d.form.registerBits)
	}
}

func (r *reader) registers(n int) registers {
	packed := r.bytes(n / 4 * 3)
	if packed == nil {
		return nil
	}
	regs := make(registers, n)
	for i := 0; i < len(regs); i, packed = i+4, packed[3:] {
		four := uint32(packed[0])<<16 | uint32(packed[1])<<8 | uint32(packed[2])
		regs[i] = uint8(four >> 18)
		regs[i+1] = uint8(four >> 12 & 63)
		regs[i+2] = uint8(four >> 6 & 63)
		regs[i+3] = uint8(four & 63)
	}
	r.check(int(slices.Max(regs)) <= regs.restBits()+1, "register")
	return regs
}

func (r *reader) dimension(events int64) *dimension {
	d := &dimension{name: r.text()}
	values := sorted(r, minValueBytes, func(v *ValueCount) {
		*v = ValueCount{Value: r.text(), Count: r.count(events)}
		events -= v.Count
		r.check(v.Count > 0, "value without count")
	}, byValue)
	d.other = r.count(events)
	r.check(len(values) > 0 || d.other > 0, "dimension without values")
	d.counts = make(map[string]int64, len(values))
	for _, v := range values {
		d.counts[v.Value] = v.Count
	}
	return d
}

// order reads an index into the table of positions.
func (r *reader) order(orders []model.Order) model.Order {
	i := r.count(maxEvents)
	if i >= int64(len(orders)) {
		r.fail("position of a value")
		return model.Order{}
	}
	return orders[i]
}

func byValue(a, b *ValueCount) int { return strings.Compare(a.Value, b.Value) }
