package jsonscan

import "encoding/binary"

// Prefix is a text that is expected to come, made ready to be looked for. The zero value
// is the empty text.
type Prefix struct {
	head, mask [headWords]uint64 // the first bytes of text, and which of them are of it
	text       string
}

const (
	headWords = 4
	headBytes = headWords * 8
)

// NewPrefix makes a text ready.
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

// Pass passes the text at i, Broken where another one stands. The first bytes are
// compared all at once, without a branch for their number: texts in no order to be
// foreseen differ in length.
func (p *Prefix) Pass(b []byte, i int) (end int) {
	if i+headBytes > len(b) {
		return Lead(b, i, p.text)
	}
	at := b[i : i+headBytes]
	differ := (binary.LittleEndian.Uint64(at)^p.head[0])&p.mask[0] |
		(binary.LittleEndian.Uint64(at[8:])^p.head[1])&p.mask[1] |
		(binary.LittleEndian.Uint64(at[16:])^p.head[2])&p.mask[2] |
		(binary.LittleEndian.Uint64(at[24:])^p.head[3])&p.mask[3]
	if differ != 0 {
		return Broken
	}
	if len(p.text) > headBytes {
		return Lead(b, i, p.text)
	}
	return i + len(p.text)
}

// Lead passes text that is equal to what is expected at i, Broken where it is not.
func Lead(b []byte, i int, expected string) int {
	if end := i + len(expected); end <= len(b) && string(b[i:end]) == expected {
		return end
	}
	return Broken
}
