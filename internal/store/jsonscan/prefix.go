package jsonscan

import "encoding/binary"

// Prefix is an expected text, prepared for fast comparison. The zero value is the empty text.
type Prefix struct {
	head, mask [headWords]uint64 // the first bytes of text, and a mask of those that belong to it
	text       string
}

const (
	headWords = 4
	headBytes = headWords * 8
)

// NewPrefix prepares text.
func NewPrefix(text string) Prefix {
	var head, mask [headBytes]byte
	for i := range copy(head[:], text) {
		mask[i] = 0xff
	}
	p := Prefix{text: text}
	for w := range headWords {
		p.head[w], p.mask[w] = binary.LittleEndian.Uint64(head[8*w:]), binary.LittleEndian.Uint64(mask[8*w:])
	}
	return p
}

// Match returns the index after the text if it is at i, else Invalid. It compares the first
// bytes without branches, because the lengths of texts are not predictable.
func (p *Prefix) Match(b []byte, i int) (end int) {
	if i+headBytes > len(b) {
		return Match(b, i, p.text)
	}
	at := b[i : i+headBytes]
	differ := (binary.LittleEndian.Uint64(at)^p.head[0])&p.mask[0] |
		(binary.LittleEndian.Uint64(at[8:])^p.head[1])&p.mask[1] |
		(binary.LittleEndian.Uint64(at[16:])^p.head[2])&p.mask[2] |
		(binary.LittleEndian.Uint64(at[24:])^p.head[3])&p.mask[3]
	if differ != 0 {
		return Invalid
	}
	if len(p.text) > headBytes {
		return Match(b, i, p.text)
	}
	return i + len(p.text)
}

// Match returns the index after expected if it is at i, else Invalid.
func Match(b []byte, i int, expected string) int {
	if end := i + len(expected); end <= len(b) && string(b[i:end]) == expected {
		return end
	}
	return Invalid
}
