package formats

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/points"
)

// annotations are what the rows above a table of Flux say of its columns: "annotated CSV" of InfluxDB's
// documentation. A result has several tables, each with annotations of its own.
type annotations struct {
	rows                   int // above the first header
	group, types, defaults []string
	open                   bool // the next row is a header
}

// read keeps a row that describes columns; ok is false for another row.
func (a *annotations) read(row []string) (ok bool) {
	to := map[string]*[]string{"#group": &a.group, "#datatype": &a.types, "#default": &a.defaults}[row[0]]
	if to == nil {
		return false
	}
	if !a.open {
		*a = annotations{rows: a.rows, open: true}
	}
	*to = slices.Clone(row)
	return true
}

// isHeader reports whether a row is a header, as the first row behind annotations is.
func (a *annotations) isHeader() bool {
	open := a.open
	a.open = false
	return open
}

// filled returns a row with the default of each column in place of an empty cell.
func (a *annotations) filled(row []string) []string {
	for i := range row[:min(len(row), len(a.defaults))] {
		if i > 0 && row[i] == "" {
			row[i] = a.defaults[i]
		}
	}
	return row
}

// dataTypes are the types of columns of Flux; durations, times and bytes are text.
var dataTypes = map[string]columns.Type{
	"boolean": columns.Bool, "double": columns.Number, "long": columns.Number, "unsignedLong": columns.Number,
}

// column returns how the cells of a column are read: text that looks like a number is text.
func (a *annotations) column(at int) columns.Column {
	if at < 0 || at >= len(a.types) {
		return columns.Column{}
	}
	decided := columns.Column{Type: columns.Text, Mark: columns.Point}
	if t, ok := dataTypes[a.types[at]]; ok {
		decided.Type = t
	}
	return decided
}

// fluxError is the header of what InfluxDB writes in place of the rest of a result.
var fluxError = []string{"", "error", "reference"}

// fluxPoint returns a row of a result of Flux: one field, and the tags in the other columns. If the result is
// pivoted, so that it has no column for fields, the columns by which it is not grouped are fields.
func fluxPoint(t *pointTable, row []string) (p points.Point, err error) {
	row = t.annotations.filled(row)
	if failure := t.cell(row, "error"); slices.Equal(t.header, fluxError) {
		return p, fmt.Errorf("the export of InfluxDB failed here, and rows are missing: export again: %.200s",
			failure)
	}
	p.Name = t.cell(row, "_measurement")
	isPivoted := !slices.Contains(t.header, "_field")
	for i, name := range t.header[:min(len(t.header), len(row))] {
		text := strings.TrimSpace(row[i])
		switch isTag := !isPivoted || i < len(t.annotations.group) && t.annotations.group[i] == "true"; {
		case name == "" || name[0] == '_' || name == "result" || name == "table" || text == "":
		case isTag:
			p.Tags = append(p.Tags, points.Tag{Name: name, Value: text})
		default:
			p.Fields = append(p.Fields, t.field(name, text, t.annotations.column(i)))
		}
	}
	if !isPivoted {
		value := t.annotations.column(slices.Index(t.header, "_value"))
		p.Fields = []ingest.Field{t.field(t.cell(row, "_field"), t.cell(row, "_value"), value)}
	}
	return p, t.time(&p, t.cell(row, "_time"))
}
