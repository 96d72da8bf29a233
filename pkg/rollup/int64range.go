package rollup

import "github.com/holiman/uint256"

// int64Range is a range of 64-bit integers that contains needs a single comparison for.
// The zero int64Range is empty.
type int64Range struct {
	low  int64
	size uint64
}

func (s int64Range) contains(n int64) bool { return uint64(n)-uint64(s.low) < s.size }

// int64RangeOf returns the range from low to high, both included. It is empty where one
// of them does not fit into 64 bits.
func int64RangeOf(low, high *uint256.Int) int64Range {
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
