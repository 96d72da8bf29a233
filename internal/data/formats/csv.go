package formats

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/timetext"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// csvReader reads the rows below a header line.
type csvReader struct {
	name     string
	kind     *catalog.Kind
	rows     csvRows
	titles   []string // the header of the file
	header   []string // with the columns that are made
	columns  ColumnMap
	indexes  []int // of each mapped column in a row
	width    int   // columns of the file; the header has more if some are made
	shape    Shape
	skipped  int  // lines before the rows that are read
	anyWidth bool // rows may have more or fewer cells than the header
	// annotations are the rows above the header that describe its columns.
	annotations annotations
	units       int  // rows with units below the header, which are not read
	either      bool // see columns.Hint
	perRow      int  // observations of a row of the file; 0 is one
	guessed     bool // columns
	made        []made
	mark        columns.Mark            // of numbers, where their column does not say; 0 if unknown
	types       []columns.Column        // of each column of the header
	given       map[string]columns.Type // types that the user gives, by the name of the column
	refused     []string                // columns that cannot be read, and why
	fillers     []string                // columns with numbers that may say that there is no value
	most        []float64               // of each column, how far its numbers are from zero, but fillers
	zone        *time.Location          // of times of which neither the file nor the user says it
	assumed     string                  // how times are read of which neither the file nor the user says it
	lines       []int                   // of the rows of the sample; empty for a file without lines
	dates       string                  // which of the day and the month is first, where the cells say it
	ordered     columns.Cell            // the date that says it
	years       shortYears              // of its dates
	clock       timetext.Clock
	typed       bool // the columns of the file have types
	lenient     bool // a wrong row is an observation with a problem
	dialect     dialect
	// next row and its line; by default from rows
	source func() ([]string, int, error)
}

// openTable reads the header of a file, and finds the mapped columns in it, or guesses them.
func (in Input) openTable(name string, layout layout, source io.Reader) (reader, error) {
	layout, source = withoutFormulas(layout, source)
	r := &csvReader{name: name, kind: in.Kind, rows: layout.reader(source), columns: in.Columns, clock: in.Clock,
		skipped: layout.skipped, given: in.Types, mark: in.Mark, shape: in.Shape}
	r.either = layout.separator == ';'
	r.source, r.lenient = r.row, in.Lenient
	header, sample, err := r.top(layout)
	if errors.Is(err, io.EOF) {
		r.source = func() ([]string, int, error) { return nil, 0, io.EOF } // an empty file is nothing to do
		in.notice(r, layout)
		return r, nil
	}
	if err != nil {
		return nil, r.failure(err)
	}
	if !utf8.ValidString(strings.Join(header, "")) {
		return nil, usererr.Errorf("%s: %w", place(name, 1+r.skipped), errNotUTF8)
	}
	if table := in.asPoints(r, header, sample); table != nil {
		return table, nil
	}
	if err := r.setHeader(header, sample); err != nil {
		return nil, err
	}
	in.notice(r, layout)
	return r, nil
}

// notice says how the columns of a file are read, if they were guessed.
func (in Input) notice(r *csvReader, layout layout) {
	isMixed := func(c columns.Column) bool { return c.Mixed != "" }
	isUnsure := len(r.fillers) > 0 || slices.ContainsFunc(r.types, isMixed)
	if (r.guessed || len(in.Columns) == 0 || isUnsure) && in.Notice != nil {
		in.Notice(r.describe(layout.String()))
	}
}

// top returns the header and a sample of the rows, and reads the lines between the header and the data.
func (r *csvReader) top(layout layout) (header []string, sample [][]string, err error) {
	if r.shape.Header != nil {
		sample, r.lines = layout.rows()
		return r.shape.Header, sample, nil
	}
	for {
		header, err = r.rows.Read()
		if err != nil || !r.annotations.read(header) {
			break
		}
		r.annotations.rows++
	}
	r.annotations.open = false
	sample, r.lines = layout.rows()
	sample = sample[min(1+r.annotations.rows, len(sample)):]
	if r.shape.SkipBelow == 0 && err == nil {
		r.units = unitRows(sample)
		isHeader := func(row []string) bool {
			return isHeaderBelow(r.kind, header, row) || texts(header) == 1 && texts(row) > 1 // below a title
		}
		if slices.ContainsFunc(sample[:r.units], isHeader) {
			r.units = 0
		}
		r.shape.SkipBelow = r.units
	}
	for range r.shape.SkipBelow {
		if err == nil {
			_, err = r.rows.Read()
		}
	}
	sample = sample[min(r.shape.SkipBelow, len(sample)):]
	r.lines = r.lines[len(r.lines)-len(sample):]
	return header, sample, err
}

// setHeader finds the columns of the fields, and guesses them where none are given.
func (r *csvReader) setHeader(header []string, sample [][]string) (err error) {
	r.titles, r.width = lists.Map(header, strings.TrimSpace), len(header)
	r.header = distinct(r.kind, r.titles)
	for i, row := range sample {
		if r.isHeader(row) {
			sample[i] = nil // its line counts
		}
	}
	asWritten := sample
	sample = r.addColumns(sample)
	r.dialect = findDialect(r.kind, r.header) // a map of columns amends it: its times are read all the same
	if !r.columns.isWhole(r.kind, r.shape.Constants) {
		r.guessed = true
		if err := r.below(header, asWritten); err != nil {
			return usererr.Errorf("%s: %w", place(r.name, 1+r.skipped), err)
		}
		if r.columns, err = r.dialect.columns(r.kind, r.header, sample, r.columns); err != nil {
			return usererr.Errorf("%s: %w", place(r.name, 1+r.skipped), err)
		}
	}
	if sample, err = r.spread(sample); err != nil {
		return usererr.Errorf("%s: %w", place(r.name, 1+r.skipped), err)
	}
	if err := r.findColumns(); err != nil {
		return err
	}
	if err := r.isOneTable(sample); err != nil {
		return err
	}
	if err := r.decideTypes(sample); err != nil {
		return err
	}
	r.findFillers(sample)
	return r.checkTimes(sample)
}

// row returns the next row that has a cell with text, and its line.
func (r *csvReader) row() ([]string, int, error) {
	for {
		row, err := r.rows.Read()
		syntax := new(csv.ParseError)
		if r.lenient && errors.As(err, &syntax) && syntax.StartLine == syntax.Line {
			line := syntax.Line + r.skipped // no other line is in its quotes
			return nil, line, r.wrong(line, "", "%w: %s", syntax.Err, quotes)
		}
		if err != nil {
			return nil, 0, r.failure(err)
		}
		line, _ := r.rows.FieldPos(0)
		line += r.skipped
		if isBlank(row) {
			continue
		}
		switch n := r.width; {
		case r.isHeader(row):
			return nil, line, r.wrong(line, strings.Join(row, string(r.rows.Comma)), "%w", errHeaderAgain)
		case !r.anyWidth && (len(row) < n || !isBlank(row[n:])):
			text := strings.Join(row, string(r.rows.Comma))
			return nil, line, r.wrong(line, text,
				"%d cells, but the header has %d; a cell that contains the separator must be in quotes: %s", len(row), n,
				Quote(text))
		case !utf8.ValidString(strings.Join(row, "")):
			return nil, line, r.wrong(line, strings.ToValidUTF8(strings.Join(row, string(r.rows.Comma)), "\uFFFD"),
				"%w", errNotUTF8)
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
		return usererr.Errorf("%s: %w", place(r.name, line), err)
	}
	return &rowError{err, []byte(text)}
}

func isBlank(cells []string) bool {
	return !slices.ContainsFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) != "" })
}

// quotes says how a cell with quotes is written.
const quotes = "put the cell in quotes, and write each quote in it twice"

// failure returns an error of the CSV syntax as one that names the line and the remedy.
func (r *csvReader) failure(err error) error {
	var syntax *csv.ParseError
	if !errors.As(err, &syntax) {
		return err
	}
	remedy := quotes
	if syntax.StartLine < syntax.Line {
		remedy = "a quote that was opened there is not closed; " + remedy
	}
	return usererr.Errorf("%s: %w: %s", place(r.name, syntax.StartLine+r.skipped), syntax.Err, remedy)
}

// CSVLine returns a row of CSV, with its line break.
func CSVLine(cells ...string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(cells) // a buffer cannot fail
	w.Flush()
	return b.Bytes()
}
