package item

import (
	"fmt"
	"strconv"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// reader takes attributes out of an item and keeps the first thing that was wrong,
// so that a decoder reads in one sweep and asks once.
type reader struct {
	it  Item
	err error
}

// Whether an attribute may be absent; it then has its zero value.
const (
	required = false
	optional = true
)

// take is the value of an attribute of type want; ok is false where it is absent or
// of another type.
func (r *reader) take(name string, want Type, mayMiss bool) (Value, bool) {
	v, there := r.it[name]
	switch {
	case !there && !mayMiss:
		r.fail(name, "is missing")
	case there && v.Type != want:
		r.fail(name, "has another type than we write")
	}
	return v, there && v.Type == want
}

func (r *reader) fail(name, what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s %s", ErrDamaged, name, what)
	}
}

func (r *reader) string(name string, mayMiss bool) string {
	v, _ := r.take(name, S, mayMiss)
	return v.S
}

func (r *reader) bool(name string, mayMiss bool) bool {
	v, _ := r.take(name, Bool, mayMiss)
	return v.Bool
}

func (r *reader) bytes(name string, mayMiss bool) []byte {
	v, _ := r.take(name, B, mayMiss)
	return v.B
}

// bytes16 reads a nonce, hash or digest.
func (r *reader) bytes16(name string, mayMiss bool) (out [16]byte) {
	v, ok := r.take(name, B, mayMiss)
	if ok && len(v.B) != len(out) {
		r.fail(name, "has another length than 16 bytes")
	}
	copy(out[:], v.B)
	return out
}

// int reads a whole number; absent answers 0.
func (r *reader) int(name string, mayMiss bool) int64 {
	v, ok := r.take(name, N, mayMiss)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(v.S, 10, 64)
	if err != nil {
		r.fail(name, "is no whole number of 64 bits")
		return 0
	}
	return n
}

func (r *reader) time(name string, mayMiss bool) model.Time {
	v, ok := r.take(name, S, mayMiss)
	if !ok {
		return 0
	}
	t, err := model.ParseStored(v.S)
	if err != nil {
		r.fail(name, "is no stored time")
	}
	return t
}

// version reads the format version. A newer one than ours takes precedence over
// whatever else is wrong: what a newer format means by an attribute is not known.
func (r *reader) version(mayMiss bool) int {
	n := r.int(keys.AttrVersion, mayMiss)
	if n > Version {
		r.err = fmt.Errorf("format version %d, this program knows %d: %w", n, Version, ErrNewer)
	} else if n < 1 && r.it[keys.AttrVersion].Type == N {
		r.fail(keys.AttrVersion, "is no version")
	}
	return int(n)
}
