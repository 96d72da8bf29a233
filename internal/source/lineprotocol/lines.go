package lineprotocol

import (
	"bytes"
	"io"
)

// lineReader returns one line of a text, or a part of it, at each Read. The decoder reads on
// only when it has used all that it has, so given is the line on which it begins a point.
type lineReader struct {
	rest  []byte
	given int  // lines of which a part was returned
	open  bool // the last of them continues
}

// Read implements io.Reader.
func (r *lineReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	if !r.open {
		r.given++
	}
	part := r.rest[:min(len(p), len(r.rest))]
	end := bytes.IndexByte(part, '\n') + 1
	if r.open = end == 0; !r.open {
		part = part[:end]
	}
	r.rest = r.rest[len(part):]
	return copy(p, part), nil
}
