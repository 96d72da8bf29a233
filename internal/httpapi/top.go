package httpapi

import (
	"strconv"

	"github.com/tidemark-db/tidemark/internal/query"
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
