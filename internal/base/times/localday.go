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

// The units. A week begins on Monday.
const (
	Day   Unit = "day"
	Week  Unit = "week"
	Month Unit = "month"
)

// ErrZone is the error of a name that is not in the time zone database.
var ErrZone = errors.New("not a time zone: want a name of the time zone database, such as Europe/Berlin")

// ErrUnit reports a name that no Unit has.
var ErrUnit = errors.New("a time zone has days, weeks and months: want day, week or month")

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
	switch u := Unit(name); u {
	case Day, Week, Month:
		return u, nil
	}
	return "", fmt.Errorf("%.64q: %w", name, ErrUnit)
}

// Period is one day, week or month of a zone: [Start, End). A day has 23, 24 or 25 hours, and other
// lengths where a zone was moved.
type Period struct {
	Label      string // 2026-03-29, 2026-W13 or 2026-03
	Start, End model.Time
}

// Periods returns the periods that overlap [from, to), oldest first, but at most limit. They follow
// each other without a gap, so that each time is in exactly one. A date that a zone skipped has none.
func Periods(zone *time.Location, unit Unit, from, to model.Time, limit int) (all []Period) {
	y, m, d := from.Time().In(zone).Date()
	date := unit.first(time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
	for start := dayStart(zone, date); start < to && len(all) < limit; {
		next := unit.next(date)
		end := dayStart(zone, next)
		if start < end && from < end {
			all = append(all, Period{unit.label(date), start, end})
		}
		date, start = next, end
	}
	return all
}

// first returns the first date of the period that contains a date.
func (u Unit) first(date time.Time) time.Time {
	switch u {
	case Week:
		return date.AddDate(0, 0, -(int(date.Weekday())+6)%7)
	case Month:
		return date.AddDate(0, 0, 1-date.Day())
	}
	return date
}

func (u Unit) next(date time.Time) time.Time {
	switch u {
	case Week:
		return date.AddDate(0, 0, 7)
	case Month:
		return date.AddDate(0, 1, 0)
	}
	return date.AddDate(0, 0, 1)
}

func (u Unit) label(date time.Time) string {
	switch u {
	case Week:
		year, week := date.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", year, week)
	case Month:
		return date.Format("2006-01")
	}
	return date.Format(time.DateOnly)
}

// dayStart returns the first moment at which a zone has a date, or a later one if it skipped
// the date. date is midnight in UTC. Between two changes of its offset, a zone has one midnight of the
// date; if the offset changes over that midnight, the date begins with the change. A midnight that
// comes twice begins the date at its first time, so that dates follow each other.
func dayStart(zone *time.Location, date time.Time) model.Time {
	for at := date.AddDate(0, 0, -2).In(zone); ; {
		_, offset := at.Zone()
		start := date.Add(-time.Duration(offset) * time.Second)
		if start.Before(at) {
			start = at
		}
		_, change := at.ZoneBounds()
		if change.IsZero() || start.Before(change) {
			return model.TimeOf(start)
		}
		at = change
	}
}
