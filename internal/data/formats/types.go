package formats

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// decideTypes finds the type of each mapped column: given by the user, by the file, or by the cells of a
// sample.
func (r *csvReader) decideTypes(sample [][]string) error {
	for name := range r.given {
		if !slices.Contains(r.header, name) {
			return usererr.Errorf("--types: %s has no column %s: its columns are %s%s", r.name, Quote(name),
				quoteAll(r.header), names.DidYouMean(name, r.header))
		}
	}
	typed := len(r.types) > 0          // by the file
	for len(r.types) < len(r.header) { // of a file with types, columns that are made have none
		r.types = append(r.types, columns.Column{})
	}
	if !typed {
		r.mark = r.commonMark(sample)
	}
	for i, c := range r.columns {
		at := r.indexes[i]
		name := r.typeName(at)
		given, ok := r.given[name]
		switch {
		case ok:
			r.types[at] = columns.Column{Type: given}
			if cells := r.cells(sample, at); given == columns.Number {
				r.types[at].Unit = columns.Unit(cells)
				r.types[at].Mark = cmp.Or(columns.Decimals(cells), r.mark, columns.Point)
			}
		case typed && (r.types[at].Type == columns.Number || !isMeasure(r.kind, c.field)):
		case r.isAmount(c):
			decided, err := columns.Decide(r.cells(sample, at), columns.Hint{
				Measure: isMeasure(r.kind, c.field) && !c.optional, Title: title(c.header), Mark: r.mark,
				Either: r.either,
			})
			if err != nil {
				return usererr.Errorf("%s: column %s: %w; --types %s stores it as text", r.name, Quote(name),
					err, asText(name))
			}
			unit, inTitle := r.kind.Unit(c.field), columns.TitleUnit(c.header)
			if decided.Misses(unit) || columns.Differ(inTitle, unit) {
				given := cmp.Or(decided.Unit, inTitle)
				return usererr.Errorf("%s: column %s is in %s, and the measure %s in %s: convert it, or "+
					"pass --types %s", r.name, Quote(name), given, c.field, unit, asText(name))
			}
			r.types[at] = decided
		}
	}
	return nil
}

// decideLate finds the type of a column that has no value in the sample, from its first number or boolean. A
// number that is two numbers, such as 1,234, makes it a column of numbers without a mark.
func (r *csvReader) decideLate(c column, at int, cell columns.Cell) {
	if r.types[at].Type != columns.Any || !r.isAmount(c) || columns.Missing(cell.Text) {
		return
	}
	hint := columns.Hint{Title: title(c.header), Mark: r.mark, Either: r.either}
	decided, err := columns.Decide([]columns.Cell{cell}, hint)
	_, isNumber := columns.Amount(cell.Text)
	switch {
	case err != nil:
		r.types[at] = columns.Column{Type: columns.Number, Either: r.either, Codes: true}
	case decided.Type != columns.Text || isNumber:
		r.types[at] = decided
	}
}

// typeName returns the name of a column for --types. The cells of rows that are divided have one name.
func (r *csvReader) typeName(at int) string {
	if r.header[at] == eachCell {
		return eachColumn
	}
	return r.header[at]
}

// asText returns the value of --types that makes a column text, in quotes where a shell needs them.
func asText(name string) string {
	if strings.ContainsAny(name, " *?()[]{}|&;<>$#~\"\\") {
		return "'" + name + "=text'"
	}
	return name + "=text"
}

// isAmount reports whether cells of a column may be numbers.
func (r *csvReader) isAmount(c column) bool {
	return !c.whole && c.field != catalog.TimeField && !isText(r.kind, c.field)
}

// commonMark returns the mark of decimals of those columns that have one mark, and otherwise the present one.
func (r *csvReader) commonMark(sample [][]string) columns.Mark {
	found := map[columns.Mark]int{}
	for i, c := range r.columns {
		if r.isAmount(c) {
			found[columns.Decimals(r.cells(sample, r.indexes[i]))]++
		}
	}
	switch comma, point := found[columns.Comma], found[columns.Point]; {
	case comma > 0 && point == 0:
		return columns.Comma
	case point > 0 && comma == 0:
		return columns.Point
	}
	return r.mark
}

// cells returns a column of a sample, with the lines of its cells.
func (r *csvReader) cells(sample [][]string, at int) (cells []columns.Cell) {
	for i, row := range sample {
		if at < len(row) {
			cells = append(cells, columns.Cell{Line: r.sampleLine(i), Text: r.cell(row[at])})
		}
	}
	return cells
}

// sampleLine returns the line of a row of a sample; of a file without lines, the number of the row.
func (r *csvReader) sampleLine(i int) int {
	i /= max(r.perRow, 1)
	if len(r.lines) == 0 {
		return 1 + i
	}
	return r.skipped + r.lines[i]
}

// described returns the type of a column for a user, where it is not plain.
func (r *csvReader) described(i int) string {
	c := r.columns[i]
	column := r.types[r.indexes[i]]
	switch {
	case c.field == catalog.TimeField:
		return r.dates + r.assumed
	case !r.isAmount(c):
	case column.Type == columns.Text, column.Type == columns.Bool, column.Mark == columns.Comma,
		column.Unit != "":
		return fmt.Sprintf(", as %s", column)
	}
	return ""
}
