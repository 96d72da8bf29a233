package envelope

import (
	"fmt"
	"maps"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// ProblemType is a sort of failed request, as RFC 9457 has it. Its URI is stable, and
// relative to the API.
type ProblemType struct {
	URI    string
	Title  string
	Status int
}

// The problem types.
var (
	ProblemRejected    = ProblemType{"/problems/rejected", "The observation was rejected", 400}
	ProblemBody        = ProblemType{"/problems/unreadable-body", "The body cannot be read", 400}
	ProblemQuery       = ProblemType{"/problems/unreadable-query", "The query string cannot be read", 400}
	ProblemNotFound    = ProblemType{"/problems/not-found", "There is nothing at this path", 404}
	ProblemMethod      = ProblemType{"/problems/method-not-allowed", "The path does not take this method", 405}
	ProblemTooLarge    = ProblemType{"/problems/too-large", "The request is too large", 413}
	ProblemMediaType   = ProblemType{"/problems/unsupported-media-type", "The body's type is not understood", 415}
	ProblemInternal    = ProblemType{"/problems/internal", "The service failed", 500}
	ProblemUnavailable = ProblemType{"/problems/unavailable", "The table did not answer in time", 503}
)

// RetryAfter is what a caller should wait, in seconds, after a transient failure.
const RetryAfter = "1"

// Problem is the answer to a request that failed as a whole: problem+json of RFC
// 9457, with the outcome's verdict and errors where one observation was rejected.
type Problem struct {
	Type    string             `json:"type"`
	Title   string             `json:"title"`
	Status  int                `json:"status"`
	Detail  string             `json:"detail,omitempty"`
	Verdict model.Verdict      `json:"verdict,omitempty"`
	Errors  []model.FieldError `json:"errors,omitempty"`

	header map[string]string
}

// New is a problem of this type. detail says what, why and what to do.
func (t ProblemType) New(detail string, args ...any) *Problem {
	if len(args) > 0 {
		detail = fmt.Sprintf(detail, args...)
	}
	return &Problem{Type: t.URI, Title: t.Title, Status: t.Status, Detail: detail}
}

// With is p with a header field in its response.
func (p *Problem) With(name, value string) *Problem {
	if p.header == nil {
		p.header = make(map[string]string)
	}
	p.header[name] = value
	return p
}

// Error is the problem as one line, for logs.
func (p *Problem) Error() string { return p.Title + ": " + p.Detail }

// Response is p as the HTTP API sends it.
func (p *Problem) Response() events.APIGatewayV2HTTPResponse {
	response := JSON(p.Status, p)
	response.Headers["Content-Type"] = "application/problem+json"
	response.Headers["Cache-Control"] = "no-store" // it may pass
	maps.Copy(response.Headers, p.header)
	return response
}

// rejectedProblem is the problem of one rejected observation.
func rejectedProblem(o model.Outcome) *Problem {
	p := ProblemRejected.New("%d of its fields cannot be taken as they are; nothing was stored", len(o.Errors))
	if len(o.Errors) == 1 {
		p.Detail = o.Errors[0].Error() + "; nothing was stored"
	}
	p.Verdict, p.Errors = o.Verdict, o.Errors
	return p
}
