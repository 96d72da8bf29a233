package timetext

import (
	"errors"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// wallLayouts are the forms of a date and a time of day that mean one time. Digits may lack their zeros,
// and seconds may have decimals.
var wallLayouts = withLongMonths(
	"2006-1-2 15:4:5", "2006-1-2 15:4", "2006-1-2", "2006/1/2 15:4:5", "2006/1/2 15:4", "2006/1/2",
	"20060102 150405", "20060102 1504", "2.1.2006 15:4:5", "2.1.2006 15:4", "2.1.2006",
	"2-Jan-2006 15:4:5", "2-Jan-2006 15:4", "2-Jan-2006", "2/Jan/2006:15:4:5",
	"2 Jan 2006 15:4:5", "2 Jan 2006 15:4", "2 Jan 2006", "Mon, 2 Jan 2006 15:4:5",
	"Jan 2, 2006 15:4:5", "Jan 2, 2006 15:4", "Jan 2, 2006 3:4:5 PM", "Jan 2, 2006 3:4 PM", "Jan 2, 2006",
	"Mon Jan 2 15:4:5 2006", "2006-002 15:4:5", "2006-002",
)

// withLongMonths returns layouts, and those with the name of a month also with its whole name.
func withLongMonths(layouts ...string) (all []string) {
	for _, l := range layouts {
		all = append(all, l)
		if long := strings.ReplaceAll(l, "Jan", "January"); long != l {
			all = append(all, long)
		}
	}
	return all
}

// Order is which of the day and the month is first in dates such as 1/11/2026.
type Order uint8

// The orders. Such a date of an unknown order is not read.
const (
	UnknownOrder Order = iota
	DayFirst
	MonthFirst
)

// String returns an order as used in a sentence.
func (o Order) String() string { return [...]string{"", "day first", "month first"}[o] }

// slashLayouts are the forms of dates with slashes.
var slashLayouts = map[Order][]string{DayFirst: withClocks("2/1/"), MonthFirst: withClocks("1/2/")}

func withClocks(day string) (all []string) {
	for _, year := range []string{"2006", "06"} {
		for _, clock := range []string{" 15:4:5", " 15:4", " 3:4:5 PM", " 3:4 PM", ""} {
			all = append(all, day+year+clock)
		}
	}
	return all
}

// DateOrder returns the order that a date says by itself, as 25/11/2026 does; UnknownOrder if it does not.
func DateOrder(text string) Order {
	m := slashes.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return UnknownOrder
	}
	first, _ := strconv.Atoi(m[1])
	second, _ := strconv.Atoi(m[2])
	switch {
	case first > 12 && second <= 12:
		return DayFirst
	case second > 12 && first <= 12:
		return MonthFirst
	}
	return UnknownOrder
}

// compactLayouts are the forms of digits alone, by their number.
var compactLayouts = map[int]string{8: "20060102", 12: "200601021504", 14: "20060102150405"}

// compact reads a time of digits alone, of the years in which there are loggers. As a number since 1970, the
// same digits would be of 1970, of half a year of 1976, or after the year 2500.
func compact(text string) (time.Time, bool) {
	layout := compactLayouts[len(text)]
	at, err := time.Parse(layout, text)
	return at, layout != "" && err == nil && at.Year() >= 1900 && at.Year() <= 2100
}

var (
	// offsetAtEnd is a time of day and its offset, as Postgres, pandas, DuckDB and Go write them.
	offsetAtEnd = regexp.MustCompile(
		`^(.*(?::\d\d?(?:[.,]\d+)?|[ T]\d{4,6}(?:\.\d+)?)) ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)(?: [A-Z]{3,4})?$`)
	dayAndTime = regexp.MustCompile(`^(\d{8}|\d{4}[-/]\d\d?[-/]\d\d?|\d{4}-\d{3})[Tt](\d)`)
	weekDate   = regexp.MustCompile(`^(\d{4})-?W(\d\d)(?:-?([1-7]))?$`)
	slashes    = regexp.MustCompile(`^(\d{1,2})/(\d{1,2})/\d{2,4}`)
	// endOfDay is the midnight at the end of a day.
	endOfDay = regexp.MustCompile(`([T ])24:00(:00(?:[.,]0+)?)?\b`)
	spaces   = regexp.MustCompile(`[ \t]+`)
)

// guessedTime reads a time in one of the forms that mean one time. offset is false if the text has none.
func guessedTime(text string, order Order) (at time.Time, offset, ok bool) {
	text = spaces.ReplaceAllString(strings.TrimSpace(text), " ")
	if at, ok := compact(text); ok {
		return at, false, true
	}
	if at, ok := epochOfUnknownUnit(text); ok {
		return at, true, true
	}
	text = dayAndTime.ReplaceAllString(text, "$1 $2")
	zone := time.UTC
	if m := offsetAtEnd.FindStringSubmatch(text); m != nil {
		text, zone = m[1], offsetZone(m[2])
		offset = true
	}
	text = capitalHalf(text)
	for _, layouts := range [][]string{wallLayouts, slashLayouts[order]} {
		for _, layout := range layouts {
			if at, err := time.ParseInLocation(layout, text, zone); err == nil {
				return at, offset, true
			}
		}
	}
	at, ok = weekDay(text)
	return at, offset, ok
}

// offsetZone returns the zone of an offset: Z, UTC, +02, +0200 or +02:00.
func offsetZone(text string) *time.Location {
	digits := strings.ReplaceAll(strings.TrimLeft(text, "+-"), ":", "")
	if len(digits) < 2 || digits[0] > '9' {
		return time.UTC
	}
	hours, _ := strconv.Atoi(digits[:2])
	minutes, _ := strconv.Atoi("0" + digits[2:])
	seconds := (hours*60 + minutes) * 60
	if text[0] == '-' {
		seconds = -seconds
	}
	return time.FixedZone("", seconds)
}

// weekDay reads a day of a week of ISO 8601; without a day it is Monday.
func weekDay(text string) (time.Time, bool) {
	m := weekDate.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}, false
	}
	year, _ := strconv.Atoi(m[1])
	week, _ := strconv.Atoi(m[2])
	day, _ := strconv.Atoi("0" + m[3])
	first := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC) // always in week 1
	monday := first.AddDate(0, 0, -(int(first.Weekday())+6)%7)
	at := monday.AddDate(0, 0, 7*(week-1)+max(day, 1)-1)
	isoYear, isoWeek := at.ISOWeek()
	return at, isoYear == year && isoWeek == week
}

// excelDay is the unit of days of a spreadsheet, which begin with 1899-12-30.
const excelDay = 24 * time.Hour

const excelEpochDays = 25_569 // days from there to 1970

// epochUnits are the names of units of numbers that are times.
var epochUnits = map[string]time.Duration{
	"excel": excelDay, "s": time.Second, "unix": time.Second, "ms": time.Millisecond, "us": time.Microsecond,
	"ns": time.Nanosecond,
}

// sinceEpoch returns the time of a number of units, to the microsecond.
func sinceEpoch(text string, unit time.Duration) (time.Time, error) {
	n, ok := new(big.Rat).SetString(text)
	if !ok || strings.Contains(text, "/") {
		return time.Time{}, errors.New("is not a number, and --time-format says that times are numbers")
	}
	n.Mul(n, big.NewRat(int64(unit), int64(time.Microsecond)))
	if unit == excelDay { // a rounded fraction of a day: half a millisecond more
		n.Add(n, big.NewRat(500-excelEpochDays*excelDay.Microseconds(), 1))
	}
	micros := new(big.Int).Quo(n.Num(), n.Denom())
	if !micros.IsInt64() {
		return time.Time{}, errors.New("is beyond the year 9999 in the unit of --time-format")
	}
	return time.UnixMicro(micros.Int64()).UTC(), nil
}

// The least numbers that are microseconds and nanoseconds: both are times of 1973 and later, and as the next
// coarser unit beyond the year 5000.
const (
	leastMicros = 1e14
	leastNanos  = 1e17
)

// epochOfUnknownUnit reads a number with an exponent, or of microseconds or nanoseconds.
func epochOfUnknownUnit(text string) (time.Time, bool) {
	n, ok := new(big.Rat).SetString(text)
	if !ok || strings.ContainsAny(text, "/xXoObBpP_") || n.Sign() < 0 {
		return time.Time{}, false
	}
	f, _ := n.Float64()
	unit := time.Second
	switch {
	case f < 1e8: // 1973
		return time.Time{}, false
	case f >= leastNanos:
		unit = time.Nanosecond
	case f >= leastMicros:
		unit = time.Microsecond
	case f >= 1e11:
		unit = time.Millisecond
	}
	at, err := sinceEpoch(text, unit)
	return at, err == nil
}

// layoutOffset and layoutHalf are how an offset, and AM or PM, are written in a layout of a Clock.
const (
	layoutOffset = "Z0700"
	layoutHalf   = "PM"
)

// equalForms are the forms of one part of a layout, the longest of names first.
var equalForms = [][]string{{layoutOffset, "Z07:00", "Z07", "MST"}, {"January", "Jan"}, {"Monday", "Mon"}}

// halfOfDay is AM or PM as people write it.
var halfOfDay = regexp.MustCompile(`(?i)\b[ap]\.?m\b\.?|[0-9][ap]m\b`)

// capitalHalf returns a text with AM or PM as package time reads it.
func capitalHalf(text string) string {
	return halfOfDay.ReplaceAllStringFunc(text, func(half string) string {
		return strings.ToUpper(strings.ReplaceAll(half, ".", ""))
	})
}

// directives are the forms of strptime in the layouts of package time. They read numbers without zeros too.
var directives = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "1", 'd': "2", 'e': "2", 'H': "15", 'k': "15", 'I': "3", 'l': "3", 'M': "4",
	'S': "5", 'f': "999999999", 'L': "999999999", 'N': "999999999", 'p': layoutHalf, 'P': layoutHalf,
	'b': "Jan", 'h': "Jan", 'B': "January",
	'a': "Mon", 'A': "Monday", 'j': "002", 'z': layoutOffset, 'Z': layoutOffset, 'T': "15:4:5", 'R': "15:4",
	'D': "1/2/06", 'F': "2006-1-2", 'c': "Mon Jan 2 15:4:5 2006", 'r': "3:4:5 " + layoutHalf, 'x': "1/2/06",
	'X': "15:4:5", 'n': " ", 't': " ", '%': "%",
}

// SetFormat sets how times are written: by the directives of strptime, or as numbers of a unit: s, ms, us,
// ns, or excel for the days of a spreadsheet.
func (c *Clock) SetFormat(format string) error {
	c.Format = format
	if unit, ok := epochUnits[strings.TrimPrefix(format, "%")]; ok {
		c.Unit = unit
		return nil
	}
	var layout strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			layout.WriteByte(format[i])
			continue
		}
		for i++; i < len(format) && strings.IndexByte("-_0^#:EO", format[i]) >= 0; {
			i++ // flags say how a part is written, and each way is read
		}
		if i == len(format) {
			return usererr.Errorf("%q ends within a directive", format)
		}
		part, ok := directives[format[i]]
		if !ok {
			return usererr.Errorf(
				"%%%c is not read: use %%Y %%m %%d %%H %%M %%S %%f %%z %%b %%p %%j, or s, ms, us, ns or excel", format[i])
		}
		layout.WriteString(part)
	}
	c.Layout = layout.String()
	return nil
}
