package jsonscan

import (
	"bytes"

	"golang.org/x/text/transform"
)

// notNumbers are the values that programs such as Python's json and DuckDB write for numbers that JSON does
// not have, and what they become: no value, or a text.
var notNumbers = []struct{ word, value string }{
	{"NaN", "null"}, {"Infinity", `"Infinity"`}, {"-Infinity", `"-Infinity"`},
}

// ReplaceNotNumbers returns a text with null in place of NaN, and with Infinity as a string. found is false,
// and the text the same, if it has neither outside of its strings. The text need not be valid.
func ReplaceNotNumbers(text []byte) (replaced []byte, found bool) {
	within := func(word string) bool { return bytes.Contains(text, []byte(word)) }
	if !within("NaN") && !within("Infinity") { // nearly all texts
		return text, false
	}
	replaced, _, err := transform.Bytes(&NotNumbers{}, text)
	return replaced, err == nil && len(replaced) > len(text) // each value is longer than its word
}

// NotNumbers is ReplaceNotNumbers for a text that is read in parts. It is a transform.Transformer.
type NotNumbers struct {
	inString, escaped bool
}

// Reset implements transform.Transformer.
func (t *NotNumbers) Reset() { *t = NotNumbers{} }

// Transform implements transform.Transformer.
func (t *NotNumbers) Transform(dst, src []byte, atEOF bool) (written, read int, err error) {
	for read < len(src) {
		word, value, partly := t.word(src[read:])
		switch {
		case partly && !atEOF:
			return written, read, transform.ErrShortSrc
		case written+max(len(value), 1) > len(dst):
			return written, read, transform.ErrShortDst
		case word != "":
			written += copy(dst[written:], value)
			read += len(word)
			continue
		}
		t.next(src[read])
		dst[written] = src[read]
		written, read = written+1, read+1
	}
	return written, read, nil
}

// word returns the word of notNumbers that a text begins with, and its value. partly is true if the text may
// be the beginning of one.
func (t *NotNumbers) word(text []byte) (word, value string, partly bool) {
	if t.inString || text[0] != 'N' && text[0] != 'I' && text[0] != '-' {
		return "", "", false
	}
	for _, w := range notNumbers {
		if bytes.HasPrefix(text, []byte(w.word)) {
			return w.word, w.value, false
		}
		partly = partly || bytes.HasPrefix([]byte(w.word), text)
	}
	return "", "", partly
}

// next follows whether the text is in a string.
func (t *NotNumbers) next(c byte) {
	switch {
	case t.escaped:
		t.escaped = false
	case t.inString && c == '\\':
		t.escaped = true
	case c == '"':
		t.inString = !t.inString
	}
}
