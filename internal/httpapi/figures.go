package httpapi

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/tidemark-db/tidemark/internal/lists"
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
		DecimalText(f.Sum), DecimalText(f.Min), DecimalText(f.Max), floatText(f.Avg), floatText(f.Stddev),
		DecimalText(f.First), DecimalText(f.Last), floatText(f.P50), floatText(f.P95), floatText(f.P99),
	}
}

// DecimalText returns all digits of a decimal, "" for nil.
func DecimalText(d *model.Decimal) string {
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

// SafeCells returns cells that a spreadsheet shows as they are. Stored text comes from devices and browsers:
// a spreadsheet would run text that begins like a formula, and a terminal would follow a control sequence.
// Text of a formula gets an apostrophe before it, as spreadsheets write text; numbers stay as they are.
// Control characters, except tabs and newlines, become dots.
func SafeCells(cells []string) []string { return lists.Map(cells, safeCell) }

func safeCell(cell string) string {
	cell = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && c != '\n' && c != '\t' {
			return '·'
		}
		return c
	}, cell)
	if strings.ContainsAny(cell[:min(1, len(cell))], "=+-@\t") && !isNumber(cell) {
		return "'" + cell
	}
	return cell
}

func isNumber(cell string) bool {
	_, err := model.ParseDecimal(cell)
	return err == nil
}
