package replay

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/usertime"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Clock is how the cells of a time column are read. The zero value reads what the API accepts.
type Clock struct {
	Zone   *time.Location // of times without an offset; nil if there is none
	Layout string         // for time.Parse; "" reads RFC 3339, epochs, and forms such as 2026-11-01 14:00
}

// The errors of Clock.
var (
	errNoZone   = errors.New("has no time zone: pass --zone, such as --zone UTC or --zone Europe/Berlin")
	errNoTime   = errors.New("is not a time: want 2026-04-20T14:00:00Z, 2026-04-20 14:00, or epoch seconds or milliseconds; pass --time-format for another form, such as --time-format '%d.%m.%Y %H:%M'")
	errNoFormat = errors.New("is not in the form of --time-format")
	errSmall    = errors.New("is not a time: as epoch seconds it is in 1970; five digits are the day number of a spreadsheet: export the column as a date")
	errSkipped  = errors.New("does not exist: clocks were put forward over it")
	errTwice    = errors.New("is two times: clocks were put back over it; write it with its offset")
)

// read returns the time of a cell, and the text that the API accepts for it. Without an error
// that is the cell itself where the API accepts it.
func (c Clock) read(text string) (model.Time, string, error) {
	if c.Layout == "" && !isSmall(text) {
		if at, ok := eventTime(ingest.Field{Text: text, Form: timeForm(text)}); ok {
			return at, text, nil
		}
	}
	wall, err := c.wall(text)
	if err == nil && !strings.Contains(c.Layout, "-07") {
		wall, err = inZone(wall, c.Zone)
	}
	if err != nil {
		return 0, text, fmt.Errorf("%.64q %w", text, err)
	}
	at := model.TimeOf(wall)
	return at, at.String(), nil
}

// wall returns what a clock showed, as a time in UTC unless the layout has an offset.
func (c Clock) wall(text string) (time.Time, error) {
	if c.Layout != "" {
		at, err := time.Parse(c.Layout, text)
		if err != nil {
			return at, errNoFormat
		}
		return at, nil
	}
	at, err := usertime.Parse(text)
	switch {
	case err == nil:
		return at.Time(), nil
	case isSmall(text):
		return time.Time{}, errSmall
	}
	return time.Time{}, errNoTime
}

// isSmall reports whether a cell is a number that is no epoch of these decades: the day number of a
// spreadsheet, a year, or a mistake.
func isSmall(text string) bool {
	whole, _, _ := strings.Cut(text, ".")
	return timeForm(text) == ingest.NumberForm && len(whole) < 9 && text != "0"
}

// inZone returns the time at which clocks of a zone show what wall shows in UTC.
func inZone(wall time.Time, zone *time.Location) (found time.Time, err error) {
	if zone == nil {
		return found, errNoZone
	}
	err = errSkipped
	for _, near := range []time.Duration{-24 * time.Hour, 24 * time.Hour} { // the offsets before and after a change
		_, offset := wall.Add(near).In(zone).Zone()
		at := wall.Add(-time.Duration(offset) * time.Second)
		if _, shown := at.In(zone).Zone(); shown != offset || at.Equal(found) {
			continue
		}
		if err == nil {
			return found, errTwice
		}
		found, err = at, nil
	}
	return found, err
}
