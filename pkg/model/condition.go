package model

import (
	"errors"
	"fmt"
	"strings"
)

// Condition is what must hold of fields: every term of it. The zero Condition holds
// of everything.
type Condition []Term

// Term compares one field with a value.
type Term struct {
	Field string
	Op    Op
	Value Value // not used by Exists and Missing
}

// Op is a comparison.
type Op string

// The comparisons. All but Missing are false where the field is absent. Values of two
// types are unequal, and in no order; only numbers and text have one. Begins is of
// text alone.
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

// ErrCondition says that a condition means nothing, whatever it is asked of.
var ErrCondition = errors.New("the condition means nothing")

// compares says for each comparison of order which results of Compare meet it.
var compares = map[Op]func(c int) bool{
	Less:    func(c int) bool { return c < 0 },
	AtMost:  func(c int) bool { return c <= 0 },
	Greater: func(c int) bool { return c > 0 },
	AtLeast: func(c int) bool { return c >= 0 },
}

// Check refuses a term without a field, with an unknown comparison, or with a value
// that has no order where one is asked for.
func (c Condition) Check() error {
	for _, t := range c {
		_, ordered := compares[t.Op]
		switch {
		case t.Field == "":
			return fmt.Errorf("%w: a term names no field", ErrCondition)
		case ordered && t.Value.Kind != Number && t.Value.Kind != Text:
			return fmt.Errorf("%w: %.64q %s: only numbers and text have an order", ErrCondition, t.Field, t.Op)
		case t.Op == Begins && t.Value.Kind != Text:
			return fmt.Errorf("%w: %.64q %s: want text", ErrCondition, t.Field, t.Op)
		case !ordered && t.Op != Equal && t.Op != NotEqual && t.Op != Begins && t.Op != Exists && t.Op != Missing:
			return fmt.Errorf("%w: %.64q: comparison %.16q is unknown: want =, <>, <, <=, >, >=, begins, exists or missing", ErrCondition, t.Field, t.Op)
		}
	}
	return nil
}

// Holds reports whether every term holds of a.
func (c Condition) Holds(a Attrs) bool {
	for _, t := range c {
		v, there := a.Get(t.Field)
		if !t.holds(v, there) {
			return false
		}
	}
	return true
}

func (t Term) holds(v Value, there bool) bool {
	switch t.Op {
	case Exists, Missing:
		return there == (t.Op == Exists)
	case Equal:
		return there && v == t.Value
	case NotEqual:
		return there && v != t.Value
	case Begins:
		return there && v.Kind == Text && strings.HasPrefix(v.Text, t.Value.Text)
	}
	meets, known := compares[t.Op]
	if !there || !known || v.Kind != t.Value.Kind {
		return false
	}
	switch v.Kind {
	case Number:
		return meets(v.Number.Cmp(t.Value.Number))
	case Text:
		return meets(strings.Compare(v.Text, t.Value.Text))
	}
	return false
}

// String is for people, logs and what tells one condition from another.
func (t Term) String() string {
	if t.Op == Exists || t.Op == Missing {
		return fmt.Sprintf("%q %s", t.Field, t.Op)
	}
	return fmt.Sprintf("%q %s %s", t.Field, t.Op, t.Value)
}
