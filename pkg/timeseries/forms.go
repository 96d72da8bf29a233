package timeseries

import (
	"errors"
	"fmt"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// fieldTimeLayout is the stored form of times in fields: of fixed width and in UTC, so that texts sort as
// times do. Releases before wrote time.RFC3339Nano, which is read too but does not sort: it omits final
// zeros.
const fieldTimeLayout = "2006-01-02T15:04:05.000000000Z"

// lastYear is the last one that this form can hold.
const lastYear = 9999

// errYear reports a time in a field that could be stored, but neither be read nor sorted.
var errYear = errors.New("the year of a time must be 0000 to 9999 in UTC")

// stored are the kinds of values that a column of each form stores, and their names in messages.
var stored = map[form]struct {
	kind model.ValueKind
	name string
}{
	decimalForm: {model.Number, "numbers"}, floatForm: {model.Number, "numbers"},
	intForm: {model.Number, "numbers"}, uintForm: {model.Number, "numbers"},
	textForm: {model.Text, "text"}, boolForm: {model.Bool, "booleans"}, timeForm: {model.Text, "times"},
	marshaledForm: {model.Text, "text"},
}

// comparison is a term as a program writes it.
type comparison struct {
	field string
	op    model.Op
	value any
}

// condition returns the comparisons of stored values, or model.ErrCondition. The fields are in the layout.
func (l *layout) condition(all []comparison) (terms model.Condition, err error) {
	for _, one := range all {
		t, wrong := l.term(one)
		terms, err = append(terms, t), errors.Join(err, wrong)
	}
	if err == nil {
		err = l.checkTerms(terms)
	}
	if err != nil {
		return nil, err
	}
	return terms, terms.Validate()
}

// term returns the comparison of a stored field with a Go value.
func (l *layout) term(one comparison) (model.Term, error) {
	t := model.Term{Field: one.field, Op: one.op}
	if stored, ok := one.value.(model.Value); ok {
		t.Value = stored
		return t, nil
	}
	if one.value == nil {
		return t, nil
	}
	c := l.find(one.field)
	if c == nil {
		c = &column{}
	}
	v := reflect.ValueOf(one.value)
	form := c.form(v.Type())
	if form == noForm || form == nestedForm {
		return t, fmt.Errorf("%w: %.64q cannot be compared with a %s", model.ErrCondition, one.field,
			v.Type())
	}
	var err error
	if t.Value, _, err = encode(v, form); err != nil {
		err = fmt.Errorf("%w: %.64q: %w", model.ErrCondition, one.field, err)
	}
	return t, err
}

// checkTerms returns model.ErrCondition for a comparison that holds for no value that the columns can store.
func (l *layout) checkTerms(terms model.Condition) error {
	for _, t := range terms {
		if t.Op == model.Exists || t.Op == model.Missing {
			continue
		}
		if t.Value.Kind == model.Null {
			return fmt.Errorf("%w: %.64q %s nil never holds: use model.Missing or model.Exists", model.ErrCondition,
				t.Field, t.Op)
		}
		if err := l.find(t.Field).checkValue(t); err != nil {
			return fmt.Errorf("%w: %.64q %s %s: %w", model.ErrCondition, t.Field, t.Op, t.Value, err)
		}
	}
	return nil
}

// checkValue returns an error if the column stores no values of the kind of t's value.
func (c *column) checkValue(t model.Term) error {
	want := stored[c.form(c.typ)]
	switch {
	case t.Op == model.Begins && want.kind != model.Text:
		return fmt.Errorf("the field has %s, which begin with nothing", want.name)
	case t.Value.Kind == model.Text && !utf8.ValidString(t.Value.Text):
		return fmt.Errorf("no stored text has bytes that are not UTF-8")
	case t.Value.Kind != want.kind:
		return fmt.Errorf("the field has %s: pass a value of its type", want.name)
	case c.form(c.typ) == timeForm && t.Op != model.Begins:
		if _, err := time.Parse(fieldTimeLayout, t.Value.Text); err != nil {
			return fmt.Errorf("the field has times: pass a time.Time")
		}
	}
	return nil
}
