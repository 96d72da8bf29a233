package formats

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/columns"
)

// filler are numbers that loggers and weather services write for a value that is not there: -999, -9999.0,
// 9999.99, Campbell's 7999 for a value beyond its range, and the least integer of 16 bits.
var filler = regexp.MustCompile(`^(?:-9{3,}(?:[.,][09]+)?|\+?9{4,}(?:[.,]9+)?|-?[67]999|-32768)$`)

// cell returns the text of a cell; "" if it says that there is no value.
func (r *csvReader) cell(text string) string {
	if text = strings.TrimSpace(text); slices.Contains(r.shape.Missing, text) {
		return ""
	}
	return text
}

// isFiller reports whether a cell is a filler among others: none of them is half as far from zero.
func isFiller(c columns.Cell, others []columns.Cell) bool {
	return filler.MatchString(c.Text) && !slices.ContainsFunc(others, func(o columns.Cell) bool {
		return !filler.MatchString(o.Text) && magnitude(o.Text) > magnitude(c.Text)/2
	})
}

// magnitude returns about how far a number is from zero; 0 for other text.
func magnitude(text string) float64 {
	number, _ := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	return math.Abs(number)
}

// findFillers finds the columns of numbers that have a filler, which is stored as any number.
func (r *csvReader) findFillers(sample [][]string) {
	for i, c := range r.columns {
		if at := r.indexes[i]; r.isAmount(c) && r.types[at].Type == columns.Number {
			cells := r.cells(sample, at)
			n := slices.IndexFunc(cells, func(c columns.Cell) bool { return isFiller(c, cells) })
			if n >= 0 {
				r.fillers = append(r.fillers, fmt.Sprintf("%s in line %d of the column %s is stored as a number: if "+
					"it says that there is no value, pass --missing=%s", cells[n].Text, cells[n].Line,
					Quote(r.typeName(at)), cells[n].Text))
			}
		}
	}
}
