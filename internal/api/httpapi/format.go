package httpapi

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"strconv"
	"strings"

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
	FormatJSON   = Format{"application/json", writeJSON, false}
	FormatNDJSON = Format{"application/x-ndjson", writeLines, true}
	FormatCSV    = Format{"text/csv", writeCSV, true}

	formats = []Format{FormatJSON, FormatNDJSON, FormatCSV}
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

// ProblemNotAcceptable is the problem of a request for a format that the result does not have.
var ProblemNotAcceptable = ProblemType{"/problems/not-acceptable", "The response has no accepted format", 406}

// chooseFormat returns the format that an Accept header selects: the one with the highest
// weight, or the first of several with the same. Without a header it is JSON.
func chooseFormat(accept string, result any) (Format, *Problem) {
	if strings.TrimSpace(accept) == "" {
		return FormatJSON, nil
	}
	var best Format
	weight := 0.0
	for _, f := range formats {
		if q := acceptWeight(accept, f.Type); f.Supports(result) && q > weight {
			best, weight = f, q
		}
	}
	if weight == 0 {
		return FormatJSON, ProblemNotAcceptable.New("Accept is %s: want %s", clip(accept), formatNames(result))
	}
	return best, nil
}

func formatNames(result any) string {
	var names []string
	for _, f := range formats {
		if f.Supports(result) {
			names = append(names, f.Type)
		}
	}
	return strings.Join(names, ", ")
}

// acceptWeight returns the weight of a media type in an Accept header, 0 to 1. It is the weight of
// the most specific range that includes the type.
func acceptWeight(accept, mediaType string) (weight float64) {
	specificity := -1
	family, _, _ := strings.Cut(mediaType, "/")
	for _, part := range strings.Split(accept, ",") {
		name, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		at := -1
		switch name {
		case mediaType:
			at = 2
		case family + "/*":
			at = 1
		case "*/*":
			at = 0
		}
		if at > specificity {
			specificity, weight = at, quality(params["q"])
		}
	}
	return weight
}

// quality parses a weight. A missing or invalid weight is 1.
func quality(text string) float64 {
	q, err := strconv.ParseFloat(text, 64)
	if err != nil || q < 0 || q > 1 {
		return 1
	}
	return q
}

// encode returns a result in a format.
func encode(f Format, result any) ([]byte, error) {
	var body bytes.Buffer
	if err := f.Write(&body, result); err != nil {
		return nil, fmt.Errorf("encode the response as %s: %w", f.Type, err)
	}
	return body.Bytes(), nil
}
