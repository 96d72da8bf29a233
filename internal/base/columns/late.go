package columns

import "strings"

// number returns the plain text of a number of the column.
func (c Column) number(text string) (number string, ok bool) {
	switch {
	case c.Codes && leadingZero.MatchString(text):
		return "", false
	case c.Mark != 0:
		return ParseNumber(text, c.Mark)
	}
	if number, ok = Amount(text); ok || c.Either || strings.Contains(text, ",") {
		return number, ok
	}
	return ParseNumber(text, Point)
}

// Doubt returns the number of a cell that may be another one; "" for any other cell. 20,125 is read as 20125
// in a column with decimal points, but no cell of the sample has a group of thousands.
func (c Column) Doubt(text string) string {
	if c.Type != Number || c.Grouped || c.Mark == 0 || !strings.Contains(text, c.Mark.separator()) {
		return ""
	}
	number, _, ok := cutUnit(withSign(text))
	if !ok {
		number = withSign(text)
	}
	read, isRead := ParseNumber(number, c.Mark)
	if _, only := Amount(number); only || !isRead {
		return ""
	}
	return read
}

// separator is what may separate groups of thousands.
func (m Mark) separator() string {
	if m == Comma {
		return "."
	}
	return ","
}
