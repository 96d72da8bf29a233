// Package views has what readers get, over HTTP and on the command line: events, rollups, charts, profiles,
// alerts and lists of them, as JSON, NDJSON and CSV.
package views

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"

	"github.com/tidemark-db/tidemark/internal/base/plaintext"
)

// Table is a result as rows of text with a header.
type Table struct {
	Header []string
	Rows   [][]string
}

// Lines returns an object for each row, with the names of the header.
func (t Table) Lines() []any {
	lines := make([]any, len(t.Rows))
	for i, row := range t.Rows {
		line := map[string]string{}
		for column, cell := range row {
			line[t.Header[column]] = cell
		}
		lines[i] = line
	}
	return lines
}

// Table returns t, which makes it a List.
func (t Table) Table() Table { return t }

// MarshalJSON writes the list of Lines.
func (t Table) MarshalJSON() ([]byte, error) { return json.Marshal(t.Lines()) }

// List is a result that has other formats than JSON: NDJSON for line-based tools and CSV for spreadsheets.
type List interface {
	// Lines returns the values that NDJSON has on one line each.
	Lines() []any
	// Table returns the rows of CSV.
	Table() Table
}

// Format is an encoding of results.
type Format struct {
	Type  string // the media type
	write func(w io.Writer, result any) error
	list  bool // only for a List
}

// The formats of results, the default first. They are the same over HTTP and on the command line.
var (
	FormatJSON   = Format{Type: "application/json", write: writeJSON}
	FormatNDJSON = Format{Type: "application/x-ndjson", write: writeLines, list: true}
	FormatCSV    = Format{Type: "text/csv", write: writeCSV, list: true}
	// Formats are all of them, in the order of preference.
	Formats = []Format{FormatJSON, FormatNDJSON, FormatCSV}
)

// Write encodes a result. A format other than JSON requires a List.
func (f Format) Write(w io.Writer, result any) error { return f.write(w, result) }

// Supports reports whether the result has the format.
func (f Format) Supports(result any) bool {
	_, list := result.(List)
	return list || !f.list
}

func writeJSON(w io.Writer, result any) error {
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	_, err = w.Write(plaintext.EscapeJSON(text))
	return err
}

func writeLines(w io.Writer, result any) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	for _, one := range result.(List).Lines() {
		line.Reset()
		if err := encoder.Encode(one); err != nil {
			return err
		}
		if _, err := w.Write(plaintext.EscapeJSON(line.Bytes())); err != nil {
			return err
		}
	}
	return nil
}

func writeCSV(w io.Writer, result any) error {
	table := result.(List).Table()
	out := csv.NewWriter(w)
	if err := out.Write(SafeCells(table.Header)); err != nil {
		return err
	}
	for _, row := range table.Rows {
		if err := out.Write(SafeCells(row)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
