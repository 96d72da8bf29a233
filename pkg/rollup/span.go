package rollup

import "github.com/holiman/uint256"

// span is a range of numbers of 64 bits, so that whether one is in it takes a single
// comparison. The zero span has none.
type span struct {
	low  int64
	size uint64
}

func (s span) has(n int64) bool { return uint64(n)-uint64(s.low) < s.size }

// spanOf is all from low to high; that of none where 64 bits do not hold them.
func spanOf(low, high *uint256.Int) span {
	if !fits64(low) || !fits64(high) {
		return span{}
	}
	return span{int64(low[0]), high[0] - low[0] + 1}
}

// fits64 reports whether n, in two's complement, is one of 64 bits.
func fits64(n *uint256.Int) bool {
	sign := uint64(int64(n[0]) >> 63)
	return n[1] == sign && n[2] == sign && n[3] == sign
}
