package query

import (
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Figures are the numbers of a measure as HTTP responses and exports show them. All but
// the counts are nil if the measure has no valid value. Percentiles are also nil if the
// kind declares none for the measure.
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
}

// FiguresOf derives the figures of m.
func FiguresOf(m rollup.Measure) Figures {
	f := Figures{Count: m.Count, Invalid: m.Invalid}
	if m.Count == 0 {
		return f
	}
	f.Sum, f.Min, f.Max, f.First, f.Last = &m.Sum, &m.Min, &m.Max, &m.First, &m.Last
	f.Avg, f.Stddev = present(m.Avg()), present(m.Stddev())
	f.P50, f.P95, f.P99 = present(m.Quantile(.50)), present(m.Quantile(.95)), present(m.Quantile(.99))
	return f
}

func present(x float64, ok bool) *float64 {
	if !ok {
		return nil
	}
	return &x
}
