package formats

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/base/timetext"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// timeIndex returns the index of the column with the time of events.
func (r *csvReader) timeIndex() int {
	return r.indexes[slices.IndexFunc(r.columns, func(c column) bool { return c.field == catalog.TimeField })]
}

// hoursAsNumbers returns an error if all times are days with an hour, such as 2026100114, as weather services
// write them: as epoch seconds, they are of the years from 2030 on.
func (r *csvReader) hoursAsNumbers(sample [][]string, column int) error {
	cells := r.cells(sample, column)
	isDay := func(c columns.Cell) bool {
		at, err := time.Parse("2006010215", c.Text)
		return err == nil && at.Year() >= 1900 && at.Year() <= 2100
	}
	isOther := func(c columns.Cell) bool { return !isDay(c) }
	if r.clock.Layout != "" || r.clock.Unit != 0 || len(cells) == 0 || slices.ContainsFunc(cells, isOther) {
		return nil
	}
	return usererr.Errorf("%s: %s may be a day with its hour, or epoch seconds: pass --time-format "+
		"%%Y%%m%%d%%H, or --time-format s", place(r.name, cells[0].Line), Quote(cells[0].Text))
}

// orderOfDates finds whether the day or the month is first in dates such as 1/11/2026: other dates of the
// column say it, such as 25/11/2026. The error names two that differ.
func (r *csvReader) orderOfDates(sample [][]string, column int) error {
	if r.clock.Layout != "" {
		return nil
	}
	for i, row := range sample {
		if column >= len(row) {
			continue
		}
		cell := columns.Cell{Line: r.sampleLine(i), Text: strings.TrimSpace(row[column])}
		if order := timetext.DateOrder(cell.Text); r.ordered.Line == 0 && order != timetext.UnknownOrder {
			r.clock.Order, r.ordered = order, cell
			r.dates = fmt.Sprintf(", %s, as in %s", order, Quote(cell.Text))
		}
		if err := r.contradicts(cell); err != nil {
			return err
		}
	}
	r.years = shortYears{}
	return nil
}

// contradicts returns an error for a date that says another order than the first one that says it. Then each
// date such as 1/11/2026, also above it, may be another one than it is read as.
func (r *csvReader) contradicts(cell columns.Cell) error {
	if r.ordered.Line == 0 {
		return nil
	}
	order := timetext.DateOrder(cell.Text)
	switch isOther := order != timetext.UnknownOrder && order != r.clock.Order; {
	case isOther:
		return usererr.Errorf("%s: %s has the %s, and %s in line %d the %s: write all times in one way, or "+
			"pass --time-format with the form of those that are right; the others are rejected then",
			place(r.name, cell.Line), Quote(cell.Text), order, Quote(r.ordered.Text), r.ordered.Line,
			r.clock.Order)
	case order == timetext.DayFirst && r.years.isFirst(cell.Text):
		return usererr.Errorf("%s: %s has the year or the day first: pass --time-format '%%y/%%m/%%d' or "+
			"'%%d/%%m/%%y', with the time of day as it is written", place(r.name, cell.Line),
			Quote(cell.Text))
	}
	return nil
}

// shortYears are the first and the last number of dates such as 26/11/25.
type shortYears struct {
	first, last string
	differ      bool // the first numbers
}

var shortDate = regexp.MustCompile(`^(\d\d)/\d\d?/(\d\d)(?:\D|$)`)

// isFirst reports whether a date, the next of a column, has its year first: its last number is another one
// than before, and the first number is the same in all of them.
func (y *shortYears) isFirst(text string) bool {
	m := shortDate.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	y.differ = y.differ || y.first != "" && m[1] != y.first
	isFirst := !y.differ && y.last != "" && m[2] != y.last
	y.first, y.last = m[1], m[2]
	return isFirst
}
