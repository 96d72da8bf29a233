package httpapi

import (
	"strings"
	"unicode"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// SafeCells returns cells that a spreadsheet shows as they are. Stored text comes from
// devices and browsers: a spreadsheet would run text that begins like a formula, and a
// terminal would follow a control sequence. Text of a formula gets an apostrophe before it,
// as spreadsheets write text; numbers stay as they are. Control characters, except tabs and
// newlines, become dots.
func SafeCells(cells []string) []string {
	safe := make([]string, len(cells))
	for i, cell := range cells {
		safe[i] = safeCell(cell)
	}
	return safe
}

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
