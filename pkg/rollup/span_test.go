package rollup

import (
	"math"
	"testing"

	"github.com/holiman/uint256"
)

func wideOf(n int64) *uint256.Int {
	sign := uint64(n >> 63)
	return &uint256.Int{uint64(n), sign, sign, sign}
}

func TestSpan_HasWhatLiesBetweenItsEnds(t *testing.T) {
	for _, ends := range [][2]int64{{0, 0}, {-5, 7}, {3, 9}, {-9, -3}, {math.MinInt64, 0}, {-1, math.MaxInt64}} {
		s := spanOf(wideOf(ends[0]), wideOf(ends[1]))
		for _, n := range []int64{math.MinInt64, -10, -9, -5, -3, -1, 0, 1, 3, 7, 9, 10, math.MaxInt64} {
			if want := ends[0] <= n && n <= ends[1]; s.has(n) != want {
				t.Errorf("%d in %v: %v, want %v", n, ends, s.has(n), want)
			}
		}
	}
}

func TestSpan_OfMoreThan64BitsHasNothing(t *testing.T) {
	wide := uint256.Int{0, 1}
	for _, s := range []span{{}, spanOf(wideOf(-1), &wide), spanOf(new(uint256.Int).Neg(&wide), wideOf(1)), spanOf(wideOf(math.MinInt64), wideOf(math.MaxInt64))} {
		for _, n := range []int64{math.MinInt64, -1, 0, 1, math.MaxInt64} {
			if s.has(n) {
				t.Errorf("%+v has %d", s, n)
			}
		}
	}
}
