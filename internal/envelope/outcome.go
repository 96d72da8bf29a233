package envelope

import (
	"bytes"
	"encoding/json"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Outcome is the verdict on one observation as callers read it, the same wherever one
// is told. What is empty is left out; of a rejected observation that is its identity.
type Outcome struct {
	Verdict model.Verdict      `json:"verdict"`
	Subject string             `json:"subject,omitempty"` // its id
	Kind    string             `json:"kind,omitempty"`
	Stream  string             `json:"stream,omitempty"`
	At      *model.Time        `json:"at,omitempty"`
	ID      string             `json:"id,omitempty"`
	Current *Current           `json:"current,omitempty"`
	Errors  []model.FieldError `json:"errors,omitempty"`
}

// Current is what the verdict was decided by: after applied the fields just written,
// else current as it stood, enrichment and all.
type Current struct {
	At     *model.Time `json:"at"` // of its newest event; null where only enrichment made it
	ID     string      `json:"id"`
	Fields Fields      `json:"fields"`
}

// Fields is a JSON object of admitted fields, sorted by name, numbers exact.
type Fields model.Attrs

// OutcomeOf is o as callers read it.
func OutcomeOf(o model.Outcome) Outcome {
	out := Outcome{Verdict: o.Verdict, Subject: o.Key.Series.Subject.ID, Errors: o.Errors}
	if o.Verdict != model.Rejected {
		out.Kind, out.Stream = o.Key.Series.Kind, o.Key.Series.Stream
		out.At, out.ID = &o.Key.At, o.Key.ID
	}
	if c := o.Current; c != nil {
		out.Current = &Current{Fields: Fields(c.Attrs)}
		if c.Ordered {
			out.Current.At, out.Current.ID = &c.At, c.ID
		}
	}
	return out
}

// MarshalJSON writes the fields in their order.
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
		value, err := json.Marshal(valueOf(a.Value))
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

func valueOf(v model.Value) any {
	switch v.Kind {
	case model.Number:
		return v.Number
	case model.Text:
		return v.Text
	case model.Bool:
		return v.Bool
	}
	return nil
}

// One is the answer to a single observation: 200 with its outcome, 400 where it was
// rejected, 503 where it could not be settled.
func One(o model.Outcome) events.APIGatewayV2HTTPResponse {
	if o.Verdict == model.Rejected {
		return rejectedProblem(o).Response()
	}
	return answer([]model.Outcome{o}, OutcomeOf(o))
}

// Many is the answer to several: 200 with their outcomes in order, 503 with the same
// where one could not be settled.
func Many(outcomes []model.Outcome) events.APIGatewayV2HTTPResponse {
	list := make([]Outcome, len(outcomes))
	for i, o := range outcomes {
		list[i] = OutcomeOf(o)
	}
	return answer(outcomes, list)
}

func answer(outcomes []model.Outcome, body any) events.APIGatewayV2HTTPResponse {
	if !ingest.Undecided(outcomes) {
		return JSON(200, body)
	}
	response := JSON(ProblemUnavailable.Status, body)
	response.Headers["Retry-After"] = RetryAfter
	return response
}

// JSON is a response with a JSON body.
func JSON(status int, body any) events.APIGatewayV2HTTPResponse {
	text, err := json.Marshal(body)
	if err != nil {
		status, text = 500, []byte(`{"type":"/problems/internal","title":"The service failed","status":500}`)
	}
	return events.APIGatewayV2HTTPResponse{
		StatusCode: status,
		Headers:    map[string]string{"Content-Type": "application/json"},
		Body:       string(text),
	}
}
