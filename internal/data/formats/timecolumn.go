package formats

import (
	"cmp"
	"errors"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// checkTimes returns an error if the form of times is another one in every row of a sample.
func (r *csvReader) checkTimes(sample [][]string) (err error) {
	column := r.timeIndex()
	titled := newTimeTitle(r.titlesAt(column))
	if r.clock.Zone == nil {
		r.clock.Zone = cmp.Or(titled.zone, r.zone)
	}
	if err := errors.Join(r.orderOfDates(sample, column), r.hoursAsNumbers(sample, column)); err != nil {
		return err
	}
	for i, row := range sample {
		if column >= len(row) || strings.TrimSpace(row[column]) == "" {
			continue
		}
		text := r.dialect.time(r.header, row, strings.TrimSpace(row[column]))
		at, _, wrong := r.clock.Read(text)
		if wrong == nil {
			if _, ok := r.clock.Beginning(text); ok {
				r.dates += ", the beginning of each interval"
			}
			switch {
			case !isLocal(r.clock, text):
				r.assumed = ""
			case titled.zone != nil:
				r.assumed = ", of " + titled.zone.String() + ", as the title says"
			}
			if err := titled.check(r.clock, text, at.Time()); err != nil {
				return usererr.Errorf("%s: %w", place(r.name, 1+r.skipped), err)
			}
			return nil
		}
		if err == nil {
			err = usererr.Errorf("%s: %w", place(r.name, r.sampleLine(i)), wrong)
		}
	}
	return err
}

// titlesAt returns the titles of the columns that a column is made of; its own, if the file has it.
func (r *csvReader) titlesAt(column int) []string {
	if at := column - r.width; at >= 0 && at < len(r.made) && r.made[at].titles != nil {
		return r.made[at].titles
	}
	return []string{r.header[column]}
}
