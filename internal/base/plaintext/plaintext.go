// Package plaintext says which characters of text a reader cannot see. Text comes from devices and browsers:
// such a character makes two ids look equal, turns the order of what follows, or controls a terminal.
package plaintext

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
)

// fillers are letters without a shape: of Hangul, and the blank of Braille.
var fillers = []rune{'\u115f', '\u1160', '\u3164', '\uffa0', '\u2800'}

// Hidden reports whether a character is a control character (of 7 or 8 bits), a format character (zero width,
// bidirectional, tag), a separator of lines or paragraphs, or a letter without a shape.
func Hidden(r rune) bool {
	if r < 0x7f {
		return r < ' '
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || slices.Contains(fillers, r)
}

// Has reports whether text has a hidden character.
func Has(text string) bool { return strings.ContainsFunc(text, Hidden) }

// Replaced reports whether a character is shown as a dot: each that is hidden but joiners, which words of
// some scripts, and emojis of several characters, have.
func Replaced(r rune) bool {
	return Hidden(r) && r != zeroWidthJoiner && r != zeroWidthNonJoiner
}

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

// EscapeJSON returns JSON that means the same, with the hidden characters of its texts as escapes.
func EscapeJSON(text []byte) []byte {
	plain := func(r rune) bool { return r < 0x7f || !Hidden(r) } // JSON has escaped those below a space
	if !bytes.ContainsFunc(text, func(r rune) bool { return !plain(r) }) {
		return text
	}
	var b strings.Builder
	for _, r := range string(text) {
		if plain(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return []byte(b.String())
}
