package views

import (
	"bytes"
	"encoding/json"

	"github.com/tidemark-db/tidemark/internal/engine/ordervalue"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// AppendResult is the outcome of one observation as JSON. Empty members are omitted; a
// rejected observation has no kind, stream, time or id.
type AppendResult struct {
	Outcome model.Outcome `json:"outcome"`
	Subject string        `json:"subject,omitempty"` // id
	Kind    string        `json:"kind,omitempty"`
	Stream  string        `json:"stream,omitempty"`
	At      *model.Time   `json:"at,omitempty"`
	ID      string        `json:"id,omitempty"`
	Latest  *Latest       `json:"latest,omitempty"`
	Invalid []string      `json:"invalid,omitempty"` // measures that are not numbers
	// NotStored are the parts that are not stored as they were sent.
	NotStored []model.FieldError `json:"notStored,omitempty"`
	// Undeclared are stored fields that the kind does not declare.
	Undeclared []model.UndeclaredField `json:"undeclared,omitempty"`
	Errors     []model.FieldError      `json:"errors,omitempty"`
	Detail     string                  `json:"detail,omitempty"` // what to do about a collision
}

// CollisionDetail says how to correct an event that is stored.
const CollisionDetail = "an event with this time and id, and other fields, is stored: " +
	"correct it with PUT /v1/{subjects}/{id}/{kinds}/{time}, or send another id"

// Latest is the latest item of the series as JSON: as written if the outcome is applied,
// else as it was read, including fields that other writers added.
type Latest struct {
	At     *model.Time `json:"at"` // of the newest event; nil if the item has only fields of other writers
	ID     string      `json:"id"`
	Fields Fields      `json:"fields"`
}

// Fields is a JSON object of fields in their order. Numbers keep all digits.
type Fields model.Attrs

// NewAppendResult returns the JSON of one result.
func NewAppendResult(o model.AppendResult) AppendResult {
	out := AppendResult{
		Outcome: o.Outcome, Subject: o.Key.Series.Subject.ID, Invalid: o.Invalid,
		NotStored: o.NotStored, Undeclared: o.Undeclared, Errors: o.Errors,
	}
	if o.Outcome != model.Rejected {
		out.Kind, out.Stream = o.Key.Series.Kind, o.Key.Series.Stream
		out.At, out.ID = ordervalue.Shown(o.Key.Order)
	}
	if o.Outcome == model.Collision {
		out.Detail = CollisionDetail
	}
	if l := o.Latest; l != nil {
		out.Latest = &Latest{Fields: Fields(l.Attrs)}
		if l.Ordered {
			out.Latest.At, out.Latest.ID = ordervalue.Shown(l.Order)
		}
	}
	return out
}

// MarshalJSON encodes the fields in their order.
func (f Fields) MarshalJSON() ([]byte, error) {
	b := bytes.NewBuffer([]byte{'{'})
	for i, a := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(a.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(jsonValue(a.Value))
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func jsonValue(v model.Value) any {
	if v.Kind == model.Text {
		return v.Text
	}
	return json.RawMessage(v.String())
}
