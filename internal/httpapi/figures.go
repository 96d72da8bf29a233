package httpapi

import (
	"math"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// figureColumns are the CSV columns of a measure's figures, named as in JSON.
var figureColumns = []string{"count", "invalid", "sum", "min", "max", "avg", "stddev", "first", "last", "p50", "p95", "p99"}

// FigureColumns returns the column names of FigureCells.
func FigureColumns() []string { return append([]string(nil), figureColumns...) }

// FigureCells returns the figures of a measure as text. Sums are exact; a figure without
// valid values is empty.
func FigureCells(f query.Figures) []string {
	return []string{
		strconv.FormatInt(f.Count, 10), strconv.FormatInt(f.Invalid, 10),
		decimalText(f.Sum), decimalText(f.Min), decimalText(f.Max), floatText(f.Avg), floatText(f.Stddev),
		decimalText(f.First), decimalText(f.Last), floatText(f.P50), floatText(f.P95), floatText(f.P99),
	}
}

// decimalText returns all digits of a decimal, "" for nil.
func decimalText(d *model.Decimal) string {
	if d == nil {
		return ""
	}
	return d.String()
}

// floatText returns the shortest text that parses to the same number, with an exponent
// only for very small and very large numbers.
func floatText(x *float64) string {
	if x == nil {
		return ""
	}
	if abs := math.Abs(*x); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.FormatFloat(*x, 'e', -1, 64)
	}
	return strconv.FormatFloat(*x, 'f', -1, 64)
}
