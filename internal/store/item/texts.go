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

// hashText is the length of a hash in base64.
const hashText = 24

// setHash decodes 16 bytes from standard base64: 22 digits of 6 bits and two padding
// characters. It returns false for invalid text.
func (f *rawItem) setHash(text []byte) bool {
	if len(text) != hashText || text[22] != '=' || text[23] != '=' {
		return false
	}
	var all uint8
	for i := range 5 {
		four := text[4*i : 4*i+4 : 4*i+4]
		a := sixBits[four[0]]
		b := sixBits[four[1]]
		c := sixBits[four[2]]
		d := sixBits[four[3]]
		all |= a | b | c | d
		f.hash[3*i] = a<<2 | b>>4
		f.hash[3*i+1] = b<<4 | c>>2
		f.hash[3*i+2] = c<<6 | d
	}
	a, b := sixBits[text[20]], sixBits[text[21]]
	f.hash[15] = a<<2 | b>>4
	return (all|a|b)&noDigit == 0
}

// sixBits maps each base64 digit to its value, and other bytes to noDigit.
var sixBits = func() (table [256]uint8) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for c := range table {
		table[c] = noDigit
	}
	for value, c := range []byte(digits) {
		table[c] = uint8(value)
	}
	return table
}()

const noDigit = 1 << 7
