package rollup

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/lists"
)

// distinct counts different values by their 64-bit hashes: it stores up to maxHashes hashes themselves, and
// HyperLogLog registers beyond. The form depends on the set of values only, because values are never removed.
type distinct struct {
	name      string
	hashes    []uint64   // sorted, while at most maxHashes
	registers *registers // instead of hashes beyond
}

// registers are those of HyperLogLog: for each value of a hash's first bits, one plus the
// greatest number of leading zeros in the rest of such a hash.
type registers [1 << registerBits]uint8

const (
	maxHashes    = 256
	registerBits = 11
	restBits     = 64 - registerBits
	maxRegister  = restBits + 1
)

func (d *distinct) add(hash uint64) {
	if d.registers != nil {
		d.registers.add(hash)
		return
	}
	i, found := slices.BinarySearch(d.hashes, hash)
	if found {
		return
	}
	d.hashes = slices.Insert(d.hashes, i, hash)
	if len(d.hashes) > maxHashes {
		d.toRegisters()
	}
}

func (d *distinct) toRegisters() {
	d.registers = new(registers)
	for _, hash := range d.hashes {
		d.registers.add(hash)
	}
	d.hashes = nil
}

// merge adds o, which is not changed.
func (d *distinct) merge(o *distinct) {
	for _, hash := range o.hashes {
		d.add(hash)
	}
	if o.registers == nil {
		return
	}
	if d.registers == nil {
		d.toRegisters()
	}
	for i, r := range o.registers {
		d.registers[i] = max(d.registers[i], r)
	}
}

func (r *registers) add(hash uint64) {
	i := hash >> restBits
	zeros := bits.LeadingZeros64(hash<<registerBits | 1<<(registerBits-1))
	r[i] = max(r[i], uint8(zeros+1))
}

// estimate is Ertl's improved estimator (New cardinality estimation algorithms for HyperLogLog sketches,
// 2017). It needs no tables and has a standard error of 2.3 % for few and for very many values. Each product
// is rounded, so that every machine returns the same number.
func (r *registers) estimate() int64 {
	var count [maxRegister + 1]float64
	for _, v := range r {
		count[v]++
	}
	const m = float64(len(r))
	z := float64(m * saturated(1-count[maxRegister]/m))
	for k := restBits; k >= 1; k-- {
		z = 0.5 * (z + count[k])
	}
	z += float64(m * untouched(count[0]/m))
	return int64(math.Round(m * m / (2 * math.Ln2) / z))
}

// untouched is Ertl's sigma, the correction for registers without a value.
func untouched(x float64) float64 {
	if x == 1 {
		return math.Inf(1)
	}
	y, z, before := 1.0, x, -1.0
	for z != before {
		x, before = float64(x*x), z
		z += float64(x * y)
		y += y
	}
	return z
}

// saturated is Ertl's tau, the correction for registers at their maximum.
func saturated(x float64) float64 {
	if x == 0 || x == 1 {
		return 0
	}
	y, z, before := 1.0, 1-x, -1.0
	for z != before {
		x, before = math.Sqrt(x), z
		y *= 0.5
		z -= float64(float64((1-x)*(1-x)) * y)
	}
	return z / 3
}

// Distinct returns how many different values the named field had: exact up to 256, within
// a few per cent beyond. A field without values has exactly 0.
func (s *Summary) Distinct(name string) (n int64, exact bool) {
	i, found := s.findDistinct(name)
	if !found {
		return 0, true
	}
	d := s.distincts[i]
	if d.registers != nil {
		return d.registers.estimate(), false
	}
	return int64(len(d.hashes)), true
}

// DistinctNames returns the names of the fields whose different values were counted, sorted as bytes.
func (s *Summary) DistinctNames() []string {
	return lists.Map(s.distincts, func(d *distinct) string { return d.name })
}

// distinct returns the count of a field, creating it if needed.
func (s *Summary) distinct(name string) *distinct {
	i, found := s.findDistinct(name)
	if !found {
		s.distincts = slices.Insert(s.distincts, i, &distinct{name: name})
	}
	return s.distincts[i]
}

func (s *Summary) findDistinct(name string) (int, bool) {
	return slices.BinarySearchFunc(s.distincts, name, func(d *distinct, name string) int { return strings.Compare(d.name, name) })
}
