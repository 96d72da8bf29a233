package envelope

import (
	"errors"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The fields that an IoT rule adds to a message, and that a message in a queue or a data
// stream may have to name its subject and kind:
//
//	SELECT *, topic(3) AS tidemark_subject FROM 'devices/+/…'
//
// They are reserved: no other field of an observation may have these names.
const (
	RuleSubject = "tidemark_subject" // the subject's id, from the topic
	RuleKind    = "tidemark_kind"    // the kind's name, such as READING
)

// Message is one observation of a rule's payload, with the name of its kind.
type Message struct {
	Kind     string // the catalog may not have it
	Delivery string // identifies the delivery, which is repeated if the message fails
	ingest.Observation
}

// FromRule decodes an object or an array of objects that may have the rule's fields: the
// record of a queue or a data stream, whose senders may write for any subject. delivery
// identifies the invocation and is the same for its retries; kind is the default of
// messages without RuleKind. A payload that cannot be decoded is a Message with a
// DecodeError, for quarantine.
func FromRule(payload []byte, delivery, kind string, limit int) []Message {
	observations, _, err := ingest.DecodeBody(payload, limit)
	if err != nil {
		observations = []ingest.Observation{{Payload: payload, DecodeError: payloadError(err)}}
	}
	messages := make([]Message, len(observations))
	for i, o := range observations {
		if delivery != "" {
			o.Origin = delivery + "/" + strconv.Itoa(i)
		}
		messages[i] = Message{Kind: kind, Delivery: delivery, Observation: o}
		messages[i].extractRuleFields()
	}
	return messages
}

// extractRuleFields moves the rule's fields from Fields to Subject and Kind.
func (m *Message) extractRuleFields() {
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
			m.DecodeError = &model.FieldError{Field: f.Name, Code: ingest.CodeWrongType,
				Message: "is " + f.Form.String() + ": want a string: correct the rule's SELECT or the sender"}
		}
	}
	m.Fields = fields
}

// payloadError returns the error of a payload as a whole.
func payloadError(err error) *model.FieldError {
	code := ingest.CodeNotJSON
	switch {
	case errors.Is(err, ingest.ErrTooMany):
		code = ingest.CodeTooMany
	case errors.Is(err, ingest.ErrNotObject):
		code = ingest.CodeNotAnObject
	}
	return &model.FieldError{Code: code, Message: err.Error()}
}
