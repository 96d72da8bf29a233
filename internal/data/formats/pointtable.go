package formats

import (
	"errors"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/points"
)

// pointTable reads a table whose rows are points, and makes observations by a row of sources: what InfluxDB
// exports, and any table that the user imports by a source.
type pointTable struct {
	*csvReader
	mapper pointMapper
	point  func(t *pointTable, row []string) (points.Point, error)
	source string // the name of the points
}

// pointForms are the tables that are points whatever the user says, by the titles of their columns.
var pointForms = []struct {
	signature []string
	annotated bool // also the rows with a # above it are a part of the form
	several   bool // a file has several tables, of different widths
	point     func(*pointTable, []string) (points.Point, error)
}{
	{signature: []string{"result", "table", "_time", "_value", "_field", "_measurement"}, several: true,
		point: fluxPoint},
	{signature: []string{"result", "table", "_time"}, annotated: true, several: true, point: fluxPoint},
	{signature: fluxError, several: true, point: fluxPoint},
	{signature: []string{"name", "tags", "time"}, point: influxPoint},
}

// asPoints returns the reader of a table whose rows are points; nil if they are not.
func (in Input) asPoints(r *csvReader, header []string, sample [][]string) *pointTable {
	t := &pointTable{csvReader: r, mapper: in.mapper(), source: in.Source}
	if in.Source != "" {
		t.point = sourcePoint
	}
	if in.Points != nil && len(in.Columns) == 0 {
		for _, form := range pointForms {
			isMissing := func(s string) bool { return !slices.Contains(header, s) }
			if !slices.ContainsFunc(form.signature, isMissing) &&
				(!form.annotated || len(r.annotations.group) > 0) {
				t.point, r.anyWidth = form.point, form.several
			}
		}
	}
	if t.point == nil {
		return nil
	}
	r.header, r.width = lists.Map(header, strings.TrimSpace), len(header)
	r.types = make([]columns.Column, len(header))
	for i := range header {
		hint := columns.Hint{Title: title(header[i]), Mark: r.mark}
		if decided, err := columns.Decide(r.cells(sample, i), hint); err == nil {
			r.types[i] = decided
		}
	}
	return t
}

func (t *pointTable) next() (Observation, error) {
	row, line, err := t.csvReader.source()
	wrong := new(rowError)
	switch {
	case errors.As(err, &wrong) && t.lenient:
		return Observation{Location: place(t.name, line), Problem: wrong.Error(), Body: wrong.text}, nil
	case err != nil:
		return Observation{}, err
	case t.annotations.read(row):
		return t.next()
	case t.isHeader(row):
		t.header = lists.Map(row, strings.TrimSpace)
		return t.next()
	}
	p, err := t.point(t, row)
	if err != nil {
		text := strings.Join(row, string(t.rows.Comma))
		return t.mapper.problem(place(t.name, line), []byte(text), err)
	}
	return t.mapper.observation(&p, place(t.name, line), []byte(strings.Join(row, string(t.rows.Comma))))
}

// isHeader reports whether a row is the header of another table of the same file.
func (t *pointTable) isHeader(row []string) bool {
	return t.annotations.isHeader() ||
		slices.Contains(t.header, "_measurement") && slices.Contains(row, "_measurement")
}

// cell returns the cell of a column, "" if there is none.
func (t *pointTable) cell(row []string, name string) string {
	if at := slices.Index(t.header, name); at >= 0 && at < len(row) {
		return strings.TrimSpace(row[at])
	}
	return ""
}

// field returns a cell as a field, by the type of its column.
func (t *pointTable) field(name, text string, column columns.Column) ingest.Field {
	value, _ := column.JSON(text)
	if column.Type == columns.Any && (text == "true" || text == "false") {
		value = []byte(text)
	}
	f := ingest.DecodeObject(slices.Concat([]byte(`{"x":`), value, []byte(`}`))).Fields[0]
	if f.Name = name; column.Type != columns.Text && strings.EqualFold(text, "nan") {
		f.Form = ingest.NullForm // what programs write for a number that is not there
	}
	return f
}

// sourcePoint returns a row as a point of the source that the user names: each cell is a field.
func sourcePoint(t *pointTable, row []string) (points.Point, error) {
	p := points.Point{Name: t.source}
	source := t.mapper.mapping.Row(t.source)
	for i, name := range t.header {
		text := strings.TrimSpace(row[i])
		switch {
		case name == "" || text == "":
		case isIdentity(source, name):
			p.Tags = append(p.Tags, points.Tag{Name: name, Value: text})
		default:
			p.Fields = append(p.Fields, t.field(name, text, t.types[i]))
		}
	}
	return p, nil
}

// isIdentity reports whether a row of sources makes a column a part of the identity of events, which is text.
func isIdentity(row *config.SourceRow, name string) bool {
	if row == nil {
		return false
	}
	isTag := func(t config.SourceTag) bool { return t.Name == name }
	isNamed := strings.Contains(row.Subject+row.Stream, "{"+name+"}")
	return isNamed || slices.Contains(row.Time.From, name) || slices.ContainsFunc(row.Tags, isTag)
}

// influxPoint returns a row of a query of InfluxDB 1: its fields, and its tags in one column.
func influxPoint(t *pointTable, row []string) (p points.Point, err error) {
	p.Name = t.cell(row, "name")
	for tag := range strings.SplitSeq(t.cell(row, "tags"), ",") {
		if name, value, ok := strings.Cut(tag, "="); ok {
			p.Tags = append(p.Tags, points.Tag{Name: name, Value: value})
		}
	}
	for i, name := range t.header {
		text := strings.TrimSpace(row[i])
		if name != "name" && name != "tags" && name != "time" && text != "" {
			p.Fields = append(p.Fields, t.field(name, text, t.types[i]))
		}
	}
	return p, t.time(&p, t.cell(row, "time"))
}

func (t *pointTable) time(p *points.Point, text string) error {
	at, _, err := t.clock.Read(text)
	p.At = at.Time()
	return err
}

// pointMapper makes observations of points by the sources of the configuration.
type pointMapper struct {
	in      Input
	mapping *points.Mapping
	subject string // of points that do not name one
}

func (in Input) mapper() pointMapper {
	return pointMapper{in: in, mapping: in.Points, subject: in.Shape.Constants[in.Kind.Subject.Field]}
}

// observation returns the observation of a point. text is where it comes from, for messages.
func (m *pointMapper) observation(p *points.Point, location string, text []byte) (Observation, error) {
	body, err := m.body(p)
	if err != nil {
		return m.problem(location, text, err)
	}
	o := (&ndjsonReader{kind: m.in.Kind}).observation(body)
	o.Location = location
	return o, nil
}
