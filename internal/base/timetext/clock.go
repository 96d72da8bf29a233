// Package timetext reads times as people and programs write them: the forms of databases, spreadsheets and
// programming languages, the formats of strptime, and numbers of a unit since 1970.
package timetext

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Clock is how the cells of a time column are read. The zero value reads what the API accepts, and the
// forms that databases and spreadsheets write.
type Clock struct {
	Zone   *time.Location // of times without an offset; nil if there is none
	Layout string         // of package time; "" reads every form that means one time
	// the cells are numbers of this unit since 1970, or of days by Excel; 0 if they are not
	Unit   time.Duration
	Format string // as the user wrote Layout or Unit, for messages
	Order  Order  // of the day and the month of dates such as 1/11/2026
}

// Read returns the time of a text, and the text that the API accepts for it. Without an error
// that is the text itself where the API accepts it. The errors are declared in this package.
// Of an interval it is the beginning.
func (c Clock) Read(text string) (model.Time, string, error) {
	if _, isCompact := compact(text); c.Layout == "" && c.Unit == 0 && !IsSmall(text) && !isCompact {
		parse := model.ParseTime
		if IsNumber(text) {
			parse = model.ParseEpoch
		}
		if at, err := parse(text, model.TruncateFinerTime); err == nil {
			if _, finer := parse(text, model.RejectFinerTime); finer != nil {
				text = at.String() // as every other form, to the millisecond
			}
			return at, text, nil
		}
	}
	if begin, ok := c.Beginning(text); ok {
		at, sent, err := c.Read(begin)
		if err != nil {
			sent = text
		}
		return at, sent, err
	}
	wall, offset, err := c.wall(text)
	if err == nil && !offset {
		wall, err = c.inZone(wall)
	}
	if err != nil {
		return 0, text, fmt.Errorf("%.64q %w", text, err)
	}
	at := model.NewTime(wall)
	if at < model.MinTime || at > model.MaxTime {
		return 0, text, fmt.Errorf("%.64q is %w", text, model.ErrTimeRange)
	}
	return at, at.String(), nil
}

// wall returns what a clock showed, as a time in UTC unless the text has an offset.
func (c Clock) wall(text string) (at time.Time, offset bool, err error) {
	if ended := endOfDay.ReplaceAllString(text, "${1}00:00$2"); ended != text {
		at, offset, err = c.wall(ended)
		return at.AddDate(0, 0, 1), offset, err
	}
	switch {
	case c.Unit != 0:
		at, err = sinceEpoch(text, c.Unit)
		return at, c.Unit != excelDay, err
	case c.Layout != "":
		return c.formatted(text)
	}
	if at, offset, ok, err := c.guessed(text); ok {
		return at, offset, err
	}
	parsed, err := times.Parse(text)
	switch {
	case err == nil:
		return parsed.Time(), strings.HasSuffix(text, "Z"), nil
	case IsSmall(text):
		return at, false, ErrSmall
	case slashes.MatchString(text):
		return at, false, ErrSlashes
	}
	return at, false, ErrNoTime
}

// IsNumber reports whether a text is an epoch number: digits alone, with or without a point.
func IsNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789.") == "" && strings.Count(text, ".") <= 1
}

// IsSmall reports whether a cell is a number that is no epoch of these decades: the day number of a
// spreadsheet, a year, or a mistake.
func IsSmall(text string) bool {
	whole, _, _ := strings.Cut(text, ".")
	return IsNumber(text) && len(whole) < 9 && text != "0"
}

func (c Clock) inZone(wall time.Time) (time.Time, error) {
	if c.Zone == nil {
		return wall, ErrNoZone
	}
	return times.InZone(wall, c.Zone)
}
