package formats

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// calendarPart is a part of a time that may have a column of its own.
type calendarPart struct {
	titles []string
	cells  *regexp.Regexp // a whole number may be written as 5.0
	width  int            // to which zeros are put in front
	before string         // the mark in front of it in a time
}

// The parts of a day and of its time, in the order in which a time has them. The day of the year stands in
// place of the month and the day, and hhmm in place of the hour and the minute.
var (
	yearPart = newPart("", 4, `[12]\d{3}`, "year", "yr", "yyyy", "jahr", "année", "anno", "año", "jaar")
	dayParts = [][]calendarPart{
		{
			newPart("-", 2, `0?[1-9]|1[0-2]`, "month", "mo", "mm", "monat", "mois", "mes", "mese", "maand"),
			newPart("-", 2, `0?[1-9]|[12]\d|3[01]`, "day", "dd", "dy", "dayofmonth", "mday", "tag", "jour"),
		},
		{newPart("-", 3, `\d{1,3}`, "doy", "dayofyear", "yday", "jday", "julianday", "julian")},
	}
	clockParts = [][]calendarPart{
		{
			newPart(" ", 2, `[01]?\d|2[0-4]`, "hour", "hr", "hh", "stunde", "heure", "hora", "uur"),
			newPart(":", 2, `[0-5]?\d`, "minute", "min", "mi", "minuto", "minuut"),
			newPart(":", 2, `[0-5]?\d`, "second", "sec", "ss", "sekunde", "seconde", "segundo"),
		},
		{newPart(" ", hourAndMinute, `(?:[01]?\d|2[0-4])?[0-5]?\d`, "hhmm", "hourminute", "hrmn", "hourmin")},
	}
)

// hourAndMinute is the width of a time of day without a colon.
const hourAndMinute = 4

func newPart(before string, width int, cells string, titles ...string) calendarPart {
	form := regexp.MustCompile(`^(?:` + cells + `)(?:\.0+)?$`)
	return calendarPart{titles: titles, cells: form, width: width, before: before}
}

// column returns the column with a title of a part, without a time of day; -1 if there is none.
func (p calendarPart) column(header []string, sample [][]string) int {
	return slices.IndexFunc(header, func(h string) bool {
		isLeast := func(other string) bool { return title(h) == "min" && title(other) == "max" }
		return slices.Contains(p.titles, title(h)) && !slices.ContainsFunc(header, isLeast) &&
			!isTimeOfDay(sample, slices.Index(header, h))
	})
}

// isIn reports whether the first row of a sample has the part in a column. A row that has not is rejected.
func (p calendarPart) isIn(sample [][]string, at int) bool {
	i := slices.IndexFunc(sample, func(row []string) bool { return !isBlank(row) })
	return i >= 0 && at < len(sample[i]) &&
		(p.cells == nil || p.cells.MatchString(strings.TrimSpace(sample[i][at])))
}

var noDecimals = regexp.MustCompile(`\.0+$`)

// text returns a cell in a time. A part without a width is a time of day as it is written.
func (p calendarPart) text(cell string) string {
	cell = strings.TrimSpace(cell)
	if p.width == 0 {
		return p.before + cell
	}
	whole := noDecimals.ReplaceAllString(cell, "")
	whole = strings.Repeat("0", max(0, p.width-len(whole))) + whole
	if p.before != "" && p.width == hourAndMinute {
		whole = whole[:2] + ":" + whole[2:]
	}
	return p.before + whole
}

// calendarColumns returns the parts of a time that have columns of their own, and these columns. There are
// none without a year and a day.
func calendarColumns(header []string, sample [][]string) (parts []calendarPart, at []int) {
	year := yearPart.column(header, sample)
	if len(sample) == 0 || year < 0 {
		return nil, nil
	}
	for _, days := range dayParts {
		if at = partColumns(days, header, sample); len(at) == len(days) {
			parts, at = append([]calendarPart{yearPart}, days...), append([]int{year}, at...)
			break
		}
	}
	if len(parts) == 0 {
		return nil, nil
	}
	for _, clock := range clockParts {
		if found := partColumns(clock, header, sample); len(found) > 0 {
			return append(parts, clock[:len(found)]...), append(at, found...)
		}
	}
	for _, h := range named(header, clockTitles) {
		if i := slices.Index(header, h); isTimeOfDay(sample, i) {
			return append(parts, calendarPart{before: " "}), append(at, i)
		}
	}
	return parts, at
}

// partColumns returns the columns of parts, up to the first that has none.
func partColumns(parts []calendarPart, header []string, sample [][]string) (at []int) {
	for _, p := range parts {
		i := p.column(header, sample)
		if i < 0 {
			break
		}
		at = append(at, i)
	}
	return at
}

// calendarTime returns the column that joins the year, the day and the time of day of a table without a
// column of times.
func (r *csvReader) calendarTime(sample [][]string) (made, bool) {
	if len(r.columns) > 0 || r.clock.Format != "" {
		return made{}, false
	}
	parts, at := calendarColumns(r.header, sample)
	hasTime := func(h string) bool {
		at := slices.Index(r.header, h)
		return slices.Contains(titles(r.kind, "time"), title(h)) && !isTimeOfDay(sample, at)
	}
	if len(parts) == 0 || slices.ContainsFunc(r.header, hasTime) || len(timeColumns(r.header, sample)) > 0 {
		return made{}, false
	}
	for i, p := range parts {
		if !p.isIn(sample, at[i]) {
			return made{}, false
		}
	}
	joined := lists.Map(at, func(i int) string { return r.header[i] })
	for _, i := range at {
		r.header[i] = "" // no field of its own
	}
	return made{name: catalog.TimeField, from: "from the columns " + quoteAll(joined), titles: joined,
		cell: func(row []string) (text string) {
			for i, p := range parts {
				if strings.TrimSpace(row[at[i]]) == "" {
					return ""
				}
				text += p.text(row[at[i]])
			}
			if p := parts[len(parts)-1]; p.width == 2 && p.before == " " {
				text += ":00"
			}
			return text
		}}, true
}
