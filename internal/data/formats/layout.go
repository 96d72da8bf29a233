package formats

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/catalog"
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

// newLayout finds the layout of a file and discards the lines before its header.
func newLayout(name string, source interface {
	io.Reader
	Discard(int) (int, error)
}, start []byte) (layout, error) {
	l := layout{start: start}
	if m := separatorLine.FindSubmatch(start); m != nil {
		l.skipped = 1
		l.separator = rune(m[1][0])
		l.start = start[len(m[0]):]
		if _, err := source.Discard(len(m[0])); err != nil {
			return l, err
		}
	}
	header, _, _ := bytes.Cut(bytes.TrimLeft(l.start, "\r\n"), []byte("\n"))
	if bytes.ContainsRune(bytes.TrimSpace(header), '\r') {
		return l, usererr.Errorf(
			`%s: its lines end in a carriage return alone: convert it, for example with tr '\r' '\n'`, name)
	}
	if l.separator == 0 {
		l.separator = detectSeparator(string(header))
	}
	return l, nil
}

// decimalComma is a comma in a number, as in a first line that is data: 2026-11-01 10:00;21,5.
var decimalComma = regexp.MustCompile(`(\d),(\d)`)

// detectSeparator returns the separator that is most frequent outside of quotes. A comma between digits
// counts only if there is no other separator.
func detectSeparator(header string) rune {
	most, found := 0, ','
	header = decimalComma.ReplaceAllString(header, "$1$2")
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
func (l layout) reader(source io.Reader) csvRows {
	rows := newCSVRows(source)
	rows.Comma, rows.FieldsPerRecord = l.separator, -1
	rows.TrimLeadingSpace = l.separator != '\t'
	return rows
}

// sampleRows is from how many rows columns are guessed, as far as they are in the first 64 KB.
const sampleRows = 1000

// rows returns the first rows, with the header, and the line of each.
func (l layout) rows() (sample [][]string, lines []int) {
	complete := l.start[:bytes.LastIndexByte(l.start, '\n')+1]
	rows := l.reader(bytes.NewReader(complete))
	for len(sample) <= sampleRows {
		row, err := rows.Read()
		line := 0
		if syntax := new(csv.ParseError); errors.As(err, &syntax) {
			row, line = nil, syntax.StartLine // as many rows as lines
		} else if err != nil {
			break
		} else {
			line, _ = rows.FieldPos(0)
		}
		sample, lines = append(sample, row), append(lines, line)
	}
	return sample, lines
}

// String describes the layout unless it is plain CSV.
func (l layout) String() string {
	name := map[rune]string{',': "commas", ';': "semicolons", '\t': "tabs", '|': "bars"}[l.separator]
	return "cells separated by " + strings.TrimSpace(name)
}

// ColumnMap says which column of a CSV file becomes which field, in the given order.
type ColumnMap []column

type column struct {
	field  string // in an observation
	header string // in the file

	whole    bool // the cell is a JSON object with all fields but the identity
	optional bool // an empty cell means that the field is in another column
}

// shortNames maps the names that users write for the fields that every kind has to the names of these fields.
func shortNames(k *catalog.Kind) map[string]string {
	return map[string]string{
		"subject": k.Subject.Field, "stream": catalog.StreamField,
		"time": catalog.TimeField, "id": catalog.IDField,
	}
}

// ParseColumns reads a map such as subject=device,time=ts,value=value. A map without the subject, the time or
// a value amends what is guessed. Its errors are usage errors.
func ParseColumns(text string, k *catalog.Kind) (ColumnMap, error) {
	var columns ColumnMap
	for _, pair := range pairs(text) {
		field, header, ok := strings.Cut(pair, "=")
		if field, header = strings.TrimSpace(field), strings.TrimSpace(header); !ok || field == "" || header == "" {
			return nil, usererr.Errorf("%q: want field=column, for example subject=device,time=ts,value=value", pair)
		}
		if long, ok := shortNames(k)[field]; ok {
			field = long
		}
		if columns.has(field) {
			return nil, usererr.Errorf("%s has two columns: give each field one", field)
		}
		columns = append(columns, column{field: field, header: header})
	}
	return columns, columns.checkSpread(k)
}

// pairs returns the pairs of a list. The name of a column may have commas, as in temperature=Temp, °C.
func pairs(text string) (all []string) {
	for piece := range strings.SplitSeq(text, ",") {
		if n := len(all); n > 0 && strings.TrimSpace(piece) != "" && !strings.Contains(piece, "=") {
			all[n-1] += "," + piece
			continue
		}
		all = append(all, piece)
	}
	return all
}

// isWhole reports whether the columns have what every observation has, and a value.
func (c ColumnMap) isWhole(k *catalog.Kind, constants map[string]string) bool {
	_, constant := constants[k.Subject.Field]
	identity := slices.Collect(maps.Values(shortNames(k)))
	isValue := func(x column) bool { return !slices.Contains(identity, x.field) }
	return (constant || c.has(k.Subject.Field)) && c.has(catalog.TimeField) && slices.ContainsFunc(c, isValue)
}

func (c ColumnMap) has(field string) bool {
	return slices.ContainsFunc(c, func(x column) bool { return x.field == field })
}
