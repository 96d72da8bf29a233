package envelope

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Decoder decodes a payload into messages, as FromRule, FromDevice and FromThings do.
type Decoder func(payload []byte, delivery, kind string, limit int) []Message

// FromSender returns the Decoder of what was kept of a sender. Each of its messages is about the sender's
// subject and of its kind. A message that names another one has a DecodeError.
func FromSender(s storage.Sender) Decoder {
	return func(payload []byte, delivery, kind string, limit int) []Message {
		messages := FromRule(payload, delivery, "", limit)
		for i := range messages {
			messages[i].bind(s, kind)
		}
		return messages
	}
}

// bind sets what the sender decides. kind is the default of senders and messages that name none.
func (m *Message) bind(s storage.Sender, kind string) {
	m.Sender = s
	m.Subject = m.bound(RuleSubject, m.Subject, s.Subject)
	m.Kind = cmp.Or(m.bound(RuleKind, m.Kind, s.Kind), kind)
}

// bound returns the sender's value of a rule's field, and the message's own if the sender may send any.
func (m *Message) bound(field, own, sender string) string {
	if own != "" && sender != "" && own != sender && m.DecodeError == nil {
		m.DecodeError = &model.FieldError{Field: field, Code: ingest.CodeSubjectMismatch,
			Message: "is not what the source decided about the sender: send it from its own topic"}
	}
	return cmp.Or(sender, own)
}

// marked returns an element of a batch with the fields of the rule in place of its own fields of these names.
// A text that is not a JSON object is returned unchanged; none of its names is repeated.
func marked(element []byte, s storage.Sender) []byte {
	rest, ok := withoutRuleFields(element)
	if !ok {
		return element
	}
	mark, _ := json.Marshal(map[string]string{RuleSubject: s.Subject, RuleKind: s.Kind}) // strings cannot fail
	return slices.Concat(mark[:len(mark)-1], rest, []byte("}"))
}

// ruleFields are the fields that only a rule may add to a message of a device.
var ruleFields = []string{RuleSubject, RuleKind, RuleSource, RuleTime}

// withoutRuleFields returns the members of an object, each after a comma, without those that only a rule may
// add. Other members keep their text.
func withoutRuleFields(object []byte) (members []byte, ok bool) {
	d := json.NewDecoder(bytes.NewReader(object))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return nil, false
		}
		if text, ok := name.(string); ok && slices.Contains(ruleFields, text) {
			continue
		}
		quoted, _ := json.Marshal(name) // a string cannot fail
		members = append(append(append(append(members, ','), quoted...), ':'), value...)
	}
	end, err := d.Token()
	return members, err == nil && end == json.Delim('}')
}
