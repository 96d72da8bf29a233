package envelope

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/storage"
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
	// RuleDelivery identifies a message in a batch of a rule: it is the same when the message is delivered
	// again, in whatever batch.
	RuleDelivery = "tidemark_delivery"
	// RuleSource names the row of sources that maps the message.
	RuleSource = "tidemark_source"
	// RuleTime is when a rule received the message, in milliseconds since 1970.
	RuleTime = "tidemark_time"
)

// The paths of the API for rules that send batches. AWS IoT sends its confirmation requests to a path
// that begins the rules' own.
const (
	PathThings       = "/things/"
	PathConfirmation = PathThings + "rules"
	PathMessages     = PathConfirmation + "/messages"
)

// Message is one observation of a rule's payload, with the name of its kind.
type Message struct {
	Kind     string // the catalog may not have it
	Delivery string // identifies the delivery, which is repeated if the message fails
	Sender   storage.Sender
	Source   string // the row of sources that maps Raw; "" if the observation is the message itself
	Raw      []byte // of a message with a Source, as its program sent it
	Arrived  string // when a rule received the message, in milliseconds since 1970; "" if no rule says it
	ingest.Observation
}

// rulePrefix begins the names of the fields of rules.
const rulePrefix = "tidemark_"

// FromRule decodes an object or an array of objects that may have the rule's fields: the record of a queue or
// a data stream, whose senders may write for any subject. delivery identifies the invocation and is the same
// for its retries; kind is the default of messages without RuleKind. A payload that cannot be decoded is a
// Message with a DecodeError, for quarantine.
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
		// Without a field of the rule, which is there twice, the message would be another sender's.
		isRules := func(part model.FieldError) bool { return strings.HasPrefix(part.Field, rulePrefix) }
		if at := slices.IndexFunc(o.Dropped, isRules); at >= 0 && o.DecodeError == nil {
			o.Fields = nil
			o.DecodeError = &o.Dropped[at]
		}
		messages[i] = Message{Kind: kind, Delivery: delivery, Observation: o}
		messages[i].extractRuleFields()
	}
	return messages
}

// extractRuleFields moves the rule's fields from Fields to Subject and Kind.
func (m *Message) extractRuleFields() {
	var delivery string // FromThings has read it
	targets := map[string]*string{
		RuleSubject: &m.Subject, RuleKind: &m.Kind, RuleDelivery: &delivery,
		RuleSource: &m.Source, RuleTime: &m.Arrived,
	}
	fields := m.Fields[:0]
	for _, f := range m.Fields {
		target, ok := targets[f.Name]
		switch {
		case !ok:
			fields = append(fields, f)
		case f.Form == ingest.TextForm, f.Name == RuleTime && f.Form == ingest.NumberForm:
			*target = f.Text
		case f.Form != ingest.NullForm:
			m.DecodeError = &model.FieldError{Field: f.Name, Code: ingest.CodeWrongType,
				Message: "is " + f.Form.String() + ": want a string: correct the rule's SELECT or the sender"}
		}
	}
	if m.Fields = fields; m.Source != "" {
		m.Raw, _ = withoutRuleFields(m.Payload)
		m.Raw = slices.Concat([]byte("{"), bytes.TrimPrefix(m.Raw, []byte(",")), []byte("}"))
		m.unmapped()
	}
}

// unmapped refuses the message itself: only what its row of sources makes of it is an observation.
func (m *Message) unmapped() {
	if m.DecodeError == nil {
		m.DecodeError = &model.FieldError{Field: RuleSource, Code: ingest.CodeUnmapped,
			Message: "names a row of sources, which only ingest applies: send the message again"}
	}
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
	if !detectShape(payload).has(RuleSubject) {
		return unmarked(payload, delivery, kind)
	}
	all := FromRule(payload, delivery, kind, limit)
	m := &all[0]
	if m.DecodeError != nil && m.DecodeError.Code != ingest.CodeUnmapped {
		return all
	}
	if m.Subject == "" {
		return unmarked(payload, delivery, kind)
	}
	m.Sender = storage.Sender{Subject: m.Subject, Kind: m.Kind}
	at := slices.IndexFunc(m.Fields, func(f ingest.Field) bool { return f.Name == RuleBatch })
	if at < 0 {
		return all
	}
	batch, err := base64.StdEncoding.DecodeString(m.Fields[at].Text)
	if m.Fields[at].Form != ingest.TextForm || err != nil {
		m.DecodeError = &model.FieldError{Field: RuleBatch, Code: ingest.CodeWrongType,
			Message: "is not the base64 of a batch: correct the rule's SELECT"}
		return all
	}
	if m.Source != "" {
		m.Raw = batch
		return all
	}
	elements := FromRule(batch, delivery, m.Kind, limit)
	for i := range elements {
		e := &elements[i]
		e.Subject = m.Subject
		e.Kind = m.Kind
		e.Sender = m.Sender
		if e.DecodeError == nil {
			e.Payload = marked(e.Payload, m.Sender)
		}
	}
	return elements
}

// FromThings decodes a batch of an IoT rule: an array of what FromDevice decodes, from any devices. A
// message without RuleDelivery is identified by delivery and its position.
func FromThings(payload []byte, delivery, kind string, limit int) (all []Message) {
	var batch []json.RawMessage
	if json.Unmarshal(payload, &batch) != nil {
		return unmarked(payload, delivery, kind)
	}
	for i, message := range batch {
		own := cmp.Or(detectShape(message).text(RuleDelivery), fmt.Sprint(delivery, "/", i))
		all = append(all, FromDevice(message, own, kind, limit)...)
	}
	return all
}

func unmarked(payload []byte, delivery, kind string) []Message {
	m := Message{Kind: kind, Delivery: delivery,
		Observation: ingest.Observation{Payload: payload, DecodeError: &model.FieldError{
			Field: RuleSubject, Code: ingest.CodeUnmarked,
			Message: "is missing: the message does not come from a rule of this stack. " +
				"Let the rule add it, or publish arrays to the topic for batches",
		}}}
	if delivery != "" {
		m.Origin = delivery + "/0"
	}
	return []Message{m}
}
