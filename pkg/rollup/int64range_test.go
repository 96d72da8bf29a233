package rollup

import (
	"math"
	"testing"

	"github.com/holiman/uint256"
)

func newWide(n int64) *uint256.Int {
	sign := uint64(n >> 63)
	return &uint256.Int{uint64(n), sign, sign, sign}
}

func TestInt64Range_ContainsTheNumbersBetweenItsEnds(t *testing.T) {
	for _, ends := range [][2]int64{{0, 0}, {-5, 7}, {3, 9}, {-9, -3}, {math.MinInt64, 0}, {-1, math.MaxInt64}} {
		s := newInt64Range(newWide(ends[0]), newWide(ends[1]))
		for _, n := range []int64{math.MinInt64, -10, -9, -5, -3, -1, 0, 1, 3, 7, 9, 10, math.MaxInt64} {
			if want := ends[0] <= n && n <= ends[1]; s.contains(n) != want {
				t.Errorf("%d in %v: %v, want %v", n, ends, s.contains(n), want)
			}
		}
	}
}

func TestInt64Range_OfMoreThan64BitsIsEmpty(t *testing.T) {
	wide := uint256.Int{0, 1}
	for _, s := range []int64Range{{}, newInt64Range(newWide(-1), &wide), newInt64Range(
		new(uint256.Int).Neg(&wide), newWide(1)),
		newInt64Range(newWide(math.MinInt64), newWide(math.MaxInt64))} {
		for _, n := range []int64{math.MinInt64, -1, 0, 1, math.MaxInt64} {
			if s.contains(n) {
				t.Errorf("%+v has %d", s, n)
			}
		}
	}
}
