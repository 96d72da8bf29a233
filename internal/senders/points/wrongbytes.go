package points

import (
	"strings"
	"unicode/utf8"
)

// firstWrong is the character of the byte 0 in a text of Escape. Plane 16 is for private use.
const firstWrong = 0x10FF00

// Escape returns a text with a character in place of each byte that is not UTF-8. Decoders of protocols refuse
// a whole body for one such byte; Unescape returns the bytes to the part that has them.
func Escape(text []byte) []byte {
	escaped := make([]byte, 0, len(text)+utf8.UTFMax)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			r = firstWrong + rune(text[0])
		}
		escaped = utf8.AppendRune(escaped, r)
		text = text[size:]
	}
	return escaped
}

// Unescape returns a part of an escaped text as it was.
func Unescape(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r >= firstWrong {
			b.WriteByte(byte(r - firstWrong))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
