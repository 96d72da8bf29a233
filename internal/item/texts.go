package item

import "strings"

// textRoom is how many bytes of text share an allocation.
const textRoom = 64 << 10

// Texts copies bytes to strings, many to an allocation. The strings are for good:
// room is never written over, and goes when the last string in it does. The zero
// value is ready; it is not safe for concurrent use.
type Texts struct{ room strings.Builder }

// Add is b as a string of its own.
func (t *Texts) Add(b []byte) string {
	if t.room.Cap()-t.room.Len() < len(b) {
		t.room.Reset()
		t.room.Grow(max(textRoom, len(b)))
	}
	from := t.room.Len()
	t.room.Write(b)
	return t.room.String()[from:]
}
