package replay

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/lists"
	"github.com/tidemark-db/tidemark/internal/usage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// csvReader reads the rows below a header line.
type csvReader struct {
	name    string
	kind    *catalog.Kind
	rows    *csv.Reader
	header  []string
	columns ColumnMap
	indexes []int // of each mapped column in a row
	skipped int   // lines before those that rows reads
	commas  bool  // numbers may have a decimal comma
	clock   Clock
	lenient bool // a wrong row is an observation with a problem
	dialect dialect
	// next row and its line; by default those of rows
	source func() ([]string, int, error)
}

// openCSV reads the header of a file and finds the mapped columns in it. Without a map it
// guesses the columns.
func (in Input) openCSV(name string, layout layout, source io.Reader) (*csvReader, error) {
	r := &csvReader{name: name, kind: in.Kind, rows: layout.reader(source), columns: in.Columns, clock: in.Clock, skipped: layout.skipped, commas: layout.separator == ';'}
	r.source, r.lenient = r.row, in.Lenient
	header, err := r.rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, usage.Errorf("read %s: the file is empty: it must begin with a header line", name)
	}
	if err != nil {
		return nil, r.failure(err)
	}
	if !utf8.ValidString(strings.Join(header, "")) {
		return nil, usage.Errorf("%s: %w", place(name, 1+r.skipped), errNotUTF8)
	}
	return r, r.setHeader(header, layout.sample())
}

// setHeader finds the columns of the fields, and guesses them where none are given.
func (r *csvReader) setHeader(header []string, sample [][]string) (err error) {
	r.header = lists.Map(header, strings.TrimSpace)
	if len(r.columns) == 0 {
		r.dialect = dialectOf(r.kind, r.header)
		if r.columns, err = r.dialect.columns(r.kind, r.header, sample); err != nil {
			return usage.Errorf("%s: %w", place(r.name, 1+r.skipped), err)
		}
	}
	if err := r.findColumns(); err != nil {
		return err
	}
	return r.checkTimes(sample)
}

// checkTimes returns an error if the form of times is another one in every row of a sample.
func (r *csvReader) checkTimes(sample [][]string) (err error) {
	column := r.indexes[slices.IndexFunc(r.columns, func(c column) bool { return c.field == catalog.TimeField })]
	for i, row := range sample {
		if column >= len(row) || strings.TrimSpace(row[column]) == "" {
			continue
		}
		_, _, wrong := r.clock.read(r.dialect.time(r.header, row, strings.TrimSpace(row[column])))
		if wrong == nil {
			return nil
		}
		if err == nil {
			err = usage.Errorf("%s: %w", place(r.name, r.skipped+2+i), wrong)
		}
	}
	return err
}

func (r *csvReader) findColumns() error {
	for _, c := range r.columns {
		at := slices.Index(r.header, c.header)
		if at < 0 {
			return usage.Errorf("%s has no column %s: its columns are %s", r.name, quote(c.header), quoteAll(r.header))
		}
		if slices.Contains(r.header[at+1:], c.header) {
			return usage.Errorf("%s: two columns are named %s: rename one", place(r.name, 1+r.skipped), quote(c.header))
		}
		r.indexes = append(r.indexes, at)
	}
	return nil
}

func (r *csvReader) next() (Observation, error) {
	row, line, err := r.source()
	if wrong := new(rowError); errors.As(err, &wrong) && r.lenient {
		return Observation{Location: place(r.name, line), Problem: wrong.Error(), Body: wrong.text}, nil
	} else if err != nil {
		return Observation{}, err
	}
	o := Observation{Location: place(r.name, line)}
	var subject, stream string
	body := []byte{'{'}
	for i, c := range r.columns {
		text := strings.TrimSpace(row[r.indexes[i]])
		if c.whole {
			body = appendMembers(body, text)
			continue
		}
		switch c.field {
		case r.kind.Subject.Field:
			subject = text
		case catalog.StreamField:
			stream = text
		case catalog.TimeField:
			o.At, text, err = r.clock.read(r.dialect.time(r.header, row, text))
			o.Timed = err == nil
			if err != nil && isSmall(text) { // the API would accept it, as a time of 1970
				if !r.lenient {
					return o, usage.Errorf("%s: %w", o.Location, err)
				}
				o.Problem = err.Error()
			}
		}
		if text != "" || !c.optional {
			body = r.appendMember(body, c.field, text)
		}
	}
	o.Body, o.Series = append(body, '}'), seriesName(subject, stream)
	return o, nil
}

// row returns the next row that has a cell with text, and its line.
func (r *csvReader) row() ([]string, int, error) {
	for {
		row, err := r.rows.Read()
		if err != nil {
			return nil, 0, r.failure(err)
		}
		line, _ := r.rows.FieldPos(0)
		line += r.skipped
		if isBlank(row) {
			continue
		}
		switch n := len(r.header); {
		case len(row) < n, !isBlank(row[n:]):
			text := strings.Join(row, string(r.rows.Comma))
			return nil, line, r.wrong(line, text, "%d cells, but the header has %d; a cell that contains the separator must be in quotes: %s", len(row), n, quote(text))
		case !utf8.ValidString(strings.Join(row, "")):
			return nil, line, r.wrong(line, strings.ToValidUTF8(strings.Join(row, string(r.rows.Comma)), "\uFFFD"), "%w", errNotUTF8)
		}
		return row, line, nil
	}
}

// rowError is an error of one row, after which the next can be read.
type rowError struct {
	error
	text []byte // of the row
}

func (r *csvReader) wrong(line int, text, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if !r.lenient {
		return usage.Errorf("%s: %w", place(r.name, line), err)
	}
	return &rowError{err, []byte(text)}
}

func isBlank(cells []string) bool {
	return !slices.ContainsFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) != "" })
}

// failure returns an error of the CSV syntax as one that names the line and the remedy.
func (r *csvReader) failure(err error) error {
	var syntax *csv.ParseError
	if !errors.As(err, &syntax) {
		return err
	}
	remedy := "put the cell in quotes, and write each quote in it twice"
	if syntax.StartLine < syntax.Line {
		remedy = "a quote that was opened there is not closed; " + remedy
	}
	return usage.Errorf("%s: %w: %s", place(r.name, syntax.StartLine+r.skipped), syntax.Err, remedy)
}

// timeForm returns the form of a time: digits alone are an epoch number.
func timeForm(text string) ingest.Form {
	if text != "" && strings.Trim(text, "0123456789.") == "" {
		return ingest.NumberForm
	}
	return ingest.TextForm
}

// appendMember appends one cell as a JSON member. An empty cell of a declared measure is
// null, which counts as an invalid value; any other empty cell is left out.
func (r *csvReader) appendMember(b []byte, field, text string) []byte {
	value, ok := r.value(field, text)
	if !ok {
		return b
	}
	if len(b) > 1 {
		b = append(b, ',')
	}
	name, _ := json.Marshal(field) // strings cannot fail
	return append(append(append(b, name...), ':'), value...)
}

var decimalComma = regexp.MustCompile(`^[+-]?\d+,\d+$`)

func (r *csvReader) value(field, text string) (value []byte, ok bool) {
	switch {
	case text == "":
		return []byte("null"), isMeasure(r.kind, field)
	case field == catalog.TimeField && timeForm(text) == ingest.NumberForm && json.Valid([]byte(text)):
		return []byte(text), true
	case !isText(r.kind, field):
		number := text
		if r.commas && decimalComma.MatchString(text) {
			number = strings.Replace(text, ",", ".", 1)
		}
		if number, err := model.ParseDecimal(number); err == nil {
			return []byte(number.String()), true
		}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.Encode(text) // strings cannot fail
	return bytes.TrimSpace(b.Bytes()), true
}

func isMeasure(k *catalog.Kind, field string) bool {
	return slices.ContainsFunc(k.Measures, func(m rollup.MeasureSpec) bool { return m.Name == field })
}

// isText reports whether the value of a field stays text even if it looks like a number:
// identity, dimensions, and what is counted by its distinct values.
func isText(k *catalog.Kind, field string) bool {
	isField := func(d rollup.DimensionSpec) bool { return d.Name == field }
	return slices.Contains(slices.Collect(maps.Values(shortNames(k))), field) || slices.Contains(k.Distinct, field) || slices.ContainsFunc(k.Dimensions, isField)
}
