// Package times parses times and durations as people write them: in flags, query strings and
// configuration, and cuts time into the days, weeks and months of a time zone. Times that devices send
// are parsed by model.ParseTime, which is stricter.
package times

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Forms describes what Parse accepts, for error messages and help.
const Forms = "2026-11-01T00:00:00Z, 2026-11-01 00:00, 2026-11-01, 2026-11, 2026, or epoch seconds or " +
	"milliseconds"

// The errors of texts.
var (
	ErrForm    = errors.New("not a time: write " + Forms) // in none of the Forms
	ErrSkipped = errors.New("does not exist: clocks were put forward over it")
	ErrTwice   = errors.New("is two times: clocks were put back over it; write it with its offset")
)

// layouts are forms without an offset.
var layouts = []string{
	"2006", "2006-01", time.DateOnly,
	"2006-01-02 15:04", time.DateTime, "2006-01-02T15:04", "2006-01-02T15:04:05",
}

// offsetLayouts are forms with an offset that model.ParseTime does not have.
var offsetLayouts = []string{"2006-01-02T15:04Z07:00", "2006-01-02 15:04Z07:00", "2006-01-02 15:04:05Z07:00"}

// minEpochDigits is the least number of digits of epoch seconds (1973 and later). Fewer
// digits are a mistake: a date without separators, or the day number of a spreadsheet.
const minEpochDigits = 9

// Parse returns the time of a text. A form without an offset is in UTC; a date, month or year means its first
// moment. 0 is 1970. The error wraps ErrForm, model.ErrTimeForm, model.ErrTimeFiner or model.ErrTimeRange.
func Parse(text string) (model.Time, error) { return ParseIn(text, time.UTC) }

// ParseIn is Parse, but a form without an offset is in a time zone. A time of day that clocks of the zone
// skip or show twice is an error that wraps ErrSkipped or ErrTwice; a day begins with its first moment.
func ParseIn(text string, zone *time.Location) (model.Time, error) {
	text = strings.TrimSpace(text)
	for _, layout := range layouts {
		wall, err := time.Parse(layout, text)
		switch {
		case err != nil || len(text) != len(layout):
			continue
		case len(layout) <= len(time.DateOnly):
			return inRange(DayStart(zone, wall).Time(), text)
		}
		at, err := InZone(wall, zone)
		if err != nil {
			return 0, fmt.Errorf("%.64q %w", text, err)
		}
		return inRange(at, text)
	}
	for _, layout := range offsetLayouts {
		if at, err := time.Parse(layout, text); err == nil && at.Equal(at.Truncate(time.Second)) {
			return inRange(at, text)
		}
	}
	if isDigits(text) {
		return epoch(text)
	}
	at, err := model.ParseTime(text, model.RejectFinerTime)
	if errors.Is(err, model.ErrTimeForm) {
		return 0, fmt.Errorf("%.64q is %w", text, ErrForm)
	}
	return at, err
}

func epoch(text string) (model.Time, error) {
	whole, _, _ := strings.Cut(text, ".")
	switch {
	case text == "0", len(whole) >= minEpochDigits:
		return model.ParseTime(text, model.RejectFinerTime)
	case len(whole) == len("20261101"):
		return 0, fmt.Errorf("%.64q is %w; a date is written with -", text, ErrForm)
	case len(whole) == 5:
		return 0, fmt.Errorf(
			"%.64q is %w; a number of five digits is the day number of a spreadsheet: export the column as a date",
			text, ErrForm)
	}
	return 0, fmt.Errorf("%.64q is %w", text, ErrForm)
}

func inRange(at time.Time, text string) (model.Time, error) {
	if t := model.NewTime(at); t >= model.MinTime {
		return t, nil
	}
	return 0, fmt.Errorf("%.64q: %w", text, model.ErrTimeRange)
}

func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789.") == "" }

// InZone returns the time at which clocks of a zone show what wall shows in UTC. The error is ErrSkipped or
// ErrTwice.
func InZone(wall time.Time, zone *time.Location) (found time.Time, err error) {
	err = ErrSkipped
	// the offsets before and after a change
	for _, near := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		_, offset := wall.Add(near).In(zone).Zone()
		at := wall.Add(-time.Duration(offset) * time.Second)
		if _, shown := at.In(zone).Zone(); shown != offset || err == nil && at.Equal(found) {
			continue
		}
		if err == nil {
			return found, ErrTwice
		}
		found, err = at, nil
	}
	return found, err
}
