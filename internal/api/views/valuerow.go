package views

import (
	"strconv"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// ValueRow is what a row of CSV says about the events of a bucket apart from measures. A
// row of a measure has only the number of events.
type ValueRow struct {
	Role     rollup.FieldRole // of Field
	Events   int64            // of the bucket, or those with Value
	Field    string           // a dimension or a field with distinct counts; "" in the row of a measure
	Stored   string           // the name that rows have for Field
	Value    string           // of the dimension
	Event    string           // the name of the events with Value, if Field is a property
	Distinct *int64           // different values of the field; nil in the row of a value
}

// ValueColumns returns the column names of ValueRow.Cells.
func ValueColumns() []string { return []string{"events", "field", "value", "distinct"} }

// EventColumn names the last column: the name of the events that have the value of a property.
const EventColumn = "event"

// Cells returns the row as text.
func (v ValueRow) Cells() []string {
	distinct := ""
	if v.Distinct != nil {
		distinct = strconv.FormatInt(*v.Distinct, 10)
	}
	return []string{strconv.FormatInt(v.Events, 10), v.Field, v.Value, distinct}
}

// activeField is the distinct count of the sessions in a bucket: those that began in it, which
// are its events, and those that were carried in.
const activeField = "active"

// activeIn returns the count of activeField; false for a kind whose events are stored.
func activeIn(f *rollup.Fold) (n int64, ok bool) {
	return f.Summary.Events() + f.Continuation.Carried, f.Continuation.Events > 0
}

// NewValueRows returns the rows of the distinct counts and of the most values of each
// dimension; 0 means all that are stored.
func NewValueRows(r *query.Rollup, most int) (rows []ValueRow) {
	s := r.Summary
	if n, ok := activeIn(&r.Fold); ok {
		rows = append(rows, ValueRow{Role: rollup.DistinctRole, Events: s.Events(), Field: activeField,
			Stored: activeField, Distinct: &n})
	}
	for _, name := range s.DistinctNames() {
		n, _, _ := s.Distinct(name)
		rows = append(rows, ValueRow{Role: rollup.DistinctRole, Events: s.Events(), Field: name, Stored: name,
			Distinct: &n})
	}
	for _, d := range r.Dimensions() {
		for _, v := range query.NewTopValues(d, most).Values {
			rows = append(rows, ValueRow{Role: rollup.DimensionRole, Events: v.Count, Field: d.Name,
				Stored: d.Field, Value: v.Value, Event: v.Event})
		}
	}
	return rows
}
