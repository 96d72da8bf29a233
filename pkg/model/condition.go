package model

import (
	"errors"
	"fmt"
	"strings"
)

// Condition is a condition on the fields of an item. All of its terms must hold. The zero
// Condition always holds.
type Condition []Term

// Term compares one field with a value.
type Term struct {
	Field string
	Op    Op
	Value Value // not used by Exists and Missing
}

// Op is a comparison.
type Op string

// The comparisons. All but Missing are false if the field is absent. Values of different types are unequal
// and have no order. Only numbers and texts have an order. Begins applies to texts only.
const (
	Equal    Op = "="
	NotEqual Op = "<>"
	Less     Op = "<"
	AtMost   Op = "<="
	Greater  Op = ">"
	AtLeast  Op = ">="
	Begins   Op = "begins"
	Exists   Op = "exists"
	Missing  Op = "missing"
)

// ErrCondition reports that a condition is not valid for any item.
var ErrCondition = errors.New("invalid condition")

// compares maps each comparison of order to the results of Compare for which it holds.
var compares = map[Op]func(c int) bool{
	Less:    func(c int) bool { return c < 0 },
	AtMost:  func(c int) bool { return c <= 0 },
	Greater: func(c int) bool { return c > 0 },
	AtLeast: func(c int) bool { return c >= 0 },
}

// Validate returns ErrCondition for a term without a field, with an unknown comparison, or
// with a comparison of order on a value that has none.
func (c Condition) Validate() error {
	for _, t := range c {
		_, ordered := compares[t.Op]
		switch {
		case t.Field == "":
			return fmt.Errorf("%w: a term has no field name", ErrCondition)
		case ordered && t.Value.Kind != Number && t.Value.Kind != Text:
			return fmt.Errorf("%w: %.64q %s: only numbers and text have an order", ErrCondition, t.Field, t.Op)
		case t.Op == Begins && t.Value.Kind != Text:
			return fmt.Errorf("%w: %.64q %s: want a text", ErrCondition, t.Field, t.Op)
		case !ordered && t.Op != Equal && t.Op != NotEqual && t.Op != Begins && t.Op != Exists && t.Op != Missing:
			return fmt.Errorf("%w: %.64q: comparison %.16q is unknown: want =, <>, <, <=, >, >=, begins, "+
				"exists or missing", ErrCondition, t.Field, t.Op)
		}
	}
	return nil
}

// Holds reports whether every term holds for a.
func (c Condition) Holds(a Attrs) bool {
	for _, t := range c {
		v, exists := a.Get(t.Field)
		if !t.holds(v, exists) {
			return false
		}
	}
	return true
}

func (t Term) holds(v Value, exists bool) bool {
	switch t.Op {
	case Exists, Missing:
		return exists == (t.Op == Exists)
	case Equal:
		return exists && v == t.Value
	case NotEqual:
		return exists && v != t.Value
	case Begins:
		return exists && v.Kind == Text && strings.HasPrefix(v.Text, t.Value.Text)
	}
	accepts, known := compares[t.Op]
	if !exists || !known || v.Kind != t.Value.Kind {
		return false
	}
	switch v.Kind {
	case Number:
		return accepts(v.Number.Cmp(t.Value.Number))
	case Text:
		return accepts(strings.Compare(v.Text, t.Value.Text))
	}
	return false
}

// String is for people and logs. Different terms have different strings.
func (t Term) String() string {
	if t.Op == Exists || t.Op == Missing {
		return fmt.Sprintf("%q %s", t.Field, t.Op)
	}
	return fmt.Sprintf("%q %s %s", t.Field, t.Op, t.Value)
}
