package columns

import "regexp"

// negative are negative numbers as accounts write them: (1.50), and 1.50- as SAP does.
var negative = regexp.MustCompile(`^(?:\(([^-+()]*\d[^-+()]*)\)|([^-+()]*\d[^-+()]*)[-\x{2212}])$`)

// withSign returns the text of a number with its minus in front.
func withSign(text string) string {
	if m := negative.FindStringSubmatch(text); m != nil {
		return "-" + m[1] + m[2]
	}
	return text
}

// withSigns returns cells with the minus of each number in front. Cells that are all in parentheses may be
// notes or codes, unless the column is a measure: they stay as they are.
func withSigns(cells []Cell, hint Hint) []Cell {
	signed := make([]Cell, len(cells))
	plain := hint.Measure
	for i, c := range cells {
		signed[i] = Cell{Line: c.Line, Text: withSign(c.Text)}
		_, _, hasUnit := cutUnit(c.Text)
		plain = plain || hasUnit || isNumber(c.Text)
	}
	if !plain {
		return cells
	}
	return signed
}
