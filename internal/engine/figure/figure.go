// Package figure has the figures of a measure that readers get: in HTTP responses and files, as statistics of
// PromQL, and as what rules of groups test. One table says what there is.
package figure

import (
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Figures are the numbers of a measure. All but the counts are nil if the measure has no valid value.
// Percentiles are also nil if the kind declares none for the measure.
type Figures struct {
	Count   int64          `json:"count"`
	Invalid int64          `json:"invalid"`
	Sum     *model.Decimal `json:"sum"`
	Min     *model.Decimal `json:"min"`
	Max     *model.Decimal `json:"max"`
	Avg     *float64       `json:"avg"`
	Stddev  *float64       `json:"stddev"` // of the population
	First   *model.Decimal `json:"first"`
	Last    *model.Decimal `json:"last"`
	P50     *float64       `json:"p50"`
	P95     *float64       `json:"p95"`
	P99     *float64       `json:"p99"`

	// Increase to Covered are of the steps between readings that end in the bucket; nil of measures that are
	// not declared so, and where no step is known.
	Increase *model.Decimal `json:"increase,omitempty"`
	Resets   *int64         `json:"resets,omitempty"`         // steps to a lower reading
	Rate     *float64       `json:"rate,omitempty"`           // increase a second
	TimeMean *float64       `json:"timeMean,omitempty"`       // of a measure with a mean over time
	Covered  *float64       `json:"coveredSeconds,omitempty"` // time that the steps took
	// Rounded is how many values have more decimals than the measure's scale; nil for none. The other figures
	// are of rounded values.
	Rounded *int64 `json:"rounded,omitempty"`
}

// New derives the figures of m.
func New(m rollup.Measure) Figures {
	f := Figures{Count: m.Count, Invalid: m.Invalid}
	if m.Count == 0 {
		return f
	}
	f.Sum = &m.Sum
	f.Min = &m.Min
	f.Max = &m.Max
	f.First = &m.First
	f.Last = &m.Last
	f.Avg, f.Stddev = present(m.Avg()), present(m.Stddev())
	f.P50 = present(m.Quantile(.50))
	f.P95 = present(m.Quantile(.95))
	f.P99 = present(m.Quantile(.99))
	f.Increase, f.Resets = present(m.Increase()), present(m.Resets())
	f.Rate = present(m.Rate())
	f.TimeMean = present(m.TimeMean())
	f.Rounded = present(m.Rounded, m.Rounded > 0)
	f.Covered = present(m.Covered().Seconds(), f.Increase != nil || f.TimeMean != nil)
	return f
}

func present[T any](x T, ok bool) *T {
	if !ok {
		return nil
	}
	return &x
}

// Column is one figure, and where it is shown.
type Column struct {
	Name string // as in JSON, CSV and Parquet
	// Value returns an int64, or a pointer to an int64, a model.Decimal or a float64. A pointer is nil if
	// there is no such figure.
	Value func(Figures) any

	Statistic  string                        // of PromQL; "" for none
	Only       func(rollup.MeasureSpec) bool // the declared measures that have the statistic; nil: all
	Percentile bool                          // a bucket from before the measure had percentiles lacks a part
	Tested     bool                          // a rule of groups may test it
	Counts     bool                          // it is a number of values, which has no unit
}

// Columns has a row for each of Figures, in the order of columns; Steps has the rest.
var Columns = []Column{
	{Name: "count", Statistic: "count", Tested: true, Counts: true,
		Value: func(f Figures) any { return f.Count }},
	{Name: "invalid", Statistic: "invalid", Counts: true, Value: func(f Figures) any { return f.Invalid }},
	{Name: "sum", Statistic: "sum", Tested: true, Value: func(f Figures) any { return f.Sum }},
	{Name: "min", Statistic: "min", Tested: true, Value: func(f Figures) any { return f.Min }},
	{Name: "max", Statistic: "max", Tested: true, Value: func(f Figures) any { return f.Max }},
	{Name: "avg", Statistic: "avg", Tested: true, Value: func(f Figures) any { return f.Avg }},
	{Name: "stddev", Statistic: "stddev", Value: func(f Figures) any { return f.Stddev }},
	{Name: "first", Statistic: "first", Value: func(f Figures) any { return f.First }},
	{Name: "last", Statistic: "last", Value: func(f Figures) any { return f.Last }},
	{Name: "p50", Statistic: "p50", Tested: true, Percentile: true,
		Value: func(f Figures) any { return f.P50 }},
	{Name: "p95", Statistic: "p95", Tested: true, Percentile: true,
		Value: func(f Figures) any { return f.P95 }},
	{Name: "p99", Statistic: "p99", Tested: true, Percentile: true,
		Value: func(f Figures) any { return f.P99 }},
}

// Steps are the figures of counters and means over time, and how many values were rounded. They come behind
// all other columns.
var Steps = []Column{
	{Name: "increase", Statistic: "increase", Only: isCounter,
		Value: func(f Figures) any { return f.Increase }},
	{Name: "resets", Statistic: "resets", Only: isCounter, Value: func(f Figures) any { return f.Resets }},
	{Name: "rate", Statistic: "rate", Only: isCounter, Value: func(f Figures) any { return f.Rate }},
	{Name: "timeMean", Statistic: "time_mean", Only: hasTimeMean,
		Value: func(f Figures) any { return f.TimeMean }},
	{Name: "coveredSeconds", Value: func(f Figures) any { return f.Covered }},
	{Name: "rounded", Counts: true, Value: func(f Figures) any { return f.Rounded }},
}

func isCounter(m rollup.MeasureSpec) bool   { return m.Counter }
func hasTimeMean(m rollup.MeasureSpec) bool { return m.TimeMean }

// Float returns a Value as a floating-point number, nil if there is none.
func Float(value any) *float64 {
	switch x := value.(type) {
	case int64:
		return new(float64(x))
	case *int64:
		if x != nil {
			return new(float64(*x))
		}
	case *model.Decimal:
		if x != nil {
			return new(x.Float64())
		}
	case *float64:
		return x
	}
	return nil
}
