package formats

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/columns"
)

// filler are numbers that loggers and weather services write for a value that is not there: -999, -9999.0.
var filler = regexp.MustCompile(`^-9{3,}(\.[09]+)?$`)

// cell returns the text of a cell; "" if it says that there is no value.
func (r *csvReader) cell(text string) string {
	if text = strings.TrimSpace(text); slices.Contains(r.shape.Missing, text) {
		return ""
	}
	return text
}

// findFillers finds the columns of numbers that have a filler, which is stored as any number.
func (r *csvReader) findFillers(sample [][]string) {
	isFiller := func(c columns.Cell) bool { return filler.MatchString(c.Text) }
	for i, c := range r.columns {
		if at := r.indexes[i]; r.isAmount(c) && r.types[at].Type == columns.Number {
			cells := r.cells(sample, at)
			if n := slices.IndexFunc(cells, isFiller); n >= 0 {
				r.fillers = append(r.fillers, fmt.Sprintf("%s in line %d of the column %s is stored as a number: if "+
					"it says that there is no value, pass --missing=%s", cells[n].Text, cells[n].Line,
					Quote(r.typeName(at)), cells[n].Text))
			}
		}
	}
}
