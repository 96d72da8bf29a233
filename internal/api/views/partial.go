package views

import (
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Partial is a field whose figures do not include all events of a bucket, as JSON.
type Partial struct {
	Role  rollup.FieldRole `json:"role"`
	Field string           `json:"field"`
	// WholeFrom is the start of the first bucket whose figures are whole; nil if unknown.
	WholeFrom *model.Time `json:"wholeFrom"`
}

// NewPartials returns fields as JSON; nil if there are none.
func NewPartials(fields rollup.AddedFields) (all []Partial) {
	for _, f := range fields {
		p := Partial{Role: f.Role, Field: f.Name}
		if f.WholeFrom != model.MaxTime {
			p.WholeFrom = &f.WholeFrom
		}
		all = append(all, p)
	}
	return all
}

// isPartial reports whether a field is among the partial ones.
func isPartial(fields rollup.AddedFields, role rollup.FieldRole, name string) bool {
	_, partial := fields.Find(role, name)
	return partial
}

// hasPartialMeasure reports whether a measure is among the partial fields: its figures have
// no exact of their own.
func hasPartialMeasure(fields rollup.AddedFields) bool {
	return slices.ContainsFunc(fields, func(f rollup.AddedField) bool { return f.Role == rollup.MeasureRole })
}

// LineExact returns the columns exact and wholeFrom of the line of a measure, dimension or
// distinct count, in a bucket that is exact or not. A measure that is exact has the
// wholeFrom of its percentiles, or of its increase. wholeFrom is empty if the figures are whole.
func LineExact(bucket bool, partial rollup.AddedFields, role rollup.FieldRole,
	name string) (exact bool, wholeFrom string) {
	f, isPartial := partial.Find(role, name)
	if isPartial {
		return false, wholeFromText(f)
	}
	for _, figures := range []rollup.FieldRole{rollup.PercentilesRole, rollup.StepsRole} {
		if p, ok := partial.Find(figures, name); ok && role == rollup.MeasureRole {
			return bucket, wholeFromText(p)
		}
	}
	return bucket, ""
}

func wholeFromText(f rollup.AddedField) string {
	if f.WholeFrom == model.MaxTime {
		return "unknown"
	}
	return f.WholeFrom.String()
}
