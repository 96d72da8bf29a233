package rollup

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"

	"github.com/holiman/uint256"
)

// sketch is a DDSketch with an error of 1 %: the number of values in each of bins whose
// bounds grow by a constant ratio. It is sorted by key, which is the order of the values,
// and has no empty bin. A value's bin is found by comparing integers, so a sketch is the
// same on every machine and depends on the set of values only.
type sketch []bin

// bin counts the values of one key.
type bin struct {
	key int32
	n   int64
}

// Key 0 is zero. Keys from 1 on are the positive numbers from 10^-MaxScale on; negative keys are the negative
// numbers. 10^15 itself has the largest key, because a number below it may round to it.
const leastExponent = -MaxScale

// sketchKey returns the key of n × 10^-scale. Equal numbers have equal keys at every scale.
func sketchKey(n *uint256.Int, scale int) int32 {
	if n.IsZero() {
		return 0
	}
	var magnitude uint256.Int
	magnitude.Abs(n)
	mantissa, digits := leading18(&magnitude)
	return keyAt(mantissa, digits, n.Sign() < 0, scale)
}

// keyOfSmall is sketchKey for a number of at most 18 digits.
func keyOfSmall(magnitude uint64, negative bool, scale int) int32 {
	if magnitude == 0 {
		return 0
	}
	digits := bits.Len64(magnitude) * 1233 >> 12 // as in countDigits
	if magnitude >= powersOf10[digits].Uint64() {
		digits++
	}
	return keyAt(magnitude*powersOf10[18-digits].Uint64(), digits, negative, scale)
}

// keyAt returns the key of the number with the given 18 first digits and number of digits, at scale.
func keyAt(mantissa uint64, digits int, negative bool, scale int) int32 {
	key := int32(1 + (digits-1-scale-leastExponent)*binsPerDecade + binIndex(mantissa))
	if negative {
		return -key
	}
	return key
}

// leading18 returns the first 18 digits of n, padded with zeros, and the number of digits of n.
func leading18(n *uint256.Int) (mantissa uint64, digits int) {
	digits = countDigits(n)
	if digits <= 18 {
		return n.Uint64() * powersOf10[18-digits].Uint64(), digits
	}
	var q uint256.Int
	q.Div(n, &powersOf10[digits-18])
	return q.Uint64(), digits
}

// countDigits returns the number of decimal digits of n, which is below 10^31.
func countDigits(n *uint256.Int) int {
	digits := n.BitLen() * 1233 >> 12 // times log10(2), rounded down
	if digits < len(powersOf10) && !n.Lt(&powersOf10[digits]) {
		digits++
	}
	return digits
}

// valueOfBin returns the value that represents a bin, to five digits: the harmonic mean
// of its bounds, whose relative distance to both is equal.
func valueOfBin(key int32) float64 {
	if key == 0 {
		return 0
	}
	sign := ""
	if key < 0 {
		sign, key = "-", -key
	}
	exponent, i := int(key-1)/binsPerDecade+leastExponent, int(key-1)%binsPerDecade
	low, high := bounds[i], bounds[i+1]
	hi, lo := bits.Mul64(2*low, high)
	mean, _ := bits.Div64(hi, lo, low+high)
	const cut = 1e13
	f, _ := strconv.ParseFloat(sign+strconv.FormatUint((mean+cut/2)/cut, 10)+"e"+strconv.Itoa(exponent-4), 64)
	return f
}

// add counts one more value of a key, and returns the index of its bin. Consecutive values are often similar,
// so add first tries the index that the key has if no key between it and the last one is missing.
func (s sketch) add(key int32, last int) (sketch, int) {
	if last < len(s) {
		if i := last + int(key-s[last].key); uint(i) < uint(len(s)) && s[i].key == key {
			s[i].n++
			return s, i
		}
	}
	i, found := slices.BinarySearchFunc(s, key, func(b bin, key int32) int { return cmp.Compare(b.key, key) })
	if found {
		s[i].n++
		return s, i
	}
	return slices.Insert(s, i, bin{key: key, n: 1}), i
}

// merge returns the sum of both. It changes neither.
func (s sketch) merge(o sketch) sketch {
	out := make(sketch, 0, len(s)+len(o))
	for len(s) > 0 && len(o) > 0 {
		switch c := cmp.Compare(s[0].key, o[0].key); {
		case c < 0:
			out, s = append(out, s[0]), s[1:]
		case c > 0:
			out, o = append(out, o[0]), o[1:]
		default:
			out = append(out, bin{key: s[0].key, n: s[0].n + o[0].n})
			s, o = s[1:], o[1:]
		}
	}
	return append(append(out, s...), o...)
}

// at returns the value at a rank, counted from 1, within 1 %.
func (s sketch) at(rank int64) float64 {
	for _, b := range s {
		if rank -= b.n; rank <= 0 {
			return valueOfBin(b.key)
		}
	}
	return 0
}

// total returns the number of values in s.
func (s sketch) total() (n int64) {
	for _, b := range s {
		n += b.n
	}
	return n
}
