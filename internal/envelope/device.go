package envelope

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// RuleBatch is the field in which a rule passes on an array of observations of one device:
//
//	SELECT encode(*, 'base64') AS tidemark_batch, topic(3) AS tidemark_subject FROM '…/batch'
//
// A rule cannot add its fields to a payload that is an array.
const RuleBatch = "tidemark_batch"

// FromDevice decodes what an IoT rule sends for a device: one observation, or a batch in
// RuleBatch. Each of its messages is about the subject that the rule names. A payload without
// the rule's subject could name any, so it is one Message with a DecodeError.
func FromDevice(payload []byte, delivery, kind string, limit int) []Message {
	if !shapeOf(payload).has(RuleSubject) {
		return unmarked(payload, delivery, kind)
	}
	all := FromRule(payload, delivery, kind, limit)
	m := all[0]
	if m.DecodeError != nil {
		return all
	}
	if m.Subject == "" {
		return unmarked(payload, delivery, kind)
	}
	at := slices.IndexFunc(m.Fields, func(f ingest.Field) bool { return f.Name == RuleBatch })
	if at < 0 {
		return all
	}
	batch, err := base64.StdEncoding.DecodeString(m.Fields[at].Text)
	if m.Fields[at].Form != ingest.TextForm || err != nil {
		all[0].DecodeError = &model.FieldError{Field: RuleBatch, Code: ingest.CodeWrongType, Message: "is not the base64 of a batch: correct the rule's SELECT"}
		return all
	}
	elements := FromRule(batch, delivery, m.Kind, limit)
	for i := range elements {
		e := &elements[i]
		e.Subject, e.Kind = m.Subject, m.Kind
		e.Payload = marked(e.Payload, m.Subject, m.Kind)
	}
	return elements
}

func unmarked(payload []byte, delivery, kind string) []Message {
	m := Message{Kind: kind, Delivery: delivery, Observation: ingest.Observation{Payload: payload, DecodeError: &model.FieldError{
		Field: RuleSubject, Code: ingest.CodeUnmarked,
		Message: "is missing: the message does not come from a rule of this stack. Let the rule add it, or publish arrays to the topic for batches",
	}}}
	if delivery != "" {
		m.Origin = delivery + "/0"
	}
	return []Message{m}
}

// marked returns an element of a batch with the fields of the rule, so that it can be processed
// again from quarantine. An element that is not an object, or that has such fields itself, is
// returned unchanged.
func marked(element []byte, subject, kind string) []byte {
	rest := bytes.TrimSpace(element)
	if s := shapeOf(rest); len(s) == 0 || s.has(RuleSubject) || s.has(RuleKind) {
		return element
	}
	mark, _ := json.Marshal(map[string]string{RuleSubject: subject, RuleKind: kind}) // strings cannot fail
	return slices.Concat(mark[:len(mark)-1], []byte(","), rest[1:])
}
