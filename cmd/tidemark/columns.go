package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// columnMap says which column of a CSV file becomes which field, in the order given.
type columnMap []column

type column struct {
	field  string // as the front takes it
	header string // in the file
}

// roles are the short names of the fields that say who, when and which.
func roles(k *catalog.Kind) map[string]string {
	return map[string]string{
		"subject": k.Subject.Field, "stream": catalog.StreamField,
		"time": catalog.TimeField, "id": catalog.IDField,
	}
}

// parseColumns reads subject=device,time=ts,value=value.
func parseColumns(text string, k *catalog.Kind) (columnMap, error) {
	var columns columnMap
	for pair := range strings.SplitSeq(text, ",") {
		field, header, ok := strings.Cut(pair, "=")
		if field, header = strings.TrimSpace(field), strings.TrimSpace(header); !ok || field == "" || header == "" {
			return nil, usagef("--map: %q: want field=column, as subject=device,time=ts,value=value", pair)
		}
		if long, ok := roles(k)[field]; ok {
			field = long
		}
		if columns.has(field) {
			return nil, usagef("--map: %s has two columns: give each field one", field)
		}
		columns = append(columns, column{field, header})
	}
	for _, role := range []string{"subject", "time"} {
		if !columns.has(roles(k)[role]) {
			return nil, usagef("--map: no column for %s: every observation has a subject and a time; add %s=COLUMN", role, role)
		}
	}
	return columns, nil
}

func (c columnMap) has(field string) bool {
	return slices.ContainsFunc(c, func(x column) bool { return x.field == field })
}

// csvReader reads rows under a header line as observations.
type csvReader struct {
	name    string
	kind    *catalog.Kind
	rows    *csv.Reader
	columns columnMap
	places  []int // of each column in a row
}

func newCSVReader(name string, source io.Reader, k *catalog.Kind, columns columnMap) (*csvReader, error) {
	r := &csvReader{name: name, kind: k, rows: csv.NewReader(source), columns: columns}
	r.rows.ReuseRecord = true
	header, err := r.rows.Read()
	if err == io.EOF {
		return nil, usagef("read %s: the file is empty: want a header line", name)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	for _, c := range columns {
		at := slices.Index(header, c.header)
		if at < 0 {
			return nil, usagef("--map: %s has no column %q: its columns are %s", name, c.header, strings.Join(header, ", "))
		}
		r.places = append(r.places, at)
	}
	return r, nil
}

func (r *csvReader) next() (observed, error) {
	row, err := r.rows.Read()
	if err != nil {
		return observed{}, err
	}
	line, _ := r.rows.FieldPos(0)
	o := observed{place: fmt.Sprintf("%s:%d", r.name, line)}
	var subject, stream string
	body := []byte{'{'}
	for i, c := range r.columns {
		text := row[r.places[i]]
		switch c.field {
		case r.kind.Subject.Field:
			subject = text
		case catalog.StreamField:
			stream = text
		case catalog.TimeField:
			o.at, o.timed = eventTime(ingest.Field{Text: text, Form: formOfTime(text)})
		}
		body = r.appendMember(body, c.field, text)
	}
	o.body, o.series = append(body, '}'), seriesName(subject, stream)
	return o, nil
}

// formOfTime takes bare digits for an epoch number.
func formOfTime(text string) ingest.Form {
	if text != "" && strings.Trim(text, "0123456789.") == "" {
		return ingest.NumberForm
	}
	return ingest.TextForm
}

// appendMember writes one cell. An empty cell of a declared measure is null, which
// counts as invalid; any other is an absent field.
func (r *csvReader) appendMember(b []byte, field, text string) []byte {
	value, ok := r.value(field, text)
	if !ok {
		return b
	}
	if len(b) > 1 {
		b = append(b, ',')
	}
	name, _ := json.Marshal(field) // a string always has a JSON form
	return append(append(append(b, name...), ':'), value...)
}

func (r *csvReader) value(field, text string) (value []byte, ok bool) {
	switch {
	case text == "":
		return []byte("null"), r.isMeasure(field)
	case field == catalog.TimeField && formOfTime(text) == ingest.NumberForm:
		return []byte(text), true
	case !isRole(r.kind, field):
		if number, err := model.ParseDecimal(text); err == nil {
			return []byte(number.String()), true
		}
	}
	value, _ = json.Marshal(text) // a string always has a JSON form
	return value, true
}

func (r *csvReader) isMeasure(field string) bool {
	return slices.ContainsFunc(r.kind.Measures, func(m rollup.MeasureSpec) bool { return m.Name == field })
}

func isRole(k *catalog.Kind, field string) bool {
	for _, name := range roles(k) {
		if name == field {
			return true
		}
	}
	return false
}
