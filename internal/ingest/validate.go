package ingest

import (
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/ids"
	"github.com/tidemark-db/tidemark/internal/ordervalue"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// validation validates one observation. Its result depends only on the observation, the
// kind, the limits and the time, except for event ids that are made at random.
type validation struct {
	problems
	kind   *catalog.Kind
	limits config.Limits
	now    model.Time // arrival time
	random io.Reader
	strict bool // see Observation.Strict
}

// observation validates the input of a source. With field errors, the returned event has no
// fields but its subject, which is set if it is valid, for the quarantine.
func (v *validation) observation(o Observation) (model.Event, []model.FieldError, error) {
	if o.DecodeError != nil {
		return model.Event{Series: model.Series{Subject: v.subject(o.Subject)}}, []model.FieldError{*o.DecodeError}, nil
	}
	return v.typed(v.decode(o))
}

// typed validates o and returns the event or the field errors. The error is that of the random source.
func (v *validation) typed(o TypedObservation) (model.Event, []model.FieldError, error) {
	v.strict = o.Strict
	if !v.kind.HasEvents() {
		v.add("", CodeUnknownKind, "events of kind %s are not stored: they are sessions of kind %s, send its events", v.kind.Name, v.kind.Sessions.Of)
	}
	subject := v.subject(o.Subject)
	v.name(catalog.StreamField, o.Stream, v.limits.Stream)
	positions[v.kind.OrderType](v, o)
	id, err := v.id(o)
	if err != nil {
		return model.Event{}, nil, err
	}
	attrs := v.attrs(o.Attrs)
	order := ordervalue.Order(v.kind.OrderBy, o.At, id, attrs)
	event := model.Event{
		Series:    v.kind.Series(o.Subject, o.Stream, order),
		Order:     order,
		Attrs:     attrs,
		ArrivedAt: v.now,
		ExpiresAt: v.kind.Retention.EventExpiresAt(v.now),
		IndexBy:   v.kind.IndexBy,
	}
	v.size(&event)
	if len(v.errors) > 0 {
		return model.Event{Series: model.Series{Subject: subject}}, v.errors, nil
	}
	event.Hash = model.HashOf(event.Attrs)
	return event, nil, nil
}

// subject validates a subject id. It returns the zero Subject if the id is not valid.
func (v *validation) subject(id string) model.Subject {
	field := v.kind.Subject.Field
	if id == "" {
		v.add(field, CodeMissing, "missing: it identifies the %s; send its id as a string", strings.ToLower(v.kind.Subject.Name))
	}
	if !v.name(field, id, v.limits.Subject) || id == "" {
		return model.Subject{}
	}
	return model.Subject{Type: v.kind.Subject.Name, ID: id}
}

// id returns the event id according to the kind's policy.
func (v *validation) id(o TypedObservation) (string, error) {
	v.name(catalog.IDField, o.ID, v.limits.ID)
	switch {
	case v.kind.IDs == catalog.MintedID && o.ID != "":
		v.add(catalog.IDField, CodeIDNotAllowed, "event ids of %s are made by the server: leave it out", v.kind.Name)
	case v.kind.IDs == catalog.MintedID && len(v.errors) == 0:
		return ids.Event(o.At, o.Origin, v.random)
	case v.kind.IDs == catalog.RequiredID && o.ID == "":
		v.add(catalog.IDField, CodeMissing, "missing: it distinguishes events of %s with the same time; send a string that is the same when the event is sent again", v.kind.Name)
	}
	return o.ID, nil
}

// name validates text that may become part of a key or the head of a column.
func (v *validation) name(field, text string, limit int) bool {
	switch {
	case len(text) > limit:
		v.add(field, CodeTooLong, "is %d bytes long: at most %d; shorten it", len(text), limit)
	case !utf8.ValidString(text):
		v.add(field, CodeInvalidUTF8, "contains bytes that are not UTF-8: encode it as UTF-8")
	case strings.ContainsFunc(text, unicode.IsControl):
		v.add(field, CodeControlCharacter, "contains a control character: remove it")
	default:
		return true
	}
	return false
}

// attrs returns the validated fields in canonical order. It does not modify given.
func (v *validation) attrs(given model.Attrs) model.Attrs {
	if v.tooManyFields(len(given)) {
		return nil
	}
	attrs, measures := make(model.Attrs, 0, len(given)), 0
	for _, f := range given {
		declared := v.kind.Declared(f.Name)
		if !v.fieldName(f.Name) || f.Value.Kind == model.Null && !declared {
			continue
		}
		f.Value = v.value(f.Name, f.Value, declared)
		if declared || f.Value.Kind == model.Number {
			measures++
		}
		attrs = append(attrs, f)
	}
	if measures > v.limits.Measures {
		v.add("", CodeTooManyMeasures, "%d measures: at most %d in one observation; send them as several streams", measures, v.limits.Measures)
	}
	attrs.Sort()
	for i := 1; i < len(attrs); i++ {
		if attrs[i].Name == attrs[i-1].Name {
			v.add(attrs[i].Name, CodeDuplicateName, "appears twice in one observation: send it once")
		}
	}
	return attrs
}

func (v *validation) tooManyFields(n int) bool {
	if n <= v.limits.Fields {
		return false
	}
	v.add("", CodeTooManyFields, "%d fields: at most %d in one observation; send fewer, or as several streams", n, v.limits.Fields)
	return true
}

// identityFields returns the names of the subject, time, stream and id, which no other field may have.
func (v *validation) identityFields() []string {
	return []string{v.kind.Subject.Field, catalog.TimeField, catalog.StreamField, catalog.IDField}
}

func (v *validation) fieldName(name string) bool {
	switch {
	case name == "":
		v.add("", CodeNameEmpty, "a field has no name: give it one or leave it out")
	case keys.Reserved(name) || strings.HasPrefix(name, sourcePrefix) || slices.Contains(v.identityFields(), name):
		v.add(name, CodeNameReserved, "is reserved for the table: choose another name (names that begin with _ or %s are reserved too)", sourcePrefix)
	case v.kind.IsEnrichment(name):
		v.add(name, CodeEnrichment, "is an enrichment field of %s, which an observation cannot set: leave it out", v.kind.Name)
	default:
		return v.name(name, name, v.limits.Name)
	}
	return false
}

// sourcePrefix begins the names of fields that a source adds itself.
const sourcePrefix = "tidemark_"

// value validates a value and returns it in canonical form: a declared measure that was sent
// as the text of a number becomes that number.
func (v *validation) value(name string, x model.Value, declared bool) model.Value {
	if declared && x.Kind == model.Text {
		x = v.measureText(name, x)
	}
	switch {
	case x.Kind == model.Nested:
		v.add(name, CodeNested, nestedMessage)
	case x.Kind == model.Text && len(x.Text) > v.limits.Text:
		v.add(name, CodeTooLong, "is %d bytes of text: at most %d; shorten it, or store it elsewhere and send a reference", len(x.Text), v.limits.Text)
	case x.Kind == model.Text && !utf8.ValidString(x.Text):
		v.add(name, CodeInvalidUTF8, "contains bytes that are not UTF-8: encode the text as UTF-8")
	case x.Kind == model.Number && len(v.kind.Retention.Tiers) > 0 && !fitsMeasure(x.Number):
		v.add(name, CodeNumberTooLarge, "is 10^%d or more, too large for exact sums: send it in a larger unit", model.MaxMeasureDigits)
	case x.Kind == model.Bool && declared:
		v.add(name, CodeWrongType, "is a boolean, but declared as a measure: send a number")
	case x.Kind != model.Text && v.countedByValue(name):
		v.add(name, CodeWrongType, "is not a string, but declared as a dimension or for distinct counts: send a string")
	}
	return x
}

const nestedMessage = "is an object or array, which an event cannot have: send its parts as separate fields"

// measureText parses the text of a declared measure; spaces around the number are ignored. A number that the
// table cannot store is an error. Text that is not a number is an error of a strict observation; otherwise it
// is returned unchanged, and rollups count it as invalid.
func (v *validation) measureText(name string, x model.Value) model.Value {
	switch d, err := model.ParseDecimal(strings.TrimSpace(x.Text)); {
	case err == nil:
		return model.NumberValue(d)
	case errors.Is(err, model.ErrNumberRange):
		v.add(name, CodeNumberRange, "%v: round it at the source", err)
	case v.strict:
		v.add(name, CodeNumberForm, "%q is not a number, but declared as a measure: send a number such as 22.4, or null", clip(x.Text))
	}
	return x
}

// invalidMeasures returns the names of the declared measures whose value is not a number:
// the event stores them, and rollups count them as invalid.
func invalidMeasures(kind *catalog.Kind, attrs model.Attrs) (names []string) {
	for _, a := range attrs {
		if a.Value.Kind != model.Number && kind.Declared(a.Name) {
			names = append(names, a.Name)
		}
	}
	return names
}

// countedByValue reports whether name is a dimension or a field with distinct counts.
func (v *validation) countedByValue(name string) bool {
	isField := func(d rollup.DimensionSpec) bool { return d.Name == name }
	return slices.Contains(v.kind.Distinct, name) || slices.ContainsFunc(v.kind.Dimensions, isField)
}

func fitsMeasure(d model.Decimal) bool {
	_, _, ok := d.Scaled(0)
	return ok
}

// size validates the sizes to which several fields contribute.
func (v *validation) size(e *model.Event) {
	if len(v.errors) > 0 {
		return
	}
	key := keys.Event(e.Key())
	if err := key.Check(); err != nil {
		v.add("", CodeKeyTooLong, "%v", err)
	}
	if x, ok := e.Attrs.Get(e.IndexBy); ok {
		v.indexValue(e, x)
	}
	for _, entry := range entriesOf(v.kind, e) {
		if wrong := checkEntry(v.kind, entry); wrong != nil {
			v.errors = append(v.errors, *wrong)
		}
	}
	if n := sizeOf(len(key.PK)+len(key.SK), e.Attrs); n > maxEventBytes {
		v.add("", CodeTooLarge, "the event would take %d bytes: at most %d; send fewer or shorter fields", n, maxEventBytes)
	}
}

// indexValue validates the value of the indexed field, which becomes part of a key.
func (v *validation) indexValue(e *model.Event, x model.Value) {
	switch {
	case x.Kind != model.Text:
		v.add(e.IndexBy, CodeWrongType, "is not a string, but events of %s are indexed by it: send a string", v.kind.Name)
	case x.Text != "" && tablekeys.IndexEntry(e.Key(), e.IndexBy, x.Text).Check() != nil:
		v.add(e.IndexBy, CodeKeyTooLong, "is too long for the index key of events of %s, together with the ids: shorten them", v.kind.Name)
	}
}

// Checker validates observations of a kind without storing them.
type Checker struct {
	Kind   *catalog.Kind
	Limits config.Limits
	Now    model.Time
	Rand   io.Reader // for ids that are made here
}

// Observation returns the event that would be stored, or why the observation would be
// rejected. The error is that of Rand.
func (c Checker) Observation(o Observation) (model.Event, []model.FieldError, error) {
	v := validation{kind: c.Kind, limits: c.Limits, now: c.Now, random: c.Rand}
	return v.observation(o)
}
