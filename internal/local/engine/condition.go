//lint:file-ignore ST1005 DynamoDB writes its messages with a capital.

package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Condition is a condition on one item. Holds gets nil if there is no item. Check returns the error of a
// condition that DynamoDB rejects before it reads an item.
type Condition interface {
	Holds(it item.Item) bool
	Check() error
}

// The conditions.
type (
	// All holds if each of its conditions does.
	All []Condition
	// Any holds if one of its conditions does.
	Any []Condition
	// Not holds if its condition does not.
	Not struct{ Condition }
	// Exists holds if the item has the attribute.
	Exists string
	// Missing holds if the item does not have the attribute.
	Missing string
	// Compare holds if both operands exist and compare so. For NotEqual one may be missing.
	Compare struct {
		Left  Operand
		Op    model.Op // of Equal, NotEqual, Less, AtMost, Greater, AtLeast, Begins
		Right Operand
	}
	// Between holds if the value is at least Low and at most High.
	Between struct{ Value, Low, High Operand }
)

// Operand is an attribute of the item, or a value.
type Operand struct {
	Attr  string // "" for a value
	Value item.Value
}

// Attr returns the operand that is an attribute.
func Attr(name string) Operand { return Operand{Attr: name} }

// Value returns the operand that is a value.
func Value(v item.Value) Operand { return Operand{Value: v} }

// in returns the operand's value on an item; ok is false if the item does not have the attribute.
func (o Operand) in(it item.Item) (v item.Value, ok bool) {
	if o.Attr == "" {
		return o.Value, true
	}
	v, ok = it[o.Attr]
	return v, ok
}

func (c All) Holds(it item.Item) bool {
	return !slices.ContainsFunc(c, func(one Condition) bool { return !one.Holds(it) })
}

func (c Any) Holds(it item.Item) bool {
	return slices.ContainsFunc(c, func(one Condition) bool { return one.Holds(it) })
}

func (c Not) Holds(it item.Item) bool { return !c.Condition.Holds(it) }

func (c Exists) Holds(it item.Item) bool { _, ok := it[string(c)]; return ok }

func (c Missing) Holds(it item.Item) bool { return !Exists(c).Holds(it) }

func (c Between) Holds(it item.Item) bool {
	return Compare{Left: c.Value, Op: model.AtLeast, Right: c.Low}.Holds(it) &&
		Compare{Left: c.Value, Op: model.AtMost, Right: c.High}.Holds(it)
}

// byOrder are the results of compare with which a comparison holds.
var byOrder = map[model.Op]func(c int) bool{
	model.Less:    func(c int) bool { return c < 0 },
	model.AtMost:  func(c int) bool { return c <= 0 },
	model.Greater: func(c int) bool { return c > 0 },
	model.AtLeast: func(c int) bool { return c >= 0 },
}

func (c Compare) Holds(it item.Item) bool {
	left, hasLeft := c.Left.in(it)
	right, hasRight := c.Right.in(it)
	both := hasLeft && hasRight
	switch c.Op {
	case model.Equal:
		return both && EqualValues(left, right)
	case model.NotEqual:
		return !both || !EqualValues(left, right)
	case model.Begins:
		return both && begins(left, right)
	}
	order, ok := compare(left, right)
	return both && ok && byOrder[c.Op](order)
}

// begins reports whether a text or bytes begin with others. Anything else begins with nothing, sets and maps
// included.
func begins(v, prefix item.Value) bool {
	text := v.Type == item.S || v.Type == item.B
	return text && v.Type == prefix.Type &&
		strings.HasPrefix(v.S, prefix.S) && strings.HasPrefix(string(v.B), string(prefix.B))
}

func (c All) Check() error     { return checkAll(c) }
func (c Any) Check() error     { return checkAll(c) }
func (c Not) Check() error     { return c.Condition.Check() }
func (c Exists) Check() error  { return nil }
func (c Missing) Check() error { return nil }

func checkAll(all []Condition) error {
	for _, one := range all {
		if err := one.Check(); err != nil {
			return err
		}
	}
	return nil
}

func (c Compare) Check() error {
	if err := checkDistinct(string(c.Op), c.Left, c.Right); err != nil {
		return err
	}
	switch c.Op {
	case model.Equal, model.NotEqual:
		return nil
	case model.Begins:
		return checkTypes("begins_with", func(t item.Type) bool {
			return t == item.S || t == item.B
		}, c.Right, c.Left)
	}
	if byOrder[c.Op] == nil {
		return fmt.Errorf("unknown comparison %q", c.Op)
	}
	return checkTypes(string(c.Op), hasOrder, c.Left, c.Right)
}

func (c Between) Check() error {
	if err := checkDistinct("BETWEEN", c.Value, c.Low, c.High); err != nil {
		return err
	}
	if err := checkTypes("BETWEEN", hasOrder, c.Low, c.High, c.Value); err != nil {
		return err
	}
	if c.Low.Attr != "" || c.High.Attr != "" {
		return nil
	}
	order, same := compare(c.Low.Value, c.High.Value)
	switch {
	case !same:
		return fmt.Errorf("The BETWEEN operator requires same data type for lower and upper bounds; "+
			"lower bound operand: AttributeValue: {%s}, upper bound operand: AttributeValue: {%s}",
			describe(c.Low.Value), describe(c.High.Value))
	case order > 0:
		return fmt.Errorf("The BETWEEN operator requires upper bound to be greater than or equal to "+
			"lower bound; lower bound operand: AttributeValue: {%s}, "+
			"upper bound operand: AttributeValue: {%s}",
			describe(c.Low.Value), describe(c.High.Value))
	}
	return nil
}

// checkDistinct rejects an attribute that is compared with itself.
func checkDistinct(operator string, first Operand, others ...Operand) error {
	for _, o := range others {
		if first.Attr != "" && o.Attr == first.Attr {
			return fmt.Errorf("The first operand must be distinct from the remaining operands for this "+
				"operator or function; operator: %s, first operand: [%s]", operator, first.Attr)
		}
	}
	return nil
}

// checkTypes checks the types of the operands that are values.
func checkTypes(operator string, allowed func(item.Type) bool, operands ...Operand) error {
	for _, o := range operands {
		if o.Attr == "" && !allowed(o.Value.Type) {
			return fmt.Errorf("Incorrect operand type for operator or function; operator or function: "+
				"%s, operand type: %s", operator, TypeName(o.Value))
		}
	}
	return nil
}

func describe(v item.Value) string {
	if v.Type == item.B {
		return fmt.Sprintf("B:%q", v.B)
	}
	return TypeName(v) + ":" + v.S
}

// typeNames are the names of the types in DynamoDB's protocol.
var typeNames = map[item.Type]string{item.S: "S", item.N: "N", item.B: "B", item.Bool: "BOOL",
	item.Null: "NULL"}

// TypeName returns the name of a value's type in DynamoDB's protocol.
func TypeName(v item.Value) string {
	switch text, _ := v.Opaque.(Typed); {
	case v.Type == item.Nested && strings.HasPrefix(v.S, "["):
		return "L"
	case v.Type == item.Nested:
		return "M"
	case v.Type == item.Other:
		name, _, _ := strings.Cut(strings.TrimPrefix(string(text), `{"`), `"`)
		return name
	}
	return typeNames[v.Type]
}
