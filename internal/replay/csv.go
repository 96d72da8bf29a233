package replay

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/usage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// csvReader reads the rows below a header line.
type csvReader struct {
	name    string
	kind    *catalog.Kind
	rows    *csv.Reader
	columns ColumnMap
	indexes []int // of each mapped column in a row
}

func newCSVReader(name string, source io.Reader, k *catalog.Kind, columns ColumnMap) (*csvReader, error) {
	r := &csvReader{name: name, kind: k, rows: csv.NewReader(source), columns: columns}
	r.rows.ReuseRecord = true
	header, err := r.rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, usage.Errorf("read %s: the file is empty: it must begin with a header line", name)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	for _, c := range columns {
		at := slices.Index(header, c.header)
		if at < 0 {
			return nil, usage.Errorf("%s has no column %q: its columns are %s", name, c.header, strings.Join(header, ", "))
		}
		r.indexes = append(r.indexes, at)
	}
	return r, nil
}

func (r *csvReader) next() (Observation, error) {
	row, err := r.rows.Read()
	if err != nil {
		return Observation{}, err
	}
	line, _ := r.rows.FieldPos(0)
	o := Observation{Location: fmt.Sprintf("%s:%d", r.name, line)}
	var subject, stream string
	body := []byte{'{'}
	for i, c := range r.columns {
		text := row[r.indexes[i]]
		switch c.field {
		case r.kind.Subject.Field:
			subject = text
		case catalog.StreamField:
			stream = text
		case catalog.TimeField:
			o.At, o.Timed = eventTime(ingest.Field{Text: text, Form: timeForm(text)})
		}
		body = r.appendMember(body, c.field, text)
	}
	o.Body, o.Series = append(body, '}'), seriesName(subject, stream)
	return o, nil
}

// timeForm returns the form of a time: digits alone are an epoch number.
func timeForm(text string) ingest.Form {
	if text != "" && strings.Trim(text, "0123456789.") == "" {
		return ingest.NumberForm
	}
	return ingest.TextForm
}

// appendMember appends one cell as a JSON member. An empty cell of a declared measure is
// null, which counts as an invalid value; any other empty cell is left out.
func (r *csvReader) appendMember(b []byte, field, text string) []byte {
	value, ok := r.value(field, text)
	if !ok {
		return b
	}
	if len(b) > 1 {
		b = append(b, ',')
	}
	name, _ := json.Marshal(field) // strings cannot fail
	return append(append(append(b, name...), ':'), value...)
}

func (r *csvReader) value(field, text string) (value []byte, ok bool) {
	switch {
	case text == "":
		return []byte("null"), r.isMeasure(field)
	case field == catalog.TimeField && timeForm(text) == ingest.NumberForm:
		return []byte(text), true
	case !isIdentity(r.kind, field):
		if number, err := model.ParseDecimal(text); err == nil {
			return []byte(number.String()), true
		}
	}
	value, _ = json.Marshal(text) // strings cannot fail
	return value, true
}

func (r *csvReader) isMeasure(field string) bool {
	return slices.ContainsFunc(r.kind.Measures, func(m rollup.MeasureSpec) bool { return m.Name == field })
}

// isIdentity reports whether a field has a short name: its value stays text even if it
// looks like a number.
func isIdentity(k *catalog.Kind, field string) bool {
	for _, name := range shortNames(k) {
		if name == field {
			return true
		}
	}
	return false
}
