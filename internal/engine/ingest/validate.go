package ingest

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/base/plaintext"
	"github.com/tidemark-db/tidemark/internal/engine/ordervalue"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
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
	// lenient drops the parts of an observation that cannot be stored, and stores the rest.
	lenient bool
	parts   problems // the parts that were dropped
	// alterations are the parts that are stored in another form, if the observation is stored.
	alterations problems
	meant       string // the end of a message: the field that may be meant by a missing subject
}

// observation validates the input of a source. With field errors, the returned event has no
// fields but its subject, which is set if it is valid, for the quarantine.
func (v *validation) observation(o Observation) (model.Event, []model.FieldError, error) {
	if o.DecodeError != nil {
		return model.Event{Series: model.Series{Subject: v.subject(o.Subject)}}, []model.FieldError{*o.DecodeError},
			nil
	}
	v.lenient = !o.Strict
	return v.typed(v.decode(o))
}

// typed validates o and returns the event or the field errors. It returns an error if the random
// source fails.
func (v *validation) typed(o TypedObservation) (model.Event, []model.FieldError, error) {
	v.strict = o.Strict
	if k := v.kind; !k.HasEvents() {
		v.add("", CodeUnknownKind, "events of kind %s are not stored: send events of kind %s",
			k.Name, k.FoldedFrom())
	}
	subject := v.subject(o.Subject)
	v.name(catalog.StreamField, o.Stream, v.limits.Stream)
	positions[v.kind.OrderType](v, o)
	id, err := v.id(o)
	if err != nil {
		return model.Event{}, nil, err
	}
	attrs := v.attrs(o.Attrs)
	if len(attrs) == 0 && len(v.parts.errors) > 0 { // nothing is left
		v.errors, v.parts.errors = append(v.errors, v.parts.errors...), nil
	}
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
		return model.Event{Series: model.Series{Subject: subject}}, append(v.errors, v.parts.errors...), nil
	}
	event.Hash = model.HashAttrs(event.Attrs)
	return event, nil, nil
}

// subject validates a subject id. It returns the zero Subject if the id is not valid.
func (v *validation) subject(id string) model.Subject {
	field := v.kind.Subject.Field
	if id == "" {
		v.add(field, CodeMissing, "missing: it identifies the %s; send its id as a string%s",
			strings.ToLower(v.kind.Subject.Name), v.meant)
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
		v.add(catalog.IDField, CodeIDNotAllowed, "event ids of %s are made by the server: leave it out",
			v.kind.Name)
	case v.kind.IDs == catalog.MintedID && len(v.errors) == 0:
		return ids.Event(o.At, o.Origin, v.random)
	case v.kind.IDs == catalog.RequiredID && o.ID == "":
		v.add(catalog.IDField, CodeMissing,
			"missing: it distinguishes events of %s with the same time; send a string that is the same "+
				"when the event is sent again", v.kind.Name)
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
	case plaintext.Has(text):
		v.add(field, CodeControlCharacter,
			"contains a character that a reader cannot see, such as a control character or a space "+
				"without width: remove it")
	default:
		return true
	}
	return false
}

// attrs returns the validated fields in canonical order. It does not modify given.
func (v *validation) attrs(given model.Attrs) model.Attrs {
	given, ok := v.fewerFields(v.properties(given))
	if !ok {
		return nil
	}
	attrs, measures := make(model.Attrs, 0, len(given)), 0
	for _, f := range given {
		declared := v.kind.Declared(f.Name)
		if !v.fieldName(f.Name) || !v.stores(f.Name) || f.Value.Kind == model.Null && !declared {
			continue
		}
		f.Value = v.value(f.Name, f.Value, declared)
		if f.Value.Kind == model.Nested && v.lenient {
			continue
		}
		if declared || f.Value.Kind == model.Number {
			measures++
		}
		attrs = append(attrs, f)
	}
	if measures > v.limits.Measures {
		attrs = v.fewerMeasures(attrs, measures)
	}
	attrs.Sort()
	for i := 1; i < len(attrs); i++ {
		if attrs[i].Name == attrs[i-1].Name {
			v.add(attrs[i].Name, CodeDuplicateName, "appears twice in one observation: send it once")
		}
	}
	return attrs
}

// identityFields returns the names of the subject, time, stream and id, which no other field may have.
func (v *validation) identityFields() []string {
	return []string{v.kind.Subject.Field, catalog.TimeField, catalog.StreamField, catalog.IDField}
}

func (v *validation) fieldName(name string) bool {
	switch {
	case name == "":
		v.part("", CodeNameEmpty, "a field has no name: give it one or leave it out")
	case strings.HasPrefix(name, sourcePrefix): // a sender must not pass for a source
		v.add(name, CodeNameReserved,
			"is reserved for the table: choose another name (names that begin with _ or %s are reserved too)",
			sourcePrefix)
	case keys.Reserved(name) || slices.Contains(v.identityFields(), name):
		v.part(name, CodeNameReserved,
			"is reserved for the table: choose another name (names that begin with _ or %s are reserved too)",
			sourcePrefix)
	case v.kind.IsEnrichment(name):
		v.part(name, CodeEnrichment, "is an enrichment field of %s, which an observation cannot set: leave it out",
			v.kind.Name)
	default:
		return v.partName(name)
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
		v.part(name, CodeNested, nestedMessage)
	case x.Kind == model.Text && len(x.Text) > v.limits.Text:
		return v.refused(name, CodeTooLong,
			fmt.Sprintf("is %d bytes of text: at most %d; shorten it, or store it elsewhere and send a reference",
				len(x.Text), v.limits.Text))
	case x.Kind == model.Text && !utf8.ValidString(x.Text):
		return v.refused(name, CodeInvalidUTF8, "contains bytes that are not UTF-8: encode the text as UTF-8")
	case x.Kind == model.Number && len(v.kind.Retention.Tiers) > 0 && !fitsMeasure(x.Number):
		v.strictly(name, CodeNumberTooLarge, "is 10^%d or more, too large for exact sums: send it in a larger unit",
			model.MaxMeasureDigits)
	case x.Kind == model.Bool && declared:
		v.strictly(name, CodeWrongType, "is a boolean, but declared as a measure: send a number")
	case x.Kind != model.Text && v.countedByValue(name):
		v.part(name, CodeWrongType,
			"is not a string, but declared as a dimension or for distinct counts: it is stored as text; send a string")
		if v.lenient && x.Kind != model.Null {
			return model.TextValue(x.String())
		}
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
		v.strictly(name, CodeNumberRange, "%v: round it at the source", err)
	case v.strict:
		v.add(name, CodeNumberForm,
			"%q is not a number, but declared as a measure: send a number such as 22.4, or null", clip(x.Text))
	}
	return x
}

// InvalidMeasures returns the names of the declared measures whose value is not a number, and of the numbers
// that are too large for sums: the event stores them, and rollups count them as invalid.
func InvalidMeasures(kind *catalog.Kind, attrs model.Attrs) (names []string) {
	for _, a := range attrs {
		large := a.Value.Kind == model.Number && len(kind.Retention.Tiers) > 0 && !fitsMeasure(a.Value.Number)
		if large || a.Value.Kind != model.Number && kind.Declared(a.Name) {
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
	for _, entry := range indexEntries(v.kind, e) {
		if wrong := checkEntry(v.kind, entry); wrong != nil {
			v.errors = append(v.errors, *wrong)
		}
	}
	if n := itemSize(len(key.PK)+len(key.SK), e.Attrs); n > maxEventBytes {
		v.add("", CodeTooLarge, "the event would take %d bytes: at most %d; send fewer or shorter fields", n,
			maxEventBytes)
	}
}

// indexValue validates the value of the indexed field, which becomes part of a key.
func (v *validation) indexValue(e *model.Event, x model.Value) {
	switch {
	case x.Kind != model.Text:
		v.add(e.IndexBy, CodeWrongType, "is not a string, but events of %s are indexed by it: send a string",
			v.kind.Name)
	case x.Text != "" && tablekeys.IndexEntry(e.Key(), e.IndexBy, x.Text).Check() != nil:
		v.add(e.IndexBy, CodeKeyTooLong,
			"is too long for the index key of events of %s, together with the ids: shorten them", v.kind.Name)
	}
}
