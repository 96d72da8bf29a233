package views

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// wholeFromColumn names the column behind the columns of values: see LineExact.
const wholeFromColumn = "wholeFrom"

// truncatedColumn names the column behind these: whether a row without space for all measures omitted some.
const truncatedColumn = "truncated"

// PeriodColumns name the columns behind wholeFromColumn: the bucket as people write it, such as 2026-11-12,
// and the time zone that it is a day, week or month of. The column bucket is the time of its beginning, in
// UTC.
var PeriodColumns = []string{"date", "zone"}

// Rollup is the rollup of one bucket as JSON.
type Rollup struct {
	Bucket model.Time `json:"bucket"`
	End    model.Time `json:"end"`
	Tier   string     `json:"tier"`
	// of a day, week or month that is not a bucket of a tier
	Zone       string                     `json:"zone,omitempty"`
	Exact      bool                       `json:"exact"`
	Open       bool                       `json:"open"`
	Gap        bool                       `json:"gap,omitempty"` // the bucket has no events; returned on request
	Truncated  bool                       `json:"truncated"`
	Unreadable int64                      `json:"unreadable"`
	Events     int64                      `json:"events"`
	Kinds      map[string]int64           `json:"kinds,omitempty"` // events by kind, if several are merged
	Measures   map[string]figure.Figures  `json:"measures"`
	Dimensions map[string]query.TopValues `json:"dimensions,omitempty"` // the most frequent values
	Distinct   map[string]Distinct        `json:"distinct,omitempty"`
	// fields that were added after events of the bucket were folded
	Partial []Partial `json:"partial,omitempty"`
	Changed Changed   `json:"changed,omitzero"`

	partial rollup.AddedFields
	exact   bool       // of the events
	period  []string   // cells of PeriodColumns
	names   []string   // of the measures, in their order
	values  []ValueRow // of the distinct counts and dimensions
}

// Changed says what is known to have changed a bucket after it had closed, as JSON; see query.Changes.
type Changed struct {
	Late       model.Time `json:"late,omitzero"`
	Corrected  model.Time `json:"corrected,omitzero"`
	Recomputed model.Time `json:"recomputed,omitzero"`
}

// ChangedColumns name the columns of Changed, behind all others.
var ChangedColumns = []string{"lateAt", "correctedAt", "recomputedAt"}

func (c Changed) cells() []string {
	return lists.Map([]model.Time{c.Late, c.Corrected, c.Recomputed}, func(t model.Time) string {
		if t == 0 {
			return ""
		}
		return t.String()
	})
}

// Distinct is the number of different values of a field.
type Distinct struct {
	Count int64 `json:"count"`
	Exact bool  `json:"exact"` // false if Count is an estimate, within a few per cent, or partial
}

// maxDimensionValues limits the values of each dimension in a rollup; Top has more.
const maxDimensionValues = 10

// NewRollup returns r as JSON.
func NewRollup(r query.Rollup) Rollup {
	v := Rollup{
		Bucket: r.Bucket.Start, End: r.Bucket.End, Tier: r.TierName(), Zone: r.Local.Zone,
		Exact: r.Exact && !hasPartialMeasure(r.Partial), exact: r.Exact, Partial: NewPartials(r.Partial),
		partial: r.Partial, Open: r.Open, Gap: r.Gap, Truncated: r.Summary.Truncated(),
		Unreadable: r.Unreadable, Events: r.Summary.Events(), Kinds: CountKinds(r.Kinds),
		Measures: map[string]figure.Figures{}, Dimensions: map[string]query.TopValues{},
		Distinct: map[string]Distinct{}, period: []string{r.Label(), cmp.Or(r.Local.Zone, "UTC")},
		names:  r.Summary.Names(),
		values: NewValueRows(&r, maxDimensionValues), Changed: Changed(r.Changes),
	}
	for _, name := range v.names {
		v.Measures[name] = figure.New(r.Measure(name))
	}
	for _, d := range r.Dimensions() {
		values := query.NewTopValues(d, maxDimensionValues)
		values.Exact = values.Exact && !isPartial(r.Partial, rollup.DimensionRole, d.Field)
		v.Dimensions[d.Name] = values
	}
	if n, ok := activeIn(&r.Fold); ok {
		v.Distinct[activeField] = Distinct{n, v.exact}
	}
	for _, name := range r.Summary.DistinctNames() {
		n, exact, _ := r.Summary.Distinct(name)
		v.Distinct[name] = Distinct{n, exact && !isPartial(r.Partial, rollup.DistinctRole, name)}
	}
	return v
}

// CountKinds returns the number of events by kind.
func CountKinds(kinds []query.KindEvents) map[string]int64 {
	v := make(map[string]int64, len(kinds))
	for _, k := range kinds {
		v[k.Kind] = k.Events
	}
	return v
}

// Rollups is a page of rollups as JSON.
type Rollups struct {
	Rollups []Rollup `json:"rollups"`
	NextPage
	Missing []Missing `json:"missing,omitempty"` // what is not known of the range
	Progress
	OtherStreams
}

// NewRollups returns page as JSON.
func NewRollups(page query.RollupPage) Rollups {
	return Rollups{
		Rollups: lists.Map(page.Rollups, NewRollup), NextPage: nextPage(page.Next),
		Missing: missingParts(page.Missing), Progress: FromProgress(page.Progress),
	}
}

// Lines has one line for each bucket.
func (r Rollups) Lines() []any { return toLines(r.Rollups) }

// Table has the rows of each bucket: see rollupTable.
func (r Rollups) Table() Table { return rollupTable(r.Rollups) }

// rollupTable has a row for each measure of a bucket, and for each field with distinct
// counts and each frequent value of a dimension. A bucket without any of them has one row.
func rollupTable(rollups []Rollup) Table {
	t := Table{Header: []string{"tier", "bucket", "end", "measure"}}
	t.Header = slices.Concat(t.Header, FigureColumns(figure.Columns), []string{"exact", "open"},
		ValueColumns(), []string{wholeFromColumn},
		PeriodColumns, []string{truncatedColumn}, FigureColumns(figure.Steps), []string{EventColumn},
		ChangedColumns)
	for _, b := range rollups {
		if len(b.names) == 0 {
			t.Rows = append(t.Rows, b.row("", nil, ValueRow{Events: b.Events}))
		}
		for _, name := range b.names {
			t.Rows = append(t.Rows, b.row(name, new(b.Measures[name]), ValueRow{Events: b.Events}))
		}
		for _, v := range b.values {
			t.Rows = append(t.Rows, b.row("", nil, v))
		}
	}
	return t
}

func (r Rollup) row(measure string, f *figure.Figures, value ValueRow) []string {
	row := []string{r.Tier, r.Bucket.String(), r.End.String(), measure}
	row = append(row, FigureCells(figure.Columns, f)...)
	role, field := value.Role, value.Stored
	if field == "" {
		role, field = rollup.MeasureRole, measure
	}
	exact, wholeFrom := LineExact(r.exact, r.partial, role, field)
	row = append(row, strconv.FormatBool(exact), strconv.FormatBool(r.Open))
	return slices.Concat(row, value.Cells(), []string{wholeFrom}, r.period,
		[]string{strconv.FormatBool(r.Truncated)}, FigureCells(figure.Steps, f), []string{value.Event},
		r.Changed.cells())
}
