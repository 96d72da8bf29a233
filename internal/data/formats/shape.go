package formats

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Shape is what a table does not say itself. The zero value is a header in the first line, and rows below it.
type Shape struct {
	Skip      int               // lines above the header
	SkipBelow int               // rows between the header and the data, such as units
	Header    []string          // of a file without one
	Missing   []string          // cells that say that there is no value
	Constants map[string]string // fields that are the same in every row, by their name
}

// describes reports whether a user describes the lines of a table.
func (s Shape) describes() bool { return s.Skip > 0 || s.SkipBelow > 0 || s.Header != nil }

// ParseConstants reads fields such as subject=station_1,stream=roof. Its errors are usage errors.
func ParseConstants(text string, k *catalog.Kind) (map[string]string, error) {
	constants := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		field, value, _ := strings.Cut(pair, "=")
		if field, value = strings.TrimSpace(field), strings.TrimSpace(value); field == "" || value == "" {
			return nil, usererr.Errorf("%q: want field=value, for example subject=station_1", pair)
		}
		if long, ok := shortNames(k)[field]; ok {
			field = long
		}
		constants[field] = value
	}
	return constants, nil
}

// skipLines discards lines.
func skipLines(text *bufio.Reader, n int) error {
	for range n {
		if _, err := text.ReadString('\n'); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// made is a column that no cell of the file has.
type made struct {
	name string
	from string // for a user
	cell func(row []string) string
	// titles are of the columns that it joins.
	titles []string
}

// addColumns adds columns to the header and to each row: of its path, constants, and a time that is in two
// columns.
func (r *csvReader) addColumns(sample [][]string) [][]string {
	all := r.partitions()
	for field, value := range r.shape.Constants {
		cell := func([]string) string { return value }
		all = append(all, made{name: field, from: "is " + Quote(value), cell: cell})
		if len(r.columns) > 0 && !r.columns.has(field) {
			r.columns = append(r.columns, column{field: field, header: field})
		}
	}
	slices.SortFunc(all, func(a, b made) int { return strings.Compare(a.name, b.name) })
	joined, ok := r.calendarTime(sample)
	if !ok {
		joined, ok = r.joinedTime(sample)
	}
	if ok {
		all = append(all, joined)
	}
	if len(all) == 0 {
		return sample
	}
	r.made = all
	for _, m := range all {
		r.header = append(r.header, m.name)
	}
	extend := func(row []string) []string {
		row = slices.Clone(row)
		for len(row) < r.width {
			row = append(row, "")
		}
		row = row[:r.width]
		for _, m := range all {
			row = append(row, m.cell(row))
		}
		return row
	}
	read := r.source
	r.source = func() ([]string, int, error) {
		row, line, err := read()
		if err != nil {
			return row, line, err
		}
		return extend(row), line, nil
	}
	extended := make([][]string, len(sample))
	for i, row := range sample {
		if row != nil {
			extended[i] = extend(row)
		}
	}
	return extended
}

// The titles of a day, and of a time of day, that are two columns.
var (
	dayTitles   = []string{"date", "day", "datum", "localdate", "dateutc", "fecha", "dato"}
	clockTitles = []string{
		"time", "timeofday", "hour", "uhrzeit", "clock", "localtime", "timeutc", "starttime", "zeit", "tijd",
		"heure", "hora", "ora", "tid", "čas", "cas", "czas",
	}
)

var timeOfDay24 = regexp.MustCompile(
	`^\d{1,2}(?::\d\d(:\d\d([.,]\d+)?)?( ?[AaPp]\.? ?[Mm]\.?| Uhr)?| ?h ?\d\d)$`)

// compactClock is a time of day of four digits.
var compactClock = regexp.MustCompile(`^([01]\d|2[0-3])([0-5]\d)$`)

// isTimeOfDay reports whether a column of a sample has a time of day and no date.
func isTimeOfDay(sample [][]string, at int) bool {
	return len(sample) > 0 && at < len(sample[0]) && timeOfDay24.MatchString(strings.TrimSpace(sample[0][at]))
}

// wholeHour is the hour of a day, of which a table has one row for each.
var wholeHour = regexp.MustCompile(`^\d{1,2}$`)

// isClock reports whether a column has a time of day, or is titled as its hour and has one.
func isClock(sample [][]string, at int, header string) bool {
	isHour := title(header) == "hour" && len(sample) > 0 && at < len(sample[0]) &&
		wholeHour.MatchString(strings.TrimSpace(sample[0][at]))
	isOther := func(row []string) bool {
		return !isBlank(row) && (at >= len(row) || !compactClock.MatchString(strings.TrimSpace(row[at])))
	}
	return isHour || isTimeOfDay(sample, at) || len(sample) > 0 && !slices.ContainsFunc(sample, isOther)
}

// hasTimeOfDay reports whether a column of a sample has days with their time: then another one is a duration.
func hasTimeOfDay(sample [][]string, at int) bool {
	return at < len(sample[0]) && strings.Contains(sample[0][at], ":")
}

// joinedTime returns the column that joins two columns: those that the user names with a plus, as in
// time=Date+Time, or a day and a time of day.
func (r *csvReader) joinedTime(sample [][]string) (made, bool) {
	var parts []string
	name := "timestamp"
	switch i := slices.IndexFunc(r.columns, func(c column) bool { return c.field == catalog.TimeField }); {
	case i >= 0 && !slices.Contains(r.header, r.columns[i].header):
		name = r.columns[i].header
		parts = strings.Split(name, "+")
	case len(r.columns) == 0 && !slices.ContainsFunc(r.header, func(h string) bool {
		return title(h) == name || title(h) == "datetime"
	}):
		day, clock := named(r.header, dayTitles), named(r.header, clockTitles)
		if len(day) == 1 && len(clock) == 1 && isClock(sample, slices.Index(r.header, clock[0]), clock[0]) &&
			!hasTimeOfDay(sample, slices.Index(r.header, day[0])) {
			parts = []string{day[0], clock[0]}
		}
	}
	var at []int
	for _, p := range parts {
		at = append(at, slices.Index(r.header, strings.TrimSpace(p)))
	}
	if len(at) < 2 || slices.Contains(at, -1) {
		return made{}, false
	}
	parts = lists.Map(parts, strings.TrimSpace)
	from := "from the columns " + quoteAll(parts)
	if len(r.columns) == 0 {
		for _, i := range at {
			r.header[i] = "" // no field of its own
		}
	}
	return made{name: name, from: from, titles: parts, cell: func(row []string) string {
		var texts []string
		for _, i := range at {
			texts = append(texts, strings.TrimSpace(row[i]))
		}
		if last := &texts[len(texts)-1]; r.clock.Layout == "" && wholeHour.MatchString(*last) {
			*last += ":00"
		} else if r.clock.Layout == "" && slices.Contains(clockTitles, title(parts[len(parts)-1])) {
			*last = compactClock.ReplaceAllString(*last, "$1:$2")
		}
		return strings.TrimSpace(strings.Join(texts, " "))
	}}, true
}
