package ingest

import (
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Observation is the input of a source before validation: names and unchanged text.
type Observation struct {
	// Subject is the id of the subject if the source knows it, as from an IoT topic; ""
	// if the observation names it. If both do, they must be equal.
	Subject string
	// Fields are all names and values in their order, without duplicate names. They
	// include the subject, time, stream and id.
	Fields []Field
	// Dropped are the parts that the source could not decode, and why; Fields has none of them. The rest
	// is stored, unless one of them identifies the event.
	Dropped []model.FieldError
	// DecodeError is why the source could not decode the input. If it is set, the
	// observation is rejected with it, and Fields is ignored.
	DecodeError *model.FieldError
	// Origin identifies the delivery and the position in it, if a repeated delivery has
	// the same; "" otherwise. Event ids that are made here are derived from it.
	Origin string
	// Strict rejects the observation if a declared measure is text that is not a number.
	// Otherwise the value is stored as it is, and rollups count it as invalid.
	Strict  bool
	Payload []byte // as received, for the quarantine
}

// Field is one named value with its text unchanged.
type Field struct {
	Name string
	Form Form
	// of a string its content, of a number its digits as sent, of a boolean true or false, of others JSON
	Text string
}

// Value returns the value with its type. It returns an error for a number that cannot be stored.
func (f Field) Value() (model.Value, error) {
	switch f.Form {
	case TextForm:
		return model.TextValue(f.Text), nil
	case BoolForm:
		return model.BoolValue(f.Text == "true"), nil
	case NestedForm:
		return model.Value{Kind: model.Nested, Text: f.Text}, nil
	case NumberForm:
		n, err := model.ParseDecimal(f.Text)
		return model.NumberValue(n), err
	}
	return model.Value{}, nil
}

// Form is the form of a value as it was sent.
type Form uint8

// The forms of a value.
const (
	NullForm Form = iota
	NumberForm
	TextForm
	BoolForm
	NestedForm // an object or an array; never valid in events
)

var formNames = [...]string{"null", "a number", "a string", "a boolean", "an object or array"}

// String returns the form as used in a sentence: a number, a string.
func (f Form) String() string { return formNames[f] }

// TypedObservation is an observation whose values have types. Go programs make it
// directly; for other sources it is made from an Observation.
type TypedObservation struct {
	Subject string // the subject's id; its type is the kind's
	Stream  string
	At      model.Time
	ID      string      // "" for none
	Attrs   model.Attrs // in any order, without duplicate names; not modified
	Origin  string      // see Observation
	Strict  bool        // see Observation
}

// positions validate what orders an event in its series, by the order type of the kind.
var positions = map[catalog.OrderType]func(*validation, TypedObservation){
	"": func(v *validation, o TypedObservation) { v.time(o.At) },
	catalog.NumberOrder: func(v *validation, o TypedObservation) {
		v.orderValue(o.Attrs, model.Number, "a number")
	},
	catalog.TextOrder: func(v *validation, o TypedObservation) { v.orderValue(o.Attrs, model.Text, "a string") },
}

func (v *validation) time(at model.Time) {
	switch limit := v.now.Add(v.limits.MaxAhead); {
	case at < model.MinTime || at > model.MaxTime:
		v.add(catalog.TimeField, CodeTimeRange, "the year must be 0001 to 9999")
	case at > limit:
		v.add(catalog.TimeField, CodeTimeAhead,
			"%s is more than %s ahead of the server's clock (%s), and would make all events until then "+
				"late: set the sender's clock", at, v.limits.MaxAhead, v.now)
	}
}

// orderValue validates the value that orders an event without a time.
func (v *validation) orderValue(attrs model.Attrs, want model.ValueKind, wanted string) {
	field := v.kind.OrderBy
	for _, a := range attrs {
		switch {
		case a.Name != field:
			continue
		case a.Value.Kind != want:
			v.add(field, CodeWrongType, "events of %s are ordered by it: send %s", v.kind.Name, wanted)
		case want == model.Text && a.Value.Text != "":
			v.name(field, a.Value.Text, v.limits.ID)
		case want == model.Text:
			v.add(field, CodeMissing, "is empty, and events of %s are ordered by it: send %s", v.kind.Name, wanted)
		}
		return
	}
	v.add(field, CodeMissing, "missing: events of %s are ordered by it; send %s", v.kind.Name, wanted)
}
