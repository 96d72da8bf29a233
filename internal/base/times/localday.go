package times

import (
	"errors"
	"fmt"
	"time"
	_ "time/tzdata" // a function has no files of the system

	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Unit is the length of a period.
type Unit string

// The units, with the names of tiers. A week begins on Monday, a Sunday week on Sunday.
const (
	Day        Unit = "day"
	Week       Unit = "week"
	WeekSunday Unit = "week-sunday"
	Month      Unit = "month"
	Quarter    Unit = "quarter"
)

// Units are all units, the shortest first.
var Units = []Unit{Day, Week, WeekSunday, Month, Quarter}

// calendar has a row for each unit, in dates: the first date of the period of a date, the first of the next
// period, and how a period is named by its first date.
var calendar = map[Unit]struct {
	first, next func(date time.Time) time.Time
	label       func(date time.Time) string
}{
	Day: {
		first: func(date time.Time) time.Time { return date },
		next:  func(date time.Time) time.Time { return date.AddDate(0, 0, 1) },
		label: func(date time.Time) string { return date.Format(time.DateOnly) },
	},
	Week: {
		first: func(date time.Time) time.Time { return date.AddDate(0, 0, -(int(date.Weekday())+6)%7) },
		next:  func(date time.Time) time.Time { return date.AddDate(0, 0, 7) },
		label: func(date time.Time) string {
			year, week := date.ISOWeek()
			return fmt.Sprintf("%04d-W%02d", year, week)
		},
	},
	WeekSunday: {
		first: func(date time.Time) time.Time { return date.AddDate(0, 0, -int(date.Weekday())) },
		next:  func(date time.Time) time.Time { return date.AddDate(0, 0, 7) },
		label: func(date time.Time) string { return date.Format(time.DateOnly) },
	},
	Month: {
		first: func(date time.Time) time.Time { return date.AddDate(0, 0, 1-date.Day()) },
		next:  func(date time.Time) time.Time { return date.AddDate(0, 1, 0) },
		label: func(date time.Time) string { return date.Format("2006-01") },
	},
	Quarter: {
		first: func(date time.Time) time.Time { return date.AddDate(0, -int(date.Month()-1)%3, 1-date.Day()) },
		next:  func(date time.Time) time.Time { return date.AddDate(0, 3, 0) },
		label: func(date time.Time) string { return fmt.Sprintf("%04d-Q%d", date.Year(), (date.Month()+2)/3) },
	},
}

// ErrZone is the error of a name that is not in the time zone database.
var ErrZone = errors.New("not a time zone: want a name of the time zone database, such as Europe/Berlin")

// ErrUnit reports a name that no Unit has.
var ErrUnit = errors.New("a time zone has days, weeks, months and quarters: " +
	"want day, week, week-sunday, month or quarter")

// ZoneField is the field of a profile that names the time zone of its subject.
const ZoneField = "timezone"

// Zone returns the time zone with a name. "Local", which depends on the machine, is none. The error wraps
// ErrZone, and names a zone that is similar.
func Zone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return nil, fmt.Errorf("%.64q is %w%s", name, ErrZone, names.Meant(similarZone(name)))
	}
	return zone, nil
}

// ParseUnit returns the unit with a name.
func ParseUnit(name string) (Unit, error) {
	if _, found := calendar[Unit(name)]; found {
		return Unit(name), nil
	}
	return "", fmt.Errorf("%.64q: %w", name, ErrUnit)
}

// Period is one day, week, month or quarter of a zone: [Start, End). A day has 23, 24 or 25 hours, and other
// lengths where a zone was moved.
type Period struct {
	Label      string // 2026-03-29, 2026-W13, 2026-03 or 2026-Q1
	Start, End model.Time
}

// Periods returns the periods that overlap [from, to), oldest first, but at most limit. They follow
// each other without a gap, so that each time is in exactly one. A date that a zone skipped has none.
func Periods(zone *time.Location, unit Unit, from, to model.Time, limit int) (all []Period) {
	y, m, d := from.Time().In(zone).Date()
	of := calendar[unit]
	date := of.first(time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
	for start := DayStart(zone, date); start < to && len(all) < limit; {
		next := of.next(date)
		end := DayStart(zone, next)
		if start < end && from < end {
			all = append(all, Period{Label: of.label(date), Start: start, End: end})
		}
		date, start = next, end
	}
	return all
}

// DayStart returns the first moment at which a zone has a date, or a later one if it skipped
// the date. date is its midnight in UTC. Between two changes of its offset, a zone has one midnight of the
// date; if the offset changes over that midnight, the date begins with the change. A midnight that
// comes twice begins the date at its first time, so that dates follow each other.
func DayStart(zone *time.Location, date time.Time) model.Time {
	for at := date.AddDate(0, 0, -2).In(zone); ; {
		_, offset := at.Zone()
		start := date.Add(-time.Duration(offset) * time.Second)
		if start.Before(at) {
			start = at
		}
		_, change := at.ZoneBounds()
		if change.IsZero() || start.Before(change) {
			return model.NewTime(start)
		}
		at = change
	}
}
