package item

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/store/storedtime"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// reader decodes attributes of an item and keeps the first error, so that a decoder checks for
// an error only once.
type reader struct {
	it  Item
	err error
}

// newReader returns a reader of an item that has a format version.
func newReader(it Item) reader {
	r := reader{it: it}
	r.version(required)
	return r
}

// decoded returns v or, if r has an error, no value and the error, which says what was read.
func decoded[T any](r *reader, v T, format string, args ...any) (_ T, err error) {
	if r.err != nil {
		return *new(T), fmt.Errorf("read %s: %w", fmt.Sprintf(format, args...), r.err)
	}
	return v, nil
}

// Whether an attribute may be absent. It then has its zero value.
const (
	required = false
	optional = true
)

// value returns an attribute of type want. ok is false if it is absent or has another type.
func (r *reader) value(name string, want Type, mayBeAbsent bool) (_ Value, ok bool) {
	v, exists := r.it[name]
	switch {
	case !exists && !mayBeAbsent:
		r.fail(name, "is missing")
	case exists && v.Type != want:
		r.fail(name, "has an unexpected type")
	}
	return v, exists && v.Type == want
}

func (r *reader) fail(name, what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s %s", ErrDamaged, name, what)
	}
}

func (r *reader) string(name string, mayBeAbsent bool) string {
	v, _ := r.value(name, S, mayBeAbsent)
	return v.S
}

func (r *reader) bool(name string, mayBeAbsent bool) bool {
	v, _ := r.value(name, Bool, mayBeAbsent)
	return v.Bool
}

func (r *reader) bytes(name string, mayBeAbsent bool) []byte {
	v, _ := r.value(name, B, mayBeAbsent)
	return v.B
}

// bytes16 decodes a nonce, hash or digest.
func (r *reader) bytes16(name string, mayBeAbsent bool) (out [16]byte) {
	v, ok := r.value(name, B, mayBeAbsent)
	if ok && len(v.B) != len(out) {
		r.fail(name, "is not 16 bytes long")
	}
	copy(out[:], v.B)
	return out
}

// int decodes an integer. It is 0 if absent.
func (r *reader) int(name string, mayBeAbsent bool) int64 {
	v, ok := r.value(name, N, mayBeAbsent)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(v.S, 10, 64)
	if err != nil {
		r.fail(name, "is not an integer of 64 bits")
		return 0
	}
	return n
}

func (r *reader) time(name string, mayBeAbsent bool) model.Time {
	v, ok := r.value(name, S, mayBeAbsent)
	if !ok {
		return 0
	}
	t, err := storedtime.Parse(v.S)
	if err != nil {
		r.fail(name, "is not a stored time")
	}
	return t
}

// json decodes a JSON document. what says what it is not if that fails.
func (r *reader) json(name string, to any, what string, mayBeAbsent bool) {
	if text := r.string(name, mayBeAbsent); r.err == nil && (text != "" || !mayBeAbsent) &&
		json.Unmarshal([]byte(text), to) != nil {
		r.fail(name, what)
	}
}

// setJSON sets an attribute to the JSON of plain data, which cannot fail.
func (it Item) setJSON(name string, v any) {
	text, _ := json.Marshal(v)
	it[name] = stringValue(string(text))
}

// setExpiry sets the time of expiry, if there is one.
func (it Item) setExpiry(at int64) {
	if at != 0 {
		it[keys.AttrExpiresAt] = Number(at)
	}
}

// version decodes the format version. A version newer than ours replaces any other error,
// because the meaning of attributes in a newer format is not known.
func (r *reader) version(mayBeAbsent bool) int {
	n := r.int(keys.AttrVersion, mayBeAbsent)
	if n > Version {
		r.err = fmt.Errorf("format version %d, newer than %d: %w", n, Version, ErrNewer)
	} else if n < 1 && r.it[keys.AttrVersion].Type == N {
		r.fail(keys.AttrVersion, "is not a version")
	}
	return int(n)
}

// CheckVersion returns an error that wraps ErrNewer if a newer version of this program wrote the item.
func CheckVersion(it Item) error {
	r := reader{it: it}
	if r.version(optional); errors.Is(r.err, ErrNewer) {
		return r.err
	}
	return nil
}
