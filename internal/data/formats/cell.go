package formats

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/base/timetext"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// appendMember appends one cell as a JSON member. An empty cell of a declared measure is
// null, which counts as an invalid value; any other empty cell is left out.
// stray says that the cell is not of the type of its column, and is kept as text.
func (r *csvReader) appendMember(b []byte, column int, field, text string) (body []byte, stray bool) {
	value, stray := r.value(column, field, text)
	if string(value) == "null" && !isMeasure(r.kind, field) {
		return b, false
	}
	if len(b) > 1 {
		b = append(b, ',')
	}
	return append(appendName(b, field), value...), stray
}

func (r *csvReader) value(column int, field, text string) (value []byte, stray bool) {
	switch {
	case text == "":
		return []byte("null"), false
	case field == catalog.TimeField && timetext.IsNumber(text) && json.Valid([]byte(text)):
		return []byte(text), false
	case isText(r.kind, field):
		value, _ = columns.Column{Type: columns.Text}.JSON(text)
		return value, false
	}
	value, ok := r.types[column].JSON(text)
	return value, !ok
}

// keepsText reports whether a text of a column is a value as it is, with the spaces at its ends: the format
// has types, and the field is no name.
func (r *csvReader) keepsText(column int, field string) bool {
	isName := field == catalog.TimeField || isText(r.kind, field)
	return r.typed && r.types[column].Type == columns.Text && !isName
}

func isMeasure(k *catalog.Kind, field string) bool {
	return slices.ContainsFunc(k.Measures, func(m rollup.MeasureSpec) bool { return m.Name == field })
}

// isText reports whether the value of a field stays text even if it looks like a number:
// identity, dimensions, and what is counted by its distinct values.
func isText(k *catalog.Kind, field string) bool {
	isField := func(d rollup.DimensionSpec) bool { return d.Name == field }
	isIdentity := slices.Contains(slices.Collect(maps.Values(shortNames(k))), field)
	return isIdentity || slices.Contains(k.Distinct, field) || slices.ContainsFunc(k.Dimensions, isField)
}
