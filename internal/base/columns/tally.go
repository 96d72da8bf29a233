package columns

import (
	"fmt"
	"strings"
)

// tally counts the cells of a column by how they are written.
type tally struct {
	cells, codes, bools    int // all that have a value; those with leading zeros; true and false
	both, point, comma     int // numbers with either mark, and with one only
	grouped                int // of both, those that are two numbers
	below, above           int // of both, whole numbers without a mark: below a thousand, and the others
	firstPoint, firstComma Cell
	firstGrouped           Cell
	firstStray             Cell
	firstNumber            Cell
	states                 int // beside cells: why there is no value
	firstState             Cell
}

func (t *tally) add(c Cell) {
	switch {
	case Missing(c.Text):
		return
	case isState(c.Text):
		t.count(&t.states, &t.firstState, c)
		return
	}
	t.cells++
	if leadingZero.MatchString(c.Text) {
		t.codes++
	}
	if isBool(c.Text) {
		t.bools++
	}
	p, isPoint := ParseNumber(c.Text, Point)
	q, isComma := ParseNumber(c.Text, Comma)
	if (isPoint || isComma) && t.firstNumber.Line == 0 {
		t.firstNumber = c
	}
	switch {
	case isPoint && isComma && p == q:
		t.both++
		if len(strings.TrimPrefix(p, "-")) <= 3 {
			t.below++
		} else {
			t.above++
		}
	case isPoint && isComma:
		t.both++
		t.count(&t.grouped, &t.firstGrouped, c)
	case isPoint:
		t.count(&t.point, &t.firstPoint, c)
	case isComma:
		t.count(&t.comma, &t.firstComma, c)
	case t.firstStray.Line == 0:
		t.firstStray = c
	}
}

func (*tally) count(n *int, first *Cell, c Cell) {
	if *n++; *n == 1 {
		*first = c
	}
}

// stray returns how many cells are no numbers.
func (t *tally) stray() int { return t.cells - t.both - t.point - t.comma }

// mixed names a cell that is a number and one that is none; "" if there are not both.
func (t *tally) mixed() string {
	if t.stray() == 0 || t.stray() == t.cells {
		return ""
	}
	return fmt.Sprintf("%q in line %d is a number, and %q in line %d is none", t.firstNumber.Text,
		t.firstNumber.Line, t.firstStray.Text, t.firstStray.Line)
}

// mark returns the mark of the numbers, or an error for a column that has both.
func (t *tally) mark(hint Hint) (Mark, error) {
	switch {
	case t.point > 0 && t.comma > 0:
		return 0, fmt.Errorf(
			"%q in line %d has a decimal point, and %q in line %d a decimal comma: "+
				"write all cells of the column in one way",
			t.firstPoint.Text, t.firstPoint.Line, t.firstComma.Text, t.firstComma.Line)
	case t.comma > 0:
		return Comma, nil
	case t.point > 0:
		return Point, nil
	case hint.Mark != 0 || t.grouped == 0:
		return hint.Mark, nil
	case hint.Either || strings.Contains(t.firstGrouped.Text, ",") || t.groupsAlone():
		mark := "point"
		if strings.Contains(t.firstGrouped.Text, ",") {
			mark = "comma"
		}
		return 0, fmt.Errorf("%[1]q in line %[2]d is two numbers, by a decimal %[3]s and by a %[3]s between "+
			"thousands, and no cell says which: pass --decimal comma or --decimal point",
			t.firstGrouped.Text, t.firstGrouped.Line, mark)
	}
	return Point, nil
}

// groupsAlone reports whether each of several numbers with a point has three digits behind it, and each
// without one is below a thousand: so are whole numbers with points between thousands.
func (t *tally) groupsAlone() bool { return t.grouped >= 3 && t.below > 0 && t.above == 0 }
