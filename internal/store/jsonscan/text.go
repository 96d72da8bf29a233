package jsonscan

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// Raw is the text of a string between its quotes.
type Raw struct {
	Bytes []byte
	// Plain is true if the bytes are ASCII without escapes. Otherwise the string is the result of Unescape.
	Plain bool
}

// Eight bytes are tested at a time, by arithmetic on a word.
const (
	each = 0x0101010101010101
	high = 0x8080808080808080
)

// special sets the high bit of each byte of w that is not plain text: quotes, backslashes, control characters
// and bytes above ASCII. Only the lowest mark is reliable, because a borrow can set higher ones.
func special(w uint64) uint64 {
	quote, slash := w^each*'"', w^each*'\\'
	return ((quote-each)&^quote | (slash-each)&^slash | (w - each*' ') | w) & high
}

// String scans a string whose opening quote is before i. end is the index of the closing
// quote, or Invalid. plain is as in Raw.
func String(b []byte, i int) (end int, plain bool) {
	for ; i+8 <= len(b); i += 8 {
		if marks := special(binary.LittleEndian.Uint64(b[i:])); marks != 0 {
			i += lowest(marks)
			if b[i] == '"' {
				return i, true
			}
			break
		}
	}
	return stringFrom(b, i)
}

// stringFrom is String byte by byte.
func stringFrom(b []byte, i int) (end int, plain bool) {
	plain = true
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i, plain
		case c == '\\':
			plain = false
			if i = escape(b, i+1); i == Invalid {
				return Invalid, false
			}
		case c < ' ':
			return Invalid, false
		case c >= utf8.RuneSelf:
			plain = false
		}
	}
	return Invalid, false
}

// escape checks an escape whose backslash is before i. It returns the index of its last byte.
func escape(b []byte, i int) int {
	if i >= len(b) {
		return Invalid
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i
	case 'u':
		if _, ok := hex4(b, i+1); ok {
			return i + 4
		}
	}
	return Invalid
}

func hex4(b []byte, i int) (r rune, ok bool) {
	if i+4 > len(b) {
		return 0, false
	}
	for _, c := range b[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

var escaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// Unescape appends the text of raw, which String has scanned, to dst. ok is false if it is not
// UTF-8 or contains half a surrogate pair, so that the intended text is unknown.
func Unescape(dst, raw []byte) (_ []byte, ok bool) {
	for i := 0; i < len(raw); {
		c := raw[i]
		switch {
		case c == '\\' && raw[i+1] == 'u':
			r, size := surrogates(raw, i)
			if size == 0 {
				return dst, false
			}
			dst = utf8.AppendRune(dst, r)
			i += size
		case c == '\\':
			dst = append(dst, escaped[raw[i+1]])
			i += 2
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, size := utf8.DecodeRune(raw[i:])
			if r == utf8.RuneError && size == 1 {
				return dst, false
			}
			dst = append(dst, raw[i:i+size]...)
			i += size
		}
	}
	return dst, true
}

// surrogates decodes the \u escape at i, and the next one if they are a surrogate pair. size
// is the number of bytes, 0 for half a pair.
func surrogates(raw []byte, i int) (r rune, size int) {
	first, _ := hex4(raw, i+2)
	if !utf16.IsSurrogate(first) {
		return first, 6
	}
	if i+12 > len(raw) || raw[i+6] != '\\' || raw[i+7] != 'u' {
		return 0, 0
	}
	second, _ := hex4(raw, i+8)
	if r = utf16.DecodeRune(first, second); r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}
