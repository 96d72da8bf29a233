package timeseries

import (
	"errors"
	"fmt"
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
	want := stored[formFor(c.typ)]
	switch {
	case t.Op == model.Begins && want.kind != model.Text:
		return fmt.Errorf("the field has %s, which begin with nothing", want.name)
	case t.Value.Kind == model.Text && !utf8.ValidString(t.Value.Text):
		return fmt.Errorf("no stored text has bytes that are not UTF-8")
	case t.Value.Kind != want.kind:
		return fmt.Errorf("the field has %s: pass a value of its type", want.name)
	case formFor(c.typ) == timeForm && t.Op != model.Begins:
		if _, err := time.Parse(fieldTimeLayout, t.Value.Text); err != nil {
			return fmt.Errorf("the field has times: pass a time.Time")
		}
	}
	return nil
}
