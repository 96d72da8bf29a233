package model_test

import (
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/model"
)

func number(n int64) model.Value { return model.NumberValue(model.NewDecimal(n)) }

func TestCondition_HoldsLikeTheConditionsOfTheTable(t *testing.T) {
	t.Parallel()
	attrs := model.Attrs{
		{Name: "n", Value: number(10)}, {Name: "nothing", Value: model.Value{}},
		{Name: "ok", Value: model.BoolValue(true)}, {Name: "t", Value: model.TextValue("warehouse")},
	}
	for _, c := range []struct {
		term model.Term
		want bool
	}{
		{model.Term{Field: "n", Op: model.Equal, Value: number(10)}, true},
		{model.Term{Field: "n", Op: model.Equal, Value: model.NumberValue(model.MustDecimal("10.0"))}, true},
		{model.Term{Field: "n", Op: model.Equal, Value: model.TextValue("10")}, false},
		{model.Term{Field: "n", Op: model.NotEqual, Value: model.TextValue("10")}, true},
		{model.Term{Field: "n", Op: model.NotEqual, Value: number(10)}, false},
		{model.Term{Field: "n", Op: model.Less, Value: number(11)}, true},
		{model.Term{Field: "n", Op: model.Less, Value: number(10)}, false},
		{model.Term{Field: "n", Op: model.AtMost, Value: number(10)}, true},
		{model.Term{Field: "n", Op: model.Greater, Value: number(9)}, true},
		{model.Term{Field: "n", Op: model.Greater, Value: number(10)}, false},
		{model.Term{Field: "n", Op: model.AtLeast, Value: number(10)}, true},
		{model.Term{Field: "n", Op: model.AtLeast, Value: model.TextValue("1")}, false},
		{model.Term{Field: "t", Op: model.Greater, Value: model.TextValue("ware")}, true},
		{model.Term{Field: "t", Op: model.Begins, Value: model.TextValue("ware")}, true},
		{model.Term{Field: "t", Op: model.Begins, Value: model.TextValue("house")}, false},
		{model.Term{Field: "n", Op: model.Begins, Value: model.TextValue("1")}, false},
		{model.Term{Field: "ok", Op: model.Equal, Value: model.BoolValue(true)}, true},
		{model.Term{Field: "ok", Op: model.Less, Value: number(1)}, false},
		{model.Term{Field: "nothing", Op: model.Exists}, true},
		{model.Term{Field: "nothing", Op: model.Missing}, false},
		{model.Term{Field: "nothing", Op: model.Equal, Value: model.Value{}}, true},
		{model.Term{Field: "absent", Op: model.Missing}, true},
		{model.Term{Field: "absent", Op: model.Exists}, false},
		{model.Term{Field: "absent", Op: model.NotEqual, Value: number(1)}, false},
		{model.Term{Field: "absent", Op: model.Less, Value: number(1)}, false},
		{model.Term{Field: "n", Op: "~", Value: number(1)}, false},
	} {
		if got := (model.Condition{c.term}).Holds(attrs); got != c.want {
			t.Errorf("%s holds: %v, want %v", c.term, got, c.want)
		}
	}
	if !model.Condition(nil).Holds(nil) {
		t.Error("the zero condition does not hold")
	}
	both := model.Condition{{Field: "n", Op: model.Exists}, {Field: "absent", Op: model.Exists}}
	if both.Holds(attrs) {
		t.Error("a condition with a false term holds")
	}
}

func TestCondition_ValidateRejectsInvalidTerms(t *testing.T) {
	t.Parallel()
	for name, term := range map[string]model.Term{
		"no field":              {Op: model.Exists},
		"an unknown comparison": {Field: "n", Op: "~"},
		"no comparison":         {Field: "n"},
		"the order of booleans": {Field: "n", Op: model.Less, Value: model.BoolValue(true)},
		"the order of null":     {Field: "n", Op: model.AtLeast},
		"a number that begins":  {Field: "n", Op: model.Begins, Value: number(1)},
	} {
		if err := (model.Condition{term}).Validate(); !errors.Is(err, model.ErrCondition) {
			t.Errorf("%s: %v, want %v", name, err, model.ErrCondition)
		}
	}
	good := model.Condition{{Field: "n", Op: model.Less, Value: number(1)},
		{Field: "t", Op: model.Begins, Value: model.TextValue("")}, {Field: "x", Op: model.Missing}}
	if err := good.Validate(); err != nil {
		t.Errorf("a valid condition: %v", err)
	}
}

func TestTerm_StringIsDifferentForDifferentTerms(t *testing.T) {
	t.Parallel()
	for term, want := range map[model.Term]string{
		{Field: "n", Op: model.Less, Value: model.NumberValue(model.MustDecimal("1.5"))}: `"n" < 1.5`,
		{Field: "n", Op: model.Equal, Value: model.TextValue("1.5")}:                     `"n" = "1.5"`,
		{Field: "n", Op: model.Equal, Value: model.BoolValue(true)}:                      `"n" = true`,
		{Field: "n", Op: model.Equal}:                                                    `"n" = null`,
		{Field: "n", Op: model.Missing, Value: model.TextValue("x")}:                     `"n" missing`,
	} {
		if got := term.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
