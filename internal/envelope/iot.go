package envelope

import (
	"errors"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The names by which an IoT rule adds what it knows of a message, and by which what
// comes through a queue or a data stream may name its subject and kind:
//
//	SELECT *, topic(3) AS tidemark_subject FROM 'devices/+/…'
//
// No payload may use them for fields of its own.
const (
	RuleSubject = "tidemark_subject" // the subject's id, out of the topic
	RuleKind    = "tidemark_kind"    // the kind's name, as READING
)

// Message is one observation out of a rule's payload, with the name of its kind.
type Message struct {
	Kind     string // not yet known to exist
	Delivery string // what it came in, and what comes again where it cannot be settled
	ingest.Observation
}

// FromRule reads the payload of an IoT rule: an object or an array of them. delivery
// names the invocation, and is the same when it comes again; kind is that of messages
// for which the rule names none. It never fails: what cannot be read is a Message with
// a Flaw, to be kept in quarantine.
func FromRule(payload []byte, delivery, kind string, limit int) []Message {
	observations, _, err := ingest.DecodeBody(payload, limit)
	if err != nil {
		observations = []ingest.Observation{{Payload: payload, Flaw: flawOf(err)}}
	}
	messages := make([]Message, len(observations))
	for i, o := range observations {
		if delivery != "" {
			o.Origin = delivery + "/" + strconv.Itoa(i)
		}
		messages[i] = Message{Kind: kind, Delivery: delivery, Observation: o}
		messages[i].takeRuleFields()
	}
	return messages
}

// takeRuleFields takes what the rule added out of the fields.
func (m *Message) takeRuleFields() {
	targets := map[string]*string{RuleSubject: &m.Subject, RuleKind: &m.Kind}
	fields := m.Fields[:0]
	for _, f := range m.Fields {
		target, ok := targets[f.Name]
		switch {
		case !ok:
			fields = append(fields, f)
		case f.Form == ingest.TextForm:
			*target = f.Text
		case f.Form != ingest.NullForm:
			m.Flaw = &model.FieldError{Field: f.Name, Code: ingest.CodeWrongType,
				Message: "is " + f.Form.String() + ": want a string; correct the rule's SELECT, or the sender"}
		}
	}
	m.Fields = fields
}

// flawOf is what is wrong with a payload as a whole.
func flawOf(err error) *model.FieldError {
	code := ingest.CodeNotJSON
	switch {
	case errors.Is(err, ingest.ErrTooMany):
		code = ingest.CodeTooMany
	case errors.Is(err, ingest.ErrNotObject):
		code = ingest.CodeNotAnObject
	}
	return &model.FieldError{Code: code, Message: err.Error()}
}
