package envelope

import (
	"math"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Rollup is what the table says of one bucket, as callers read it.
type Rollup struct {
	Bucket     model.Time               `json:"bucket"`
	End        model.Time               `json:"end"`
	Tier       string                   `json:"tier"`
	Exact      bool                     `json:"exact"`
	Open       bool                     `json:"open"`
	Gap        bool                     `json:"gap,omitempty"` // it has no events, and is shown all the same
	Truncated  bool                     `json:"truncated"`
	Unreadable int64                    `json:"unreadable"`
	Events     int64                    `json:"events"`
	Kinds      map[string]int64         `json:"kinds,omitempty"` // events by kind, where several are merged
	Measures   map[string]query.Figures `json:"measures"`
	Dimensions map[string]query.Shares  `json:"dimensions,omitempty"` // the most frequent values of each
	Distinct   map[string]Distinct      `json:"distinct,omitempty"`

	names []string // of the measures, in order
}

// Distinct is how many different values a field had.
type Distinct struct {
	Count int64 `json:"count"`
	Exact bool  `json:"exact"` // false where it is estimated, within a few per cent
}

// shownValues are the values of a dimension in a rollup; top answers more.
const shownValues = 10

// RollupOf is r as callers read it.
func RollupOf(r query.Rollup) Rollup {
	v := Rollup{
		Bucket: r.Bucket.Start, End: r.Bucket.End, Tier: r.Bucket.Unit.String(),
		Exact: r.Exact, Open: r.Open, Gap: r.Gap, Truncated: r.Summary.Truncated(),
		Unreadable: r.Unreadable, Events: r.Summary.Events(), Kinds: KindsOf(r.Kinds),
		Measures: map[string]query.Figures{}, Dimensions: map[string]query.Shares{}, Distinct: map[string]Distinct{},
		names: r.Summary.Names(),
	}
	for _, name := range v.names {
		v.Measures[name] = query.FiguresOf(r.Measure(name))
	}
	for _, name := range r.Summary.DimensionNames() {
		d, _ := r.Summary.Dimension(name)
		v.Dimensions[name] = query.SharesOf(d, shownValues)
	}
	for _, name := range r.Summary.DistinctNames() {
		n, exact := r.Summary.Distinct(name)
		v.Distinct[name] = Distinct{n, exact}
	}
	return v
}

// KindsOf is how many events are of which kind; nil where one kind was asked for.
func KindsOf(kinds []query.KindEvents) map[string]int64 {
	v := make(map[string]int64, len(kinds))
	for _, k := range kinds {
		v[k.Kind] = k.Events
	}
	return v
}

// Rollups is a page of rollups as callers read it.
type Rollups struct {
	Rollups []Rollup `json:"rollups"`
	Next    *string  `json:"next"`
}

// RollupsOf is page as callers read it.
func RollupsOf(page query.RollupPage) Rollups {
	v := Rollups{Rollups: make([]Rollup, len(page.Rollups)), Next: nextOf(page.Next)}
	for i, r := range page.Rollups {
		v.Rollups[i] = RollupOf(r)
	}
	return v
}

// Lines has a line a bucket.
func (r Rollups) Lines() []any { return linesOf(r.Rollups) }

// Following is the cursor of the next page.
func (r Rollups) Following() *string { return r.Next }

// Table has a row a bucket and measure.
func (r Rollups) Table() Table { return rollupTable(r.Rollups) }

func rollupTable(rollups []Rollup) Table {
	t := Table{Header: append([]string{"tier", "bucket", "end", "measure"}, figureColumns...)}
	t.Header = append(t.Header, "exact", "open")
	for _, b := range rollups {
		if b.Gap {
			t.Rows = append(t.Rows, b.row("", make([]string, len(figureColumns))))
		}
		for _, name := range b.names {
			t.Rows = append(t.Rows, b.row(name, FigureCells(b.Measures[name])))
		}
	}
	return t
}

func (r Rollup) row(measure string, figures []string) []string {
	row := append([]string{r.Tier, r.Bucket.String(), r.End.String(), measure}, figures...)
	return append(row, strconv.FormatBool(r.Exact), strconv.FormatBool(r.Open))
}

// Chart is the rollups of a range in the tier that suits it, as callers read them.
type Chart struct {
	From     model.Time `json:"from"` // what is covered: the range asked for, in whole buckets
	To       model.Time `json:"to"`
	Reason   string     `json:"reason"`   // why these tiers
	Segments []Segment  `json:"segments"` // which tier answers what, oldest first
	// WholeFrom is set where nothing that is kept reaches back to From: what came before
	// it has expired.
	WholeFrom *model.Time `json:"wholeFrom"`
	Rollups   []Rollup    `json:"rollups"`
}

// Segment is a part of a chart that one tier answers.
type Segment struct {
	Tier string     `json:"tier"`
	From model.Time `json:"from"`
	To   model.Time `json:"to"`
}

// ChartOf is c as callers read it.
func ChartOf(c query.Curve) Chart {
	v := Chart{From: c.From, To: c.To, Reason: c.Reason, Rollups: make([]Rollup, len(c.Rollups))}
	if c.WholeFrom > c.From {
		v.WholeFrom = &c.WholeFrom
	}
	for _, s := range c.Segments {
		v.Segments = append(v.Segments, Segment{Tier: s.Unit.String(), From: s.From, To: s.To})
	}
	for i, r := range c.Rollups {
		v.Rollups[i] = RollupOf(r)
	}
	return v
}

// Lines has a line a bucket.
func (c Chart) Lines() []any { return linesOf(c.Rollups) }

// Table has a row a bucket and measure.
func (c Chart) Table() Table { return rollupTable(c.Rollups) }

// Count is how many events a range holds, as callers read it.
type Count struct {
	Events     int64 `json:"events"`
	Unreadable int64 `json:"unreadable"` // of them, those that cannot be decoded
}

// figureColumns are the columns of a measure's figures, as in its JSON.
var figureColumns = []string{"count", "invalid", "sum", "min", "max", "avg", "stddev", "first", "last", "p50", "p95", "p99"}

// FigureColumns are the names of the cells of FigureCells.
func FigureColumns() []string { return append([]string(nil), figureColumns...) }

// FigureCells are the figures of a measure as text: sums exact, what has no valid value
// empty.
func FigureCells(f query.Figures) []string {
	return []string{
		strconv.FormatInt(f.Count, 10), strconv.FormatInt(f.Invalid, 10),
		decimalText(f.Sum), decimalText(f.Min), decimalText(f.Max), floatText(f.Avg), floatText(f.Stddev),
		decimalText(f.First), decimalText(f.Last), floatText(f.P50), floatText(f.P95), floatText(f.P99),
	}
}

// decimalText is every digit of a decimal, "" where there is none.
func decimalText(d *model.Decimal) string {
	if d == nil {
		return ""
	}
	return d.String()
}

// floatText is the shortest text that reads back as the same number, with an exponent
// only where that spares many zeros.
func floatText(x *float64) string {
	if x == nil {
		return ""
	}
	if abs := math.Abs(*x); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.FormatFloat(*x, 'e', -1, 64)
	}
	return strconv.FormatFloat(*x, 'f', -1, 64)
}

// Top is the most frequent values of a dimension as callers read them.
type Top struct {
	Dimension string           `json:"dimension"`
	Tier      string           `json:"tier"`
	Buckets   int              `json:"buckets"`
	Open      bool             `json:"open"`
	Events    int64            `json:"events"`
	Kinds     map[string]int64 `json:"kinds,omitempty"`
	query.Shares
}

// Lines has a line a value.
func (t Top) Lines() []any { return linesOf(t.Values) }

// Table has a row a value.
func (t Top) Table() Table {
	table := Table{Header: []string{t.Dimension, "count", "share"}}
	for _, v := range t.Values {
		table.Rows = append(table.Rows, []string{v.Value, strconv.FormatInt(v.Count, 10), floatText(&v.Share)})
	}
	return table
}
