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

// isFiller reports whether a cell is a filler where no other number is further from zero than most.
func isFiller(text string, most float64) bool {
	return filler.MatchString(text) && most <= magnitude(text)/2
}

// magnitude returns about how far a number is from zero; 0 for other text.
func magnitude(text string) float64 {
	number, _ := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	return math.Abs(number)
}

// findFillers finds the columns of numbers that have a filler, which is stored as any number.
func (r *csvReader) findFillers(sample [][]string) {
	r.most = make([]float64, len(r.header))
	for i, c := range r.columns {
		at := r.indexes[i]
		if !r.isAmount(c) || r.types[at].Type != columns.Number {
			continue
		}
		cells := r.cells(sample, at)
		for _, c := range cells {
			if !filler.MatchString(c.Text) {
				r.most[at] = max(r.most[at], magnitude(c.Text))
			}
		}
		n := slices.IndexFunc(cells, func(c columns.Cell) bool { return isFiller(c.Text, r.most[at]) })
		if n >= 0 {
			r.fillers = append(r.fillers, fmt.Sprintf("%s in line %d of the column %s %s", cells[n].Text,
				cells[n].Line, Quote(r.typeName(at)), mayBeMissing(cells[n].Text)))
		}
	}
}

// mayBeMissing says what becomes of a filler.
func mayBeMissing(text string) string {
	return "is stored as a number: if it says that there is no value, pass --missing=" + text
}

// doubt returns why a number that is stored may be wrong; "" if it is as the others of its column are.
func (r *csvReader) doubt(at int, text string) string {
	if r.types[at].Type != columns.Number {
		return ""
	}
	if read := r.types[at].Doubt(text); read != "" {
		return fmt.Sprintf("is stored as %s, and no number before it has groups of thousands: if it has "+
			"decimals, write all cells of its column in one way", read)
	}
	if filler.MatchString(text) {
		if isFiller(text, r.most[at]) {
			return mayBeMissing(text)
		}
		return ""
	}
	r.most[at] = max(r.most[at], magnitude(text))
	return ""
}
