package formats

import (
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/timetext"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

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
