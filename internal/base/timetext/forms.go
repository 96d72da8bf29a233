package timetext

import (
	"errors"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// dateLayouts are the forms of a date that mean one day. Digits may lack their zeros. The name of a month is
// between day and year, as withoutWords writes it.
var dateLayouts = []string{
	"2006-1-2", "2006/1/2", "2.1.2006", "2.1.06", "2. 1. 2006", "20060102", "2 Jan 2006", "2 Jan 06",
	"2006-002", "2006年1月2日", "2006. 1. 2.", "2006.1.2",
}

// wholeLayouts are the forms of a date and a time of day that have no colons.
var wholeLayouts = []string{"20060102 150405", "20060102 1504"}

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

// slashLayouts are the forms of dates with slashes, or with dashes and the year behind them.
var slashLayouts = map[Order][]string{
	DayFirst:   {"2/1/2006", "2/1/06", "2-1-2006"},
	MonthFirst: {"1/2/2006", "1/2/06", "1-2-2006"},
}

// DateOrder returns the order that a date says by itself, as 25/11/2026 does; UnknownOrder if it does not.
func DateOrder(text string) Order {
	m := slashes.FindStringSubmatch(cutDay(strings.TrimSpace(text)))
	if m == nil {
		return UnknownOrder
	}
	first, _ := strconv.Atoi(m[1])
	second, _ := strconv.Atoi(m[2] + m[3]) // one of them is empty
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
	weekDate = regexp.MustCompile(`^(\d{4})-?W(\d\d)(?:-?([1-7]))?(?:$|[T ])`)
	slashes  = regexp.MustCompile(`^(\d{1,2})(?:/(\d{1,2})/\d{2,4}|-(\d{1,2})-\d{4})\b`)
	// endOfDay is the midnight at the end of a day.
	endOfDay = regexp.MustCompile(`([T ])24:00(:00(?:[.,]0+)?)?\b`)
	// spaces are also those that browsers and spreadsheets write before AM and PM.
	spaces = regexp.MustCompile(`[ \t\x{A0}\x{2009}\x{202F}]+`)
)

// withoutWeek returns a text with the date in place of a day of a week of ISO 8601, as 2026-W44-7T10:00Z;
// without a day it is Monday.
func withoutWeek(text string) string {
	m := weekDate.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	year, _ := strconv.Atoi(m[1])
	week, _ := strconv.Atoi(m[2])
	day, _ := strconv.Atoi("0" + m[3])
	first := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC) // always in week 1
	monday := first.AddDate(0, 0, -(int(first.Weekday())+6)%7)
	at := monday.AddDate(0, 0, 7*(week-1)+max(day, 1)-1)
	if isoYear, isoWeek := at.ISOWeek(); isoYear != year || isoWeek != week {
		return text
	}
	return strings.TrimSpace(at.Format(time.DateOnly) + " " + text[len(m[0]):])
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
