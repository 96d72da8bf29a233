package formats

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// dialect is a layout of columns that a program always writes.
type dialect struct {
	name      string
	signature []string // titles of columns that it always has
	// fields are what columns become, by title; "" is not used. Others are guessed.
	fields map[string]string
	nanos  string // the title of the column with nanoseconds to add to the time; "" is none
	// otherwise is the title of the column that is the subject if the column of the subject has no cells.
	otherwise string
}

// The short names subject, stream, time and id, and "*" for an object with all other fields.
var dialects = []dialect{
	{name: "Timestream", signature: []string{"measurename", "time"}, fields: map[string]string{
		"measurename": "stream", "measurevaluedouble": "value", "measurevaluebigint": "value",
		"measurevaluevarchar": "value", "measurevalueboolean": "value", "measurevaluetimestamp": "value",
	}},
	{name: "SiteWise", signature: []string{"timestampseconds", "value"}, nanos: "timestampnanooffset",
		otherwise: "alias", fields: map[string]string{
			"alias": "stream", "propertyalias": "stream", "assetid": "subject", "propertyid": "stream",
			"timestampseconds": "time", "timestampnanooffset": "", "value": "value", "quality": "quality",
			"datatype": "",
		}},
}

// exported is the layout of "tidemark export events": only the identity and the exact fields are read.
func exported(k *catalog.Kind) dialect {
	fields := map[string]string{"fields": "*"}
	for _, m := range k.Measures {
		fields[title(m.Name)] = ""
	}
	return dialect{name: "tidemark export",
		signature: []string{title(k.Subject.Field), catalog.TimeField, "fields"}, fields: fields}
}

// findDialect returns the dialect of a header, the zero dialect if it has none.
func findDialect(k *catalog.Kind, header []string) dialect {
	titles := lists.Map(header, title)
	for _, d := range append([]dialect{exported(k)}, dialects...) {
		if !slices.ContainsFunc(d.signature, func(s string) bool { return !slices.Contains(titles, s) }) {
			return d
		}
	}
	return dialect{}
}

// isPart reports whether a column is read together with another one.
func (r *csvReader) isPart(header string) bool {
	return r.dialect.nanos != "" && title(header) == r.dialect.nanos
}

// columns returns the columns of a header: those that a user maps, those that the dialect has, and the others
// as they are guessed.
func (d dialect) columns(
	k *catalog.Kind, header []string, sample [][]string, given ColumnMap,
) (ColumnMap, error) {
	known := slices.Clone(given)
	var rest []string
	for i, h := range header {
		field, ok := d.fields[title(h)]
		if slices.ContainsFunc(given, func(c column) bool { return c.header == h || c.field == field }) {
			continue
		}
		if d.otherwise != "" && field == "subject" && isEmptyColumn(sample, i) {
			field = ""
		}
		switch long, short := shortNames(k)[field]; {
		case !ok:
			rest = append(rest, h)
		case short && !known.has(long):
			known = append(known, column{field: long, header: h})
		case field != "" && !short:
			known = append(known, column{field: field, header: h, whole: field == "*", optional: true})
		}
	}
	if i := slices.IndexFunc(header, func(h string) bool {
		return d.otherwise != "" && title(h) == d.otherwise
	}); i >= 0 && !known.has(k.Subject.Field) {
		known = append(known, column{field: k.Subject.Field, header: header[i]})
	}
	guessed, err := guessColumns(k, rest, known, pickColumns(header, rest, sample))
	return append(known, guessed...), err
}

// isEmptyColumn reports whether no row of a sample has a cell of a column.
func isEmptyColumn(sample [][]string, at int) bool {
	return !slices.ContainsFunc(sample, func(row []string) bool {
		return at < len(row) && strings.TrimSpace(row[at]) != ""
	})
}

// pickColumns returns the cells of some columns of rows.
func pickColumns(header, some []string, rows [][]string) [][]string {
	parts := make([][]string, len(rows))
	for i, row := range rows {
		parts[i] = make([]string, len(some))
		for j, h := range some {
			if at := slices.Index(header, h); at < len(row) {
				parts[i][j] = row[at]
			}
		}
	}
	return parts
}

// sqlTime is a time without a zone, with nanoseconds: what Timestream unloads, in UTC.
var sqlTime = regexp.MustCompile(`^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3})\d{6}$`)

// time returns the time of a row in a form that the API accepts. Of finer times it keeps the milliseconds.
func (d dialect) time(header, row []string, text string) string {
	if m := sqlTime.FindStringSubmatch(text); m != nil && d.name == "Timestream" {
		return m[1] + "T" + m[2] + "Z"
	}
	if d.nanos == "" {
		return text
	}
	at := slices.IndexFunc(header, func(h string) bool { return title(h) == d.nanos })
	if at < 0 {
		return text
	}
	nanos, err := strconv.ParseInt(strings.TrimSpace(row[at]), 10, 64)
	if err != nil || nanos < 0 || nanos >= 1e9 {
		return text
	}
	return text + "." + strconv.FormatInt(1000+nanos/1e6, 10)[1:]
}

// appendMembers appends the members of a JSON object to an object that is not closed.
func appendMembers(body []byte, object string) []byte {
	members := strings.TrimSuffix(strings.TrimPrefix(object, "{"), "}")
	if members == "" {
		return body
	}
	if len(body) > 1 {
		body = append(body, ',')
	}
	return append(body, members...)
}
