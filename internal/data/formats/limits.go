package formats

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
)

// maxLine is how many bytes a line, or a row of CSV, can have: a small archive can hold a line of gigabytes.
const maxLine = 16 << 20

// shortLines passes text on until a line is longer than maxLine.
type shortLines struct {
	io.Reader
	length int // of the present line so far
}

func (r *shortLines) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			r.length += len(rest)
			break
		}
		if r.length += end; r.length > maxLine {
			break
		}
		r.length, rest = 0, rest[end+1:]
	}
	if r.length > maxLine {
		return 0, fmt.Errorf("a line has more than %d MB: this is no text of observations", maxLine>>20)
	}
	return n, err
}

// csvRows reads CSV whose rows have at most maxLine bytes, also where quoted cells have line breaks.
type csvRows struct {
	*csv.Reader
	source *io.LimitedReader
}

func newCSVRows(source io.Reader) csvRows {
	limited := &io.LimitedReader{R: source}
	return csvRows{csv.NewReader(limited), limited}
}

// Read returns the next row.
func (r csvRows) Read() ([]string, error) {
	r.source.N = maxLine
	row, err := r.Reader.Read()
	if r.source.N <= 0 {
		return nil, fmt.Errorf(
			"a row has more than %d MB: a quote is not closed, or this is no text of observations", maxLine>>20)
	}
	return row, err
}
