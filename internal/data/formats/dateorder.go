package formats

import (
	"fmt"
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

// orderOfDates finds whether the day or the month is first in dates such as 1/11/2026: other dates of the column
// say it, such as 25/11/2026. The error names two that differ.
func (r *csvReader) orderOfDates(sample [][]string, column int) error {
	var first [3]int // the line of the first date of each order
	var text [3]string
	for i, row := range sample {
		if column >= len(row) {
			continue
		}
		order := timetext.DateOrder(row[column])
		if first[order] == 0 {
			first[order] = r.sampleLine(i)
			text[order] = strings.TrimSpace(row[column])
		}
	}
	const day, month = timetext.DayFirst, timetext.MonthFirst
	switch {
	case r.clock.Layout != "" || first[day] == first[month]:
		return nil
	case first[day] > 0 && first[month] > 0:
		return usererr.Errorf("%s: %q has the day first, and %q in line %d the month: write all times in one way",
			place(r.name, first[day]), text[day], text[month], first[month])
	}
	r.clock.Order = day
	if first[month] > 0 {
		r.clock.Order = month
	}
	r.dates = fmt.Sprintf(", %s, as in %s", r.clock.Order, Quote(text[r.clock.Order]))
	return nil
}
