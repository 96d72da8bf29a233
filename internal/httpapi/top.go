package httpapi

import (
	"strconv"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Top is the most frequent values of a dimension as JSON.
type Top struct {
	Dimension string           `json:"dimension"`
	Tier      string           `json:"tier"`
	Buckets   int              `json:"buckets"`
	Open      bool             `json:"open"`
	Events    int64            `json:"events"`
	Kinds     map[string]int64 `json:"kinds,omitempty"`
	query.TopValues
	Partial []Partial `json:"partial,omitempty"` // as of a Rollup; only the dimension
}

// TopOf returns the values of a dimension as JSON. total is that of their range.
func TopOf(q query.Top, values query.TopValues, total query.Total) Top {
	t := Top{
		Dimension: q.Dimension, Tier: q.Unit.String(), Buckets: total.Buckets, Open: total.Open,
		Events: total.Summary.Events(), Kinds: KindsOf(total.Kinds), TopValues: values,
	}
	if f, partial := total.Partial.Find(rollup.DimensionRole, q.Dimension); partial {
		t.Partial = PartialsOf(rollup.AddedFields{f})
	}
	return t
}

// Lines has one line for each value.
func (t Top) Lines() []any { return linesOf(t.Values) }

// Table has one row for each value.
func (t Top) Table() Table {
	table := Table{Header: []string{t.Dimension, "count", "share"}}
	for _, v := range t.Values {
		table.Rows = append(table.Rows, []string{v.Value, strconv.FormatInt(v.Count, 10), floatText(&v.Share)})
	}
	return table
}
