package views

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/plaintext"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FigureColumns returns the names of the CSV columns of some figures of a measure.
func FigureColumns(columns []figure.Column) []string {
	return lists.Map(columns, func(c figure.Column) string { return c.Name })
}

// FigureCells returns the figures of a measure as text. Sums are exact; a figure without
// valid values is empty. f is nil in a row without a measure.
func FigureCells(columns []figure.Column, f *figure.Figures) []string {
	if f == nil {
		return make([]string, len(columns))
	}
	return lists.Map(columns, func(c figure.Column) string { return figureText(c.Value(*f)) })
}

func figureText(figure any) string {
	switch x := figure.(type) {
	case *model.Decimal:
		return DecimalText(x)
	case *float64:
		return floatText(x)
	case *int64:
		if x == nil {
			return ""
		}
		return fmt.Sprint(*x)
	default:
		return fmt.Sprint(x)
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
// Hidden characters, except tabs and newlines, become dots.
func SafeCells(cells []string) []string { return lists.Map(cells, safeCell) }

func safeCell(cell string) string {
	cell = strings.Map(func(c rune) rune {
		if plaintext.Replaced(c) && c != '\n' && c != '\t' {
			return '·'
		}
		return c
	}, cell)
	if first, _ := utf8.DecodeRuneInString(cell); strings.ContainsRune(beginFormula, first) &&
		!isNumber(cell) {
		return "'" + cell
	}
	return cell
}

// beginFormula are the characters that begin a formula; spreadsheets of East Asian languages take the wide
// ones too.
const beginFormula = "=+-@\t＝＋－＠"

func isNumber(cell string) bool {
	_, err := model.ParseDecimal(cell)
	return err == nil
}
