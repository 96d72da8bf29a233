package replay

import (
	"bytes"
	"encoding/csv"
	"io"
	"regexp"
	"strings"

	"github.com/tidemark-db/tidemark/internal/usage"
)

// separators of cells, those that are tried first before others.
const separators = ",;\t|"

// layout is how the cells of a CSV file are written.
type layout struct {
	separator rune
	skipped   int    // lines before the header
	start     []byte // the first lines, from the header on; the last may be cut
}

// separatorLine is what spreadsheets write to name the separator.
var separatorLine = regexp.MustCompile(`^"?sep=([,;|\t])"?\r?\n`)

// layoutOf finds the layout of a file and discards the lines before its header.
func layoutOf(name string, source interface {
	io.Reader
	Discard(int) (int, error)
}, start []byte) (layout, error) {
	l := layout{start: start}
	if m := separatorLine.FindSubmatch(start); m != nil {
		l.skipped, l.separator, l.start = 1, rune(m[1][0]), start[len(m[0]):]
		if _, err := source.Discard(len(m[0])); err != nil {
			return l, err
		}
	}
	header, _, _ := bytes.Cut(bytes.TrimLeft(l.start, "\r\n"), []byte("\n"))
	if bytes.ContainsRune(bytes.TrimSpace(header), '\r') {
		return l, usage.Errorf(`%s: its lines end in a carriage return alone: convert it, for example with tr '\r' '\n'`, name)
	}
	if l.separator == 0 {
		l.separator = separatorOf(string(header))
	}
	return l, nil
}

// separatorOf returns the separator that is most frequent outside of quotes.
func separatorOf(header string) rune {
	most, found := 0, ','
	for _, candidate := range separators {
		n, quoted := 0, false
		for _, c := range header {
			if quoted = quoted != (c == '"'); c == candidate && !quoted {
				n++
			}
		}
		if n > most {
			most, found = n, candidate
		}
	}
	return found
}

// reader returns a reader of rows, which may have too many or too few cells.
func (l layout) reader(source io.Reader) *csv.Reader {
	rows := csv.NewReader(source)
	rows.Comma, rows.FieldsPerRecord = l.separator, -1
	rows.TrimLeadingSpace = l.separator != '\t'
	return rows
}

// sampleRows is from how many rows columns are guessed.
const sampleRows = 20

// sample returns the first rows below the header.
func (l layout) sample() (sample [][]string) {
	complete := l.start[:bytes.LastIndexByte(l.start, '\n')+1]
	rows := l.reader(bytes.NewReader(complete))
	for len(sample) <= sampleRows {
		row, err := rows.Read()
		if err != nil {
			break
		}
		sample = append(sample, row)
	}
	return sample[min(1, len(sample)):]
}

// String describes the layout if it is not that of plain CSV.
func (l layout) String() string {
	name := map[rune]string{',': "commas", ';': "semicolons, numbers may have a decimal comma", '\t': "tabs", '|': "bars"}[l.separator]
	return "cells separated by " + strings.TrimSpace(name)
}
