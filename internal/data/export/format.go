package export

import (
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/columns"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// entry is one event, or one line of a rollup.
type entry interface {
	// json returns the entry as an object on one line.
	json() ([]byte, error)
	// cells returns the entry as text for CSV, one for each column.
	cells() ([]string, error)
	// values returns a string, int64, float64, bool, or nil for each column.
	values() ([]any, error)
}

// writer writes entries in one format. close ends the file; it does not close what is below.
type writer interface {
	write(entry) error
	close() error
}

// format is a way to write entries.
type format struct {
	open func(w io.Writer, all []columns.Column) (writer, error)
	text bool // it can be written to a terminal or a pipe
}

var formats = map[string]format{
	"csv":     {openCSV, true},
	"ndjson":  {openNDJSON, true},
	"parquet": {openParquet, false},
}

// FormatNames returns the names of the formats for people: those that can be written to a terminal or a pipe,
// and those that are written to files only.
func FormatNames() (text, filesOnly string) {
	var names [2][]string
	for _, name := range slices.Sorted(maps.Keys(formats)) {
		if formats[name].text {
			names[0] = append(names[0], name)
		} else {
			names[1] = append(names[1], name)
		}
	}
	return strings.Join(names[0], " or "), strings.Join(names[1], " or ")
}

// CheckFormat returns a usage error if a format does not exist, or if it can only be written
// to files where there is none.
func CheckFormat(name string, toFiles bool) error {
	f, ok := formats[name]
	switch {
	case !ok:
		return usererr.Errorf("--format %s: want %s", name, strings.Join(slices.Sorted(maps.Keys(formats)), " or "))
	case !f.text && !toFiles:
		return usererr.Errorf(
			"--format %s: it is written to files only: name a folder with --to, or a file of rollups with --out", name)
	}
	return nil
}

type csvWriter struct{ *csv.Writer }

func openCSV(w io.Writer, all []columns.Column) (writer, error) {
	out := csvWriter{csv.NewWriter(w)}
	return out, out.Write(lists.Map(all, func(c columns.Column) string { return c.Name }))
}

func (w csvWriter) write(e entry) error {
	cells, err := e.cells()
	if err != nil {
		return err
	}
	return w.Write(cells)
}

func (w csvWriter) close() error {
	w.Flush()
	return w.Error()
}

type ndjsonWriter struct{ io.Writer }

func openNDJSON(w io.Writer, _ []columns.Column) (writer, error) { return ndjsonWriter{w}, nil }

func (w ndjsonWriter) write(e entry) error {
	line, err := e.json()
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

func (w ndjsonWriter) close() error { return nil }
