package points

import (
	"strings"
	"unicode/utf8"
)

// firstWrong is the character of the byte 0 in a text of Escape. Plane 16 is for private use.
const firstWrong = 0x10FF00

// Escape returns a text with a character in place of each byte that is not UTF-8, and of the bytes of such a
// character. Decoders of protocols refuse
// a whole body for one such byte; Unescape returns the bytes to the part that has them.
func Escape(text []byte) []byte {
	escaped := make([]byte, 0, len(text)+utf8.UTFMax)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if isWrong := r == utf8.RuneError && size == 1; !isWrong && r < firstWrong {
			escaped = append(escaped, text[:size]...)
		} else {
			for _, b := range text[:size] {
				escaped = utf8.AppendRune(escaped, firstWrong+rune(b))
			}
		}
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
