package formats

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"strings"
)

// formulaCell is a cell that begins with an equals sign before its quotes, ="0123": programs write so what a
// spreadsheet must not take for a number.
var formulaCell = regexp.MustCompile(`(^|[\n,;\t|])="`)

// withoutFormulas returns the layout, and the source of its rows, without equals signs before quotes.
func withoutFormulas(l layout, source io.Reader) (layout, io.Reader) {
	if !formulaCell.Match(l.start) {
		return l, source
	}
	cleaned := func(r io.Reader) io.Reader { return &formulaReader{text: bufio.NewReader(r), begins: true} }
	l.start, _ = io.ReadAll(cleaned(bytes.NewReader(l.start))) // bytes cannot fail
	return l, cleaned(source)
}

// formulaReader leaves out the equals signs before the quotes of cells. In quotes, it changes nothing.
type formulaReader struct {
	text    *bufio.Reader
	begins  bool // the next byte is the first of a cell
	quoted  bool // the next byte is in quotes
	escaped bool // the next byte is the second of two quotes, which are one in a text
}

func (r *formulaReader) Read(into []byte) (n int, err error) {
	for n < len(into) && (n == 0 || r.text.Buffered() > 1) {
		b, err := r.text.ReadByte()
		if err != nil {
			return n, err
		}
		next, _ := r.text.Peek(1) // the end is found by the next read
		isQuote := len(next) == 1 && next[0] == '"'
		if r.begins && b == '=' && isQuote {
			continue
		}
		switch {
		case r.escaped:
			r.escaped = false
		case b == '"' && r.quoted && isQuote:
			r.escaped = true
		case b == '"' && (r.quoted || r.begins):
			r.quoted = !r.quoted
		}
		r.begins = !r.quoted && strings.IndexByte("\n"+separators, b) >= 0
		into[n] = b
		n++
	}
	return n, nil
}
