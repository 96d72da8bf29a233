package item

import "strings"

// textBlock is the number of bytes of text that share an allocation.
const textBlock = 64 << 10

// Texts copies bytes to strings, many strings in one allocation. The strings stay valid: a block
// is never overwritten, and is freed after the last string in it. The zero value is ready to
// use; it is not safe for concurrent use.
type Texts struct{ block strings.Builder }

// Add returns a copy of b as a string.
func (t *Texts) Add(b []byte) string {
	if t.block.Cap()-t.block.Len() < len(b) {
		t.block.Reset()
		t.block.Grow(max(textBlock, len(b)))
	}
	from := t.block.Len()
	t.block.Write(b)
	return t.block.String()[from:]
}
