package rollup

import (
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// FieldRole is what a field of a kind is declared as.
type FieldRole string

// The roles.
const (
	MeasureRole     FieldRole = "measure"
	PercentilesRole FieldRole = "percentiles" // of a measure
	StepsRole       FieldRole = "steps"       // of a measure: its increase
	DimensionRole   FieldRole = "dimension"
	DistinctRole    FieldRole = "distinct"
)

// AddedField is a field that was added to a kind which had rows already, so that rows of
// earlier events may have been folded without it.
type AddedField struct {
	Role FieldRole
	Name string
	// Since is the version of the fields that added it: a fold whose FieldsAt is earlier
	// does not include the field in all of its events. MaxTime: no fold includes it.
	Since model.Time
	// WholeFrom is the start of the first bucket whose figures of the field are whole. MaxTime: unknown, as
	// of a field that was removed. An earlier bucket may be whole too: its fold says so.
	WholeFrom model.Time
}

// AddedFields are added fields, each role and name once.
type AddedFields []AddedField

// Find returns the field of a role and name.
func (a AddedFields) Find(role FieldRole, name string) (AddedField, bool) {
	for _, f := range a {
		if f.Role == role && f.Name == name {
			return f, true
		}
	}
	return AddedField{}, false
}

// Merge returns the fields of both. Of a field in both it has the later WholeFrom. It changes neither.
func (a AddedFields) Merge(b AddedFields) AddedFields {
	if len(a) == 0 {
		return b
	}
	merged := slices.Clone(a)
	for _, f := range b {
		i := slices.IndexFunc(merged, func(m AddedField) bool { return m.Role == f.Role && m.Name == f.Name })
		if i < 0 {
			merged = append(merged, f)
			continue
		}
		merged[i].WholeFrom = max(merged[i].WholeFrom, f.WholeFrom)
	}
	return merged
}

// Partial returns the fields whose figures in f do not include all events of f, although f
// may be exact: the events were folded before the field was declared, or the field is not
// declared any more. It depends on its arguments only.
func (s *Spec) Partial(f *Fold) (partial AddedFields) {
	if s == nil || f.Summary == nil || f.Summary.events == 0 {
		return nil
	}
	for _, field := range s.Added {
		if f.FieldsAt < field.Since {
			partial = append(partial, field)
		}
	}
	for _, d := range f.Summary.dimensions {
		if s.dimension(d.name) == nil {
			partial = partial.Merge(AddedFields{removedField(DimensionRole, d.name)})
		}
	}
	for _, d := range f.Summary.distincts {
		if !s.distinct(d.name) {
			partial = partial.Merge(AddedFields{removedField(DistinctRole, d.name)})
		}
	}
	return partial
}

// removedField is a field of stored rows that is not declared.
func removedField(role FieldRole, name string) AddedField {
	return AddedField{Role: role, Name: name, Since: model.MaxTime, WholeFrom: model.MaxTime}
}

// fieldsAt returns the version of the fields; 0 for nil.
func (s *Spec) fieldsAt() model.Time {
	if s == nil {
		return 0
	}
	return s.FieldsAt
}
