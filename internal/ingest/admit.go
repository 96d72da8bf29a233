package ingest

import (
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// admission is the checks at the door for one observation. It is a pure function of
// the observation, the kind, the limits and the clock; only a minted id may need
// randomness.
type admission struct {
	report
	kind   *catalog.Kind
	limits config.Limits
	now    model.Time // the door's clock
	random io.Reader
}

// observation admits what a door read. Where it answers errors, the event has its
// subject at most: set where known to be good, so that a rejection can be filed.
func (a *admission) observation(o Observation) (model.Event, []model.FieldError, error) {
	if o.Flaw != nil {
		return model.Event{Series: model.Series{Subject: a.subject(o.Subject)}}, []model.FieldError{*o.Flaw}, nil
	}
	return a.draft(a.read(o))
}

// draft admits d: the event, or what is wrong with it. The error is the random
// source's.
func (a *admission) draft(d Draft) (model.Event, []model.FieldError, error) {
	subject := a.subject(d.Subject)
	a.name(catalog.StreamField, d.Stream, a.limits.Stream)
	a.time(d.At)
	id, err := a.id(d)
	if err != nil {
		return model.Event{}, nil, err
	}
	order := model.Order{At: d.At, ID: id}
	event := model.Event{
		Series:    a.kind.Series(d.Subject, d.Stream, order),
		Order:     order,
		Attrs:     a.attrs(d.Attrs),
		ArrivedAt: a.now,
		ExpiresAt: a.kind.Ladder.EventExpiresAt(a.now),
		IndexBy:   a.kind.IndexBy,
	}
	a.size(&event)
	if len(a.errors) > 0 {
		return model.Event{Series: model.Series{Subject: subject}}, a.errors, nil
	}
	event.Hash = model.HashOf(event.Attrs)
	return event, nil, nil
}

// subject checks who; the answer is the zero Subject unless the id is good.
func (a *admission) subject(id string) model.Subject {
	field := a.kind.Subject.Field
	if id == "" {
		a.wrong(field, CodeMissing, "missing: it says which %s this is about; send its id as a string", strings.ToLower(a.kind.Subject.Name))
	}
	if !a.name(field, id, a.limits.Subject) || id == "" {
		return model.Subject{}
	}
	return model.Subject{Type: a.kind.Subject.Name, ID: id}
}

func (a *admission) time(at model.Time) {
	switch latest := a.now.Add(a.limits.MaxAhead); {
	case at < model.MinTime || at > model.MaxTime:
		a.wrong(catalog.TimeField, CodeTimeRange, "the year must be 0001 to 9999")
	case at > latest:
		a.wrong(catalog.TimeField, CodeTimeAhead, "%s is more than %s ahead of the clock here (%s), and would hold back every later event: set the sender's clock", at, a.limits.MaxAhead, a.now)
	}
}

// id is the event's id by the kind's policy.
func (a *admission) id(d Draft) (string, error) {
	a.name(catalog.IDField, d.ID, a.limits.ID)
	switch {
	case a.kind.IDs == catalog.MintedID && d.ID != "":
		a.wrong(catalog.IDField, CodeIDNotAllowed, "ids of %s are made at the door: leave it out", a.kind.Name)
	case a.kind.IDs == catalog.MintedID && len(a.errors) == 0:
		return Mint(d.At, d.Origin, a.random)
	case a.kind.IDs == catalog.RequiredID && d.ID == "":
		a.wrong(catalog.IDField, CodeMissing, "missing: %s tells events of one moment apart by it; send a string that a repeat would send again", a.kind.Name)
	}
	return d.ID, nil
}

// name checks what may become part of a key, or a column's head.
func (a *admission) name(field, text string, limit int) bool {
	switch {
	case len(text) > limit:
		a.wrong(field, CodeTooLong, "is %d bytes long: at most %d; shorten it", len(text), limit)
	case !utf8.ValidString(text):
		a.wrong(field, CodeInvalidUTF8, "holds bytes that are not UTF-8: encode it as UTF-8")
	case strings.ContainsFunc(text, unicode.IsControl):
		a.wrong(field, CodeControlCharacter, "holds a control character: remove it")
	default:
		return true
	}
	return false
}

// attrs are the admitted fields in canonical order; given is left as it was.
func (a *admission) attrs(given model.Attrs) model.Attrs {
	if a.tooManyFields(len(given)) {
		return nil
	}
	attrs, measures := make(model.Attrs, 0, len(given)), 0
	for _, f := range given {
		declared := a.kind.Declared(f.Name)
		if !a.fieldName(f.Name) || f.Value.Kind == model.Null && !declared {
			continue
		}
		f.Value = a.value(f.Name, f.Value, declared)
		if declared || f.Value.Kind == model.Number {
			measures++
		}
		attrs = append(attrs, f)
	}
	if measures > a.limits.Measures {
		a.wrong("", CodeTooManyMeasures, "%d measures: at most %d in one observation; send them as several streams", measures, a.limits.Measures)
	}
	attrs.Sort()
	for i := 1; i < len(attrs); i++ {
		if attrs[i].Name == attrs[i-1].Name {
			a.wrong(attrs[i].Name, CodeDuplicateName, "stands twice in one observation: send it once")
		}
	}
	return attrs
}

func (a *admission) tooManyFields(n int) bool {
	if n <= a.limits.Fields {
		return false
	}
	a.wrong("", CodeTooManyFields, "%d fields: at most %d in one observation; send fewer, or as several streams", n, a.limits.Fields)
	return true
}

// identityFields are the names that say who, when and which; no field may bear them.
func (a *admission) identityFields() []string {
	return []string{a.kind.Subject.Field, catalog.TimeField, catalog.StreamField, catalog.IDField}
}

func (a *admission) fieldName(name string) bool {
	switch {
	case name == "":
		a.wrong("", CodeNameEmpty, "a field has no name: give it one or leave it out")
	case keys.Reserved(name) || strings.HasPrefix(name, doorPrefix) || slices.Contains(a.identityFields(), name):
		a.wrong(name, CodeNameReserved, "is a name of the table's own: choose another (names beginning with _ or %s are reserved too)", doorPrefix)
	case a.kind.IsEnrichment(name):
		a.wrong(name, CodeEnrichment, "is enrichment of %s, which no observation may write: leave it out", a.kind.Name)
	default:
		return a.name(name, name, a.limits.Name)
	}
	return false
}

// doorPrefix begins the names by which a door adds what it knows itself.
const doorPrefix = "tidemark_"

// value checks v and brings it into its one admitted form: text of a declared measure
// that is a number becomes that number, so it folds and compares as one.
func (a *admission) value(name string, v model.Value, declared bool) model.Value {
	if declared && v.Kind == model.Text {
		v = a.measureText(name, v)
	}
	switch {
	case v.Kind == model.Text && len(v.Text) > a.limits.Text:
		a.wrong(name, CodeTooLong, "is %d bytes of text: at most %d; shorten it, or keep it elsewhere and send where", len(v.Text), a.limits.Text)
	case v.Kind == model.Text && !utf8.ValidString(v.Text):
		a.wrong(name, CodeInvalidUTF8, "holds bytes that are not UTF-8: encode the text as UTF-8")
	case v.Kind == model.Number && !fitsMeasure(v.Number):
		a.wrong(name, CodeNumberTooLarge, "is 10^%d or more, beyond what sums can hold exactly: send it in a larger unit", model.MaxMeasureDigits)
	case v.Kind == model.Bool && declared:
		a.wrong(name, CodeWrongType, "is a boolean, but declared a measure: send a number")
	case v.Kind != model.Text && a.counted(name):
		a.wrong(name, CodeWrongType, "is no string, but declared to be counted by value: send a string")
	}
	return v
}

// measureText reads the text of a declared measure. What is no number stays as it
// came and is counted invalid; a number the table cannot hold is an error.
func (a *admission) measureText(name string, v model.Value) model.Value {
	switch d, err := model.ParseDecimal(v.Text); {
	case err == nil:
		return model.NumberValue(d)
	case errors.Is(err, model.ErrNumberRange):
		a.wrong(name, CodeNumberRange, "%v: round it at the source", err)
	}
	return v
}

// counted reports whether name is a dimension or has its distinct values counted.
func (a *admission) counted(name string) bool {
	for _, d := range a.kind.Dimensions {
		if d.Name == name {
			return true
		}
	}
	return slices.Contains(a.kind.Distinct, name)
}

func fitsMeasure(d model.Decimal) bool {
	_, _, ok := d.Scaled(0)
	return ok
}

// size checks what no field could be blamed for alone.
func (a *admission) size(e *model.Event) {
	if len(a.errors) > 0 {
		return
	}
	key := keys.Event(e.Key())
	if err := key.Check(); err != nil {
		a.wrong("", CodeKeyTooLong, "%v", err)
	}
	if v, ok := e.Attrs.Get(e.IndexBy); ok {
		a.indexed(e, v)
	}
	for _, entry := range entriesOf(a.kind, e) {
		if entry.Key != (keys.Key{}) && entry.Key.Check() != nil {
			a.wrong("", CodeKeyTooLong, "the fields by which currents of %s are found in %s are too long for its key: shorten them", a.kind.Name, entry.Index)
		}
	}
	if n := sizeOf(len(key.PK)+len(key.SK), e.Attrs); n > maxEventBytes {
		a.wrong("", CodeTooLarge, "the event would take %d bytes: at most %d; send fewer or shorter fields", n, maxEventBytes)
	}
}

// indexed checks the value that the event is found by: it becomes part of a key.
func (a *admission) indexed(e *model.Event, v model.Value) {
	switch {
	case v.Kind != model.Text:
		a.wrong(e.IndexBy, CodeWrongType, "is no string, but events of %s are found by it: send a string", a.kind.Name)
	case v.Text != "" && keys.Indexed(e.Key(), e.IndexBy, v.Text).Check() != nil:
		a.wrong(e.IndexBy, CodeKeyTooLong, "is too long, or the ids are, for the key by which events of %s are found: shorten them", a.kind.Name)
	}
}
