package rollup

import (
	"encoding/binary"
	"fmt"

	"github.com/holiman/uint256"
)

// reader reads values from the front of bytes. After the first failure they have no meaning.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: %w", what, ErrMalformed)
	}
}

// check fails unless ok.
func (r *reader) check(ok bool, what string) {
	if !ok {
		r.fail(what)
	}
}

// sorted reads a list whose elements are at least minBytes long. Every list is sorted and has no duplicates.
// Memory is allocated as elements are read, not by the list's declared length.
func sorted[T any](r *reader, minBytes int, read func(*T), compare func(a, b *T) int) []T {
	const trusted = 64
	n := r.length(minBytes)
	list := make([]T, 0, min(n, trusted))
	for i := 0; i < n && r.err == nil; i++ {
		list = append(list, *new(T))
		read(&list[i])
		r.check(i == 0 || compare(&list[i-1], &list[i]) < 0, "order of a list")
	}
	return list
}

// signed reads what appendSigned writes.
func (r *reader) signed() uint256.Int {
	n := r.wide()
	negative := n[0]&1 == 1
	n.Rsh(&n, 1)
	if negative {
		n.Not(&n)
	}
	return n
}

// wide reads what appendWide writes.
func (r *reader) wide() (n uint256.Int) {
	for shift := uint(0); ; shift += 7 {
		b := r.byte()
		if shift > 252 || shift == 252 && b > 0xf {
			r.fail("number")
			return n
		}
		var digit uint256.Int
		digit.SetUint64(uint64(b & 0x7f))
		n.Or(&n, digit.Lsh(&digit, shift))
		if b < 0x80 {
			return n
		}
	}
}

func (r *reader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// bytes reads n bytes; nil where fewer are left.
func (r *reader) bytes(n int) []byte {
	if n > len(r.rest) {
		r.fail("end")
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) text() string { return string(r.bytes(r.length(1))) }

// length reads the number of elements that follow, each at least minBytes long.
func (r *reader) length(minBytes int) int { return int(r.count(int64(len(r.rest) / minBytes))) }

// count reads a number from 0 to most.
func (r *reader) count(most int64) int64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > uint64(most) {
		r.fail("count")
		return 0
	}
	r.rest = r.rest[size:]
	return int64(n)
}

func (r *reader) varint() int64 {
	n, size := binary.Varint(r.rest)
	if size <= 0 {
		r.fail("step")
		return 0
	}
	r.rest = r.rest[size:]
	return n
}
