package formats

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/base/timetext"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// guessColumns returns the column of each field, guessed from the names of the columns, and
// the column of the time also from its content. A column that is no field of every kind
// becomes the field with its own name. Fields of known columns are left out.
func guessColumns(k *catalog.Kind, header []string, known ColumnMap, sample [][]string) (ColumnMap, error) {
	var identity ColumnMap
	if days := daysAsRows(header); len(days) >= mostTimesInTitles {
		return nil, fmt.Errorf("the columns %s … are times of a day: write a row for each time, with the day "+
			"and the time before the value, for example with melt of pandas", quoteAll(days[:2]))
	}
	for _, short := range []string{"subject", "stream", "time", "id"} {
		if known.has(shortNames(k)[short]) {
			continue
		}
		found := named(header, titles(k, short))
		if short == "time" {
			found = slices.DeleteFunc(found, func(h string) bool {
				return len(found) > 1 && isTimeOfDay(sample, slices.Index(header, h))
			})
		}
		if short == "time" && len(found) == 0 {
			found = timeColumns(header, sample)
			if slices.ContainsFunc(found, isTimeText) {
				return nil, firstIsData(header)
			}
		}
		if short == "id" && k.IDs == catalog.MintedID {
			continue
		}
		switch required := short == "subject" || short == "time"; {
		case len(found) > 1 && found[0] == found[1]:
			return nil, fmt.Errorf("two columns are named %s: write a file for each with its other columns, "+
				"or rename one", Quote(found[0]))
		case len(found) > 1:
			return nil, fmt.Errorf("the columns %s may be the %s: pass --map %s=COLUMN with one of them%s",
				quoteAll(found), short, short, orJoined(found))
		case len(found) == 1:
			identity = append(identity, column{field: shortNames(k)[short], header: found[0]})
		case required:
			return nil, notNamed(k, short, header, sample)
		}
	}
	return append(identity, otherColumns(k, identity, header)...), nil
}

// orJoined returns advice for columns that may be the time, if their titles are a day and a time of day.
func orJoined(found []string) string {
	day, clock := named(found, dayTitles), named(found, clockTitles)
	if len(day) != 1 || len(clock) != 1 {
		return ""
	}
	return fmt.Sprintf(", or join a day and a time of day: --map 'time=%s+%s'", day[0], clock[0])
}

// mostTimesInTitles is the number of titles that are times of day from which a row is a day.
const mostTimesInTitles = 12

// clockTitle is a title that is a time of day, or a part of a day: 00:15, 00:00-00:15, 00.00-00.15. A title
// 0.25 alone is a number, as of a spectrum.
var clockTitle = regexp.MustCompile(`^\d{1,2}:\d\d(:\d\d)?$|` +
	`^\d{1,2}[:.]\d\d([:.]\d\d)? ?[-–] ?\d{1,2}[:.]\d\d([:.]\d\d)?$`)

// daysAsRows returns the titles that are times of day.
func daysAsRows(header []string) []string {
	return slices.DeleteFunc(slices.Clone(header), func(h string) bool { return !clockTitle.MatchString(h) })
}

// mostAbove is how many lines above a header are looked through.
const mostAbove = 20

// notNamed returns the error for a header without a column that is named like a field.
func notNamed(k *catalog.Kind, short string, header []string, sample [][]string) error {
	titled := slices.DeleteFunc(slices.Clone(header), func(h string) bool { return h == "" })
	if looksLikeData(titled) {
		return firstIsData(titled)
	}
	if len(header) == 1 && len(strings.FieldsFunc(header[0], isOtherSeparator)) > 2 {
		return fmt.Errorf("no comma, semicolon, tab or bar separates the columns of %s: if it is a title, pass "+
			"--skip 1; if spaces separate them and no cell has one, convert the file with tr -s ' ' ','",
			Quote(header[0]))
	}
	constant := ""
	if short == "subject" {
		constant = "; --set subject=ID if all rows are of one; --map subject=*,time=COLUMN,value=* if each " +
			"column is of one"
	}
	return fmt.Errorf("no column is named like the %s; the columns are %s: pass --map %s=COLUMN with one of "+
		"them%s", short, quoteAll(titled), short, constant)
}

// isOtherSeparator reports whether a character may separate columns where none is read as a separator.
func isOtherSeparator(c rune) bool { return c == ' ' || c == '^' || c == '~' }

// firstIsData returns the error for a table without a header, whose first row would be lost.
func firstIsData(cells []string) error {
	return fmt.Errorf("the first line is data, and no header: %s; name the columns with --columns, such "+
		"as --columns device,time,temperature", quoteAll(cells))
}

// isHeaderBelow reports whether a row below the first line has the titles of columns, of which one is the
// time, and the first line has no such title. The row may have another separator than the first line.
func isHeaderBelow(k *catalog.Kind, first, row []string) bool {
	all := strings.FieldsFunc(strings.Join(row, ","), func(c rune) bool {
		return strings.ContainsRune(separators, c)
	})
	hasTime := func(row []string) bool { return len(named(row, titles(k, "time"))) > 0 }
	return len(all) > 1 && !hasTime(first) && hasTime(all) && !hasData(all)
}

// titles returns the titles under which a field of every kind is known, the field's own name first.
func titles(k *catalog.Kind, short string) []string {
	subject := strings.ToLower(k.Subject.Name)
	return append([]string{title(shortNames(k)[short])}, map[string][]string{
		"subject": {"subject", "subjectid", subject, subject + "id", subject + "name", "sensor", "sensorid",
			"station", "stationid", "serial", "serialnumber", "device", "deviceid", "entityid", "host", "hostname",
			"node", "nodeid", "gerät", "messstelle", "appareil", "capteur", "sensorname", "statisticid",
			"sensore", "dispositivo", "apparaat", "czujnik", "enhet", "cihaz"},
		"stream": {"stream", "metric", "channel", "parameter", "measurement"},
		"time": {"time", "timestamp", "ts", "datetime", "date", "timestamputc", "timeutc", "eventtime",
			"measuredat", "recordedat"},
		"id": {"id", "recordid", "rec", "eventid", "messageid", "uuid"},
	}[short]...)
}

// title returns a column's title in lower case, without its unit and punctuation.
func title(header string) string {
	if unit := strings.IndexAny(header, "(["); unit > 0 {
		header = header[:unit]
	}
	return strings.Map(func(c rune) rune {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, header)
}

// named returns the columns with one of the titles; only that with the first title if there is one.
func named(header, titles []string) (found []string) {
	for _, h := range header {
		switch at := slices.Index(titles, title(h)); {
		case at == 0:
			return []string{h}
		case at > 0:
			found = append(found, h)
		}
	}
	return found
}

// timeColumns returns the columns in which the cells are times, with the day first, or all with the month
// first. Numbers are not taken for times: a counter looks like an epoch. If no column has times alone, one of
// ten cells may be none, as in the last line of a report.
func timeColumns(header []string, sample [][]string) (found []string) {
	var mostly []string
	for i, h := range header {
		var times, others int
		for _, row := range sample {
			if isBlank(row) {
				continue // no row
			}
			if i < len(row) && isTimeText(row[i]) {
				times++
			} else if others++; others*mostOther > len(sample) {
				break // most columns have no times: their other cells are not tried
			}
		}
		switch {
		case times > 0 && others == 0:
			found = append(found, h)
		case times > 0 && others*mostOther <= times:
			mostly = append(mostly, h)
		}
	}
	if found == nil {
		return mostly
	}
	return found
}

// mostOther is the greatest share of cells of a column of times that are none, one in this many.
const mostOther = 10

// isTimeText reports whether a cell is a time, with the day or the month first. A zone is asked for later.
func isTimeText(cell string) bool {
	cell = strings.TrimSpace(cell)
	if timetext.IsNumber(cell) {
		return false
	}
	isRead := func(order timetext.Order) bool {
		_, _, err := timetext.Clock{Zone: time.UTC, Order: order}.Read(cell)
		return err == nil
	}
	return slices.ContainsFunc(orders, isRead)
}

var orders = []timetext.Order{timetext.UnknownOrder, timetext.DayFirst, timetext.MonthFirst}

// otherColumns returns the columns that keep their names. One named like a declared
// measure, apart from case and unit, becomes that measure, unless its unit is another one than the measure's;
// one without a name is not used.
func otherColumns(k *catalog.Kind, taken ColumnMap, header []string) (fields ColumnMap) {
	for _, h := range header {
		used := slices.ContainsFunc(taken, func(c column) bool { return c.header == h })
		if used || h == "" || k.IsEnrichment(h) {
			continue
		}
		field := h
		for _, m := range k.Measures {
			if title(m.Name) == title(h) && !slices.Contains(header, m.Name) && !fields.has(m.Name) &&
				!columns.Differ(columns.TitleUnit(h), m.Unit) {
				field = m.Name
			}
		}
		fields = append(fields, column{field: field, header: h})
	}
	return fields
}

// describe returns how the columns of a file are read.
func (r *csvReader) describe(form string) string {
	var b strings.Builder
	if r.dialect.name != "" {
		form += ", as " + r.dialect.name + " writes it"
	}
	fmt.Fprintf(&b, "%s: %s\n", r.name, form)
	for i, c := range r.columns {
		title := c.header
		if at := r.indexes[i]; at < len(r.titles) {
			title = r.titles[at]
		}
		from := fmt.Sprintf("from column %d, %s", r.indexes[i]+1, Quote(title))
		if at := r.indexes[i] - r.width; at >= 0 && at < len(r.made) {
			from = r.made[at].from
		}
		fmt.Fprintf(&b, "  %-12s %s%s\n", c.field, from, r.described(i))
	}
	for i, h := range r.header {
		isTime := func(m made) bool { return m.name == catalog.TimeField }
		isJoined := h == "" && slices.ContainsFunc(r.made, isTime)
		if !slices.Contains(r.indexes, i) && !r.isPart(h) && !isJoined {
			fmt.Fprintf(&b, "  not used:    column %d, %s\n", i+1, Quote(h))
		}
	}
	if r.units > 0 {
		fmt.Fprintf(&b, "  not read:    %d rows below the header, which have units and no values\n", r.units)
	}
	for _, why := range r.refused {
		fmt.Fprintf(&b, "  not used:    the column %s\n", why)
	}
	for _, what := range r.fillers {
		fmt.Fprintf(&b, "  missing?     %s\n", what)
	}
	return b.String()
}
