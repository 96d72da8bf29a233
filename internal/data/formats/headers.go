package formats

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// findColumns finds the mapped columns in the header.
func (r *csvReader) findColumns() error {
	for _, c := range r.columns {
		at := slices.Index(r.header, c.header)
		if at < 0 {
			return usererr.Errorf("%s has no column %s: its columns are %s%s", r.name, Quote(c.header),
				quoteAll(r.header), names.DidYouMean(c.header, r.header))
		}
		if slices.Contains(r.header[at+1:], c.header) {
			what, use := "two columns are named", "rename one"
			if _, set := r.shape.Constants[c.header]; set {
				what, use = "--set names what a column has:", "leave it out, or rename the column"
			}
			return usererr.Errorf("%s: %s %s: %s", place(r.name, 1+r.skipped), what, Quote(c.header), use)
		}
		r.indexes = append(r.indexes, at)
	}
	return nil
}

// distinct returns a header in which a title that is there again has its number: Status and Status_2, as
// beside two values. Two columns of the subject, the time, the stream or the id keep
// their titles, because no rule says which one belongs to the other columns.
func distinct(k *catalog.Kind, header []string) []string {
	all := slices.Clone(header)
	for i, h := range header {
		if h == "" || hasIdentity(k, h) {
			continue
		}
		for n := 2; slices.Contains(all[:i], all[i]); n++ {
			if numbered := fmt.Sprintf("%s_%d", h, n); !slices.Contains(header, numbered) {
				all[i] = numbered
			}
		}
	}
	return all
}

// hasIdentity reports whether a column is named like a field that every kind has.
func hasIdentity(k *catalog.Kind, header string) bool {
	isTitle := func(short string) bool { return slices.Contains(titles(k, short), title(header)) }
	return slices.ContainsFunc(slices.Collect(maps.Keys(shortNames(k))), isTitle)
}

var errHeaderAgain = errors.New("the line is the header again, as in files that were joined, and no row")

// isHeader reports whether a row is the header again.
func (r *csvReader) isHeader(row []string) bool {
	return len(r.titles) > 1 && slices.Equal(lists.Map(row, strings.TrimSpace), r.titles)
}

// isTimeTitle reports whether a cell of the time has the title of a column.
func (r *csvReader) isTimeTitle(text string) bool {
	cell := title(text)
	return cell != "" && (cell == title(r.header[r.timeIndex()]) ||
		slices.Contains(titles(r.kind, "time"), cell))
}

// isOneTable returns an error if a row of a sample is the header of another table.
func (r *csvReader) isOneTable(sample [][]string) error {
	at := r.timeIndex()
	for i, row := range sample {
		if at < len(row) && r.isTimeTitle(row[at]) {
			return r.otherTable(r.sampleLine(i))
		}
	}
	return nil
}

// otherTable returns the error for the header of another table, whose values would have the names of this
// one.
func (r *csvReader) otherTable(line int) error {
	return usererr.Errorf("%s: a table with other columns begins: import it from a file of its own, "+
		"which begins with this line", place(r.name, line))
}
