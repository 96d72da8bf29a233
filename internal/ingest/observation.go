package ingest

import "github.com/tidemark-db/tidemark/pkg/model"

// Observation is what arrives at a door, before admission: names and exact text, of
// which nothing is believed yet. Doors make it; Service.Append admits it.
type Observation struct {
	// Subject is the subject's id where the door itself knows it, as an IoT topic
	// does; "" where the observation names it. Where both do, they must agree.
	Subject string
	// Fields are all names and values in the order they came, no name twice: those
	// that say who, when and which, and the rest.
	Fields []Field
	// Flaw is what kept the door from reading it; then Fields mean nothing and the
	// observation is rejected for it.
	Flaw *model.FieldError
	// Origin names the delivery it came in and its place there, where a repeat of that
	// delivery would say the same; "" where it would not. Minted ids follow from it.
	Origin  string
	Payload []byte // as it came, for quarantine
}

// Field is one named value, its text untouched.
type Field struct {
	Name string
	Form Form
	Text string // of a string its content, of a number its digits as sent, of a boolean true or false
}

// Form is what a value looked like when it came.
type Form uint8

// The forms of a value.
const (
	NullForm Form = iota
	NumberForm
	TextForm
	BoolForm
	NestedForm // an object or an array; never admitted
)

var formNames = [...]string{"null", "a number", "a string", "a boolean", "an object or array"}

// String names the form as a sentence needs it: a number, a string.
func (f Form) String() string { return formNames[f] }

// Draft is an observation whose values have their types, and still no event: Go
// programs make it themselves, doors by way of an Observation.
type Draft struct {
	Subject string // the subject's id; its type is the kind's
	Stream  string
	At      model.Time
	ID      string      // "" for none
	Attrs   model.Attrs // in any order, no name twice; never changed
	Origin  string      // as in Observation
}
