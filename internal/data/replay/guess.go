package replay

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/tidemark-db/tidemark/internal/base/timetext"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// guessColumns returns the column of each field, guessed from the names of the columns, and
// the column of the time also from its content. A column that is no field of every kind
// becomes the field with its own name. Fields of known columns are left out.
func guessColumns(k *catalog.Kind, header []string, known ColumnMap, sample [][]string) (ColumnMap, error) {
	var columns ColumnMap
	for _, short := range []string{"subject", "stream", "time", "id"} {
		if known.has(shortNames(k)[short]) {
			continue
		}
		found := named(header, titles(k, short))
		if short == "time" && len(found) == 0 {
			found = timeColumns(header, sample)
		}
		if short == "id" && k.IDs == catalog.MintedID {
			continue
		}
		switch required := short == "subject" || short == "time"; {
		case len(found) > 1:
			return nil, fmt.Errorf("the columns %s may be the %s: say with --map which column is which field: --map subject=COLUMN,time=COLUMN,value=COLUMN", quoteAll(found), short)
		case len(found) == 1:
			columns = append(columns, column{field: shortNames(k)[short], header: found[0]})
		case required:
			named := slices.DeleteFunc(slices.Clone(header), func(h string) bool { return h == "" })
			return nil, fmt.Errorf("no column is named like the %s; the columns are %s: say with --map which column "+
				"is which field: --map subject=COLUMN,time=COLUMN,value=COLUMN; --set subject=ID if all rows are of one",
				short, quoteAll(named))
		}
	}
	return append(columns, otherColumns(k, columns, header)...), nil
}

// titles returns the titles under which a field of every kind is known, the field's own name first.
func titles(k *catalog.Kind, short string) []string {
	subject := strings.ToLower(k.Subject.Name)
	return append([]string{title(shortNames(k)[short])}, map[string][]string{
		"subject": {"subject", "subjectid", subject, subject + "id", subject + "name", "sensor", "sensorid",
			"station", "stationid", "serial", "serialnumber", "device", "deviceid", "entityid", "host", "hostname",
			"node", "nodeid", "gerät", "messstelle", "appareil", "capteur"},
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

// timeColumns returns the columns in which every cell is a time. Numbers are not taken for
// times: a counter looks like an epoch.
func timeColumns(header []string, sample [][]string) (found []string) {
	for i, h := range header {
		isTime := func(row []string) bool {
			if i >= len(row) || timetext.IsNumber(strings.TrimSpace(row[i])) {
				return false
			}
			_, _, err := timetext.Clock{Zone: time.UTC}.Read(strings.TrimSpace(row[i])) // a zone is asked for later
			return err == nil
		}
		if len(sample) > 0 && !slices.ContainsFunc(sample, func(row []string) bool { return !isTime(row) }) {
			found = append(found, h)
		}
	}
	return found
}

// otherColumns returns the columns that keep their names. One named like a declared
// measure, apart from case and unit, becomes that measure; one that only a table can have,
// such as _index, or that has no name, is not used.
func otherColumns(k *catalog.Kind, taken ColumnMap, header []string) (columns ColumnMap) {
	for _, h := range header {
		used := slices.ContainsFunc(taken, func(c column) bool { return c.header == h })
		if used || h == "" || keys.Reserved(h) || k.IsEnrichment(h) {
			continue
		}
		field := h
		for _, m := range k.Measures {
			if title(m.Name) == title(h) && !slices.Contains(header, m.Name) && !columns.has(m.Name) {
				field = m.Name
			}
		}
		columns = append(columns, column{field: field, header: h})
	}
	return columns
}

// describe returns how the columns of a file are read.
func (r *csvReader) describe(form string) string {
	var b strings.Builder
	if r.dialect.name != "" {
		form += ", as " + r.dialect.name + " writes it"
	}
	fmt.Fprintf(&b, "%s: %s\n", r.name, form)
	for i, c := range r.columns {
		fmt.Fprintf(&b, "  %-12s from column %d, %s%s\n", c.field, r.indexes[i]+1, quote(c.header), r.described(i))
	}
	for i, h := range r.header {
		if !slices.Contains(r.indexes, i) {
			fmt.Fprintf(&b, "  not used:    column %d, %s\n", i+1, quote(h))
		}
	}
	for _, why := range r.refused {
		fmt.Fprintf(&b, "  not used:    the column %s\n", why)
	}
	return b.String()
}
