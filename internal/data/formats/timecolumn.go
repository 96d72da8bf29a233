package formats

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/timetext"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// checkTimes returns an error if the form of times is another one in every row of a sample.
func (r *csvReader) checkTimes(sample [][]string) (err error) {
	column := r.timeIndex()
	inUTC := r.saysUTC(column)
	given := r.clock.Zone
	if inUTC && given == nil {
		r.clock.Zone = time.UTC
	}
	if err := errors.Join(r.orderOfDates(sample, column), r.hoursAsNumbers(sample, column)); err != nil {
		return err
	}
	for i, row := range sample {
		if column >= len(row) || strings.TrimSpace(row[column]) == "" {
			continue
		}
		text := r.dialect.time(r.header, row, strings.TrimSpace(row[column]))
		_, _, wrong := r.clock.Read(text)
		if wrong == nil {
			if _, ok := r.clock.Beginning(text); ok {
				r.dates += ", the beginning of each interval"
			}
			withoutZone := r.clock
			withoutZone.Zone = nil
			_, _, err := withoutZone.Read(text)
			switch isLocal := errors.Is(err, timetext.ErrNoZone); {
			case !isLocal:
				r.assumed = ""
			case inUTC && given != nil && given.String() != time.UTC.String():
				return usererr.Errorf("%s: %s says that times are of UTC, and --zone %s: leave out --zone, or, "+
					"if the title is wrong, pass --skip 1 and --columns with another one",
					place(r.name, 1+r.skipped), quoteAll(r.titlesAt(column)), given)
			case inUTC:
				r.dates += ", of UTC, as the title says"
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

var titleOfUTC = regexp.MustCompile(`^utc|(utc|gmt)$`)

// saysUTC reports whether a title says that the times of a column are of UTC: Date/time UTC, time (GMT).
func (r *csvReader) saysUTC(column int) bool {
	return slices.ContainsFunc(r.titlesAt(column), func(header string) bool {
		return titleOfUTC.MatchString(title(strings.NewReplacer("(", " ", "[", " ").Replace(header)))
	})
}
