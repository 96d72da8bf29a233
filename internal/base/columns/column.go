// Package columns finds the type of each column of a table, and reads its cells by it. A column has
// one type: a cell is never read by a type that another cell of its column does not have.
package columns

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// Type is the type of the cells of a column.
type Type uint8

// The types. Any is the type of a column without cells: numbers where they can be read, otherwise text.
const (
	Any Type = iota
	Text
	Number
	Bool
	Time
)

// types are the names of types that a user may give.
var types = map[string]Type{"text": Text, "number": Number, "bool": Bool, "time": Time}

// Parse reads types such as firmware=text,temperature=number.
func Parse(text string) (map[string]Type, error) {
	found := map[string]Type{}
	pair := ""
	for piece := range strings.SplitSeq(text, ",") {
		pair += piece
		at := strings.LastIndexByte(pair, '=')
		t, ok := types[strings.TrimSpace(pair[at+1:])]
		if !ok {
			pair += "," // the name of a column has a comma, or there is no type
			continue
		}
		name := strings.TrimSpace(pair[:max(at, 0)])
		if name == "" {
			return nil, wrongType(pair)
		}
		found[name] = t
		pair = ""
	}
	if pair != "" {
		return nil, wrongType(strings.TrimSuffix(pair, ","))
	}
	return found, nil
}

func wrongType(pair string) error {
	return usererr.Errorf("%q: want column=text, column=number, column=bool or column=time", pair)
}

// Column says how the cells of a column are read.
type Column struct {
	Type Type
	// Mark is the mark of numbers; 0 if no cell of the sample has one. Then a cell that is two numbers,
	// such as 1,234, is text.
	Mark Mark
	// Unit is the unit behind, or the currency in front of, each number: °C. A percentage stays as written.
	Unit string
	// Either is as of Hint, where Mark is 0.
	Either bool
	// Grouped says that numbers of the sample have groups of thousands.
	Grouped bool
	// Codes says that a cell with leading zeros is text: the column is no declared measure.
	Codes bool
	// Mixed says why cells are text although some are numbers: which of them differ.
	Mixed string
}

// String describes a column for a user.
func (c Column) String() string {
	switch {
	case c.Type == Number && c.Unit != "":
		return strings.Replace(Column{Type: Number, Mark: c.Mark}.String(), "numbers", "numbers in "+c.Unit, 1)
	case c.Type == Number && c.Mark == Comma:
		return "numbers with a decimal comma"
	case c.Mixed != "":
		return "text: " + c.Mixed
	case c.Type == Any:
		return ""
	}
	return [...]string{"", "text", "numbers", "booleans", "times"}[c.Type]
}

// Cell is a cell with its line.
type Cell struct {
	Line int
	Text string
}

// Hint is what is known of a column beside its cells.
type Hint struct {
	Measure bool // declared as a measure: always numbers
	Title   string
	Mark    Mark // of other columns of the file; 0 if unknown
	// Either says that the file is written where 1.234 may be a thousand and more: its cells are separated
	// by semicolons, as they are where the comma is the mark of decimals.
	Either bool
}

// leadingZero are digits that lose a part of them as a number: a code, or two codes as +0056,5.
var leadingZero = regexp.MustCompile(`^(0\d+|[-+]?0\d+,\d+)$`)

// mostStray is the greatest share of cells of a column of numbers that are none, one in this many.
const mostStray = 10

// Decide returns how the cells of a column are read, from a sample of them. The error names two cells
// that are written in two ways, or a measure of which no cell is a number.
func Decide(cells []Cell, hint Hint) (Column, error) {
	unit, numbers, mixed := commonUnit(withSigns(cells, hint))
	decided, err := decide(numbers, hint)
	switch {
	case err != nil && mixed != "":
		err = fmt.Errorf("%w: %s", err, mixed)
	case decided.Type == Number:
		decided.Unit = unit
	default:
		decided.Mixed = cmp.Or(mixed, decided.Mixed)
	}
	return decided, err
}

func decide(cells []Cell, hint Hint) (Column, error) {
	var seen tally
	for _, c := range cells {
		seen.add(c)
	}
	switch {
	case seen.cells == 0 && hint.Measure && seen.states > 0:
		return Column{}, noNumbers(seen.states, seen.firstState)
	case seen.cells == 0 && hint.Measure:
		return Column{Type: Number, Mark: hint.Mark, Either: hint.Either}, nil
	case seen.cells == 0:
		return Column{Mark: hint.Mark, Either: hint.Either}, nil
	case !hint.Measure && seen.bools == seen.cells:
		return Column{Type: Bool}, nil
	case !hint.Measure && (seen.codes > 0 || textTitles[hint.Title] || seen.stray()*mostStray > seen.cells):
		return Column{Type: Text, Mixed: seen.mixed()}, nil
	case seen.stray() == seen.cells:
		return Column{}, noNumbers(seen.cells, seen.firstStray)
	}
	mark, err := seen.mark(hint)
	isGrouped := func(c Cell) bool { return strings.Contains(c.Text, mark.separator()) && isNumber(c.Text) }
	return Column{Type: Number, Mark: mark, Either: hint.Either, Codes: !hint.Measure,
		Grouped: slices.ContainsFunc(cells, isGrouped)}, err
}

func noNumbers(cells int, first Cell) error {
	return fmt.Errorf("none of %d cells is a number, the first is %q in line %d: nothing of the column could "+
		"be stored as a measure; correct it, or leave it out", cells, first.Text, first.Line)
}

// Decimals returns the mark that a column has by its own cells; 0 if they do not say.
func Decimals(cells []Cell) Mark {
	var seen tally
	_, cells, _ = commonUnit(cells)
	for _, c := range cells {
		seen.add(c)
	}
	switch {
	case seen.comma > 0 && seen.point == 0:
		return Comma
	case seen.point > 0 && seen.comma == 0:
		return Point
	}
	return 0
}

// JSON returns a cell as a JSON value. ok is false for a cell that is not of the type of its column:
// a value that is missing is null, and any other is its text.
func (c Column) JSON(text string) (value []byte, ok bool) {
	switch {
	case c.Type == Bool && isBool(text):
		return []byte(strings.ToLower(text)), true
	case c.Type == Bool && Missing(text):
		return []byte("null"), true
	case c.Type == Number && Missing(text):
		return []byte("null"), true
	case c.Unit != "":
		number, unit, _ := cutUnit(withSign(text))
		if plain, ok := c.number(number); ok && unit == c.Unit {
			return []byte(plain), true
		}
	case c.Type == Number:
		if number, ok := c.number(withSign(text)); ok {
			return []byte(number), true
		}
	case c.Type == Any:
		if number, ok := c.number(text); ok {
			return []byte(number), true
		}
	}
	return jsonText(text), c.Type != Number && c.Type != Bool
}

// Alone returns a text that is alone in its column, as a value of a form is, as a JSON value: a number, a
// boolean, null for "", or the text. A number that is written with either mark has a decimal point. A number
// with a unit stays text, because no message says which unit its column has.
func Alone(title, text string) []byte {
	if text == "" {
		return []byte("null")
	}
	hint := Hint{Title: strings.ToLower(title), Mark: Point}
	c, err := Decide([]Cell{{Line: 1, Text: text}}, hint)
	if err != nil || c.Unit != "" {
		return jsonText(text)
	}
	value, _ := c.JSON(text)
	return value
}

func isBool(text string) bool {
	return strings.EqualFold(text, "true") || strings.EqualFold(text, "false")
}

func jsonText(text string) []byte {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.Encode(text) // strings cannot fail
	return []byte(strings.TrimSpace(b.String()))
}
