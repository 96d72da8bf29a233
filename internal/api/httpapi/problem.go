package httpapi

import (
	"fmt"
	"maps"
	"net/http"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ProblemType is a type of failed request as in RFC 9457. Its URI is relative to the API and does not change.
type ProblemType struct {
	URI    string
	Title  string
	Status int
}

// The problem types that all routes share.
var (
	ProblemRejected = ProblemType{
		URI: "/problems/rejected", Title: "The observation was rejected", Status: 400,
	}
	ProblemBody = ProblemType{
		URI: "/problems/unreadable-body", Title: "The body cannot be read", Status: 400,
	}
	ProblemQuery = ProblemType{
		URI: "/problems/unreadable-query", Title: "The query string cannot be read", Status: 400,
	}
	ProblemNotFound = ProblemType{URI: "/problems/not-found", Title: "The path does not exist", Status: 404}
	ProblemMethod   = ProblemType{
		URI: "/problems/method-not-allowed", Title: "The path does not accept this method", Status: 405,
	}
	ProblemTooLarge  = ProblemType{URI: "/problems/too-large", Title: "The request is too large", Status: 413}
	ProblemMediaType = ProblemType{URI: "/problems/unsupported-media-type",
		Title: "The content type or encoding is not supported", Status: 415}
	ProblemInternal    = ProblemType{URI: "/problems/internal", Title: "The service failed", Status: 500}
	ProblemUnavailable = ProblemType{
		URI: "/problems/unavailable", Title: "The table did not respond in time", Status: 503,
	}
)

// RetryAfter is the Retry-After header of a transient failure, in seconds.
const RetryAfter = "1"

// Problem is the response to a failed request: problem+json of RFC 9457. For a rejected
// observation it has the outcome and the errors of its fields. It is also an error.
type Problem struct {
	Type    string             `json:"type"`
	Title   string             `json:"title"`
	Status  int                `json:"status"`
	Detail  string             `json:"detail,omitempty"`
	Outcome model.Outcome      `json:"outcome,omitempty"`
	Errors  []model.FieldError `json:"errors,omitempty"`
	// Latest is the latest item that decided the outcome; nil if none did.
	Latest *views.Latest `json:"latest,omitempty"`
	// Message is the detail for clients of another API that read it under this name; "" is none.
	Message string `json:"error,omitempty"`

	header map[string]string
}

// New returns a problem of this type. detail says what failed, why, and what to do; it is
// a format string only if there are args.
func (t ProblemType) New(detail string, args ...any) *Problem {
	if len(args) > 0 {
		detail = fmt.Sprintf(detail, args...)
	}
	return &Problem{Type: t.URI, Title: t.Title, Status: t.Status, Detail: detail}
}

// With adds a header field to the response and returns p.
func (p *Problem) With(name, value string) *Problem {
	if p.header == nil {
		p.header = make(map[string]string)
	}
	p.header[name] = value
	return p
}

// Error returns the problem as one line, for logs.
func (p *Problem) Error() string { return p.Title + ": " + p.Detail }

// Response returns p as a response, which clients must not cache.
func (p *Problem) Response() Response {
	response := JSON(p.Status, p)
	response.Headers["Content-Type"] = "application/problem+json"
	response.Headers["Cache-Control"] = "no-store"
	maps.Copy(response.Headers, p.header)
	return response
}

// The problems of one observation that is valid, and of which nothing is stored.
var (
	ProblemCollision = ProblemType{
		URI: "/problems/collision", Title: "Another event has the same time and id", Status: http.StatusConflict,
	}
	ProblemStale = ProblemType{
		URI: "/problems/stale", Title: "The event is older than the latest one", Status: http.StatusConflict,
	}
	ProblemCondition = ProblemType{
		URI: "/problems/condition", Title: "The condition of the append does not hold", Status: http.StatusConflict,
	}
)

// unstoredProblems are the outcomes of observations of which nothing is stored.
var unstoredProblems = map[model.Outcome]struct {
	ProblemType
	detail string
}{
	model.Rejected:  {ProblemType: ProblemRejected, detail: "nothing was stored"},
	model.Collision: {ProblemType: ProblemCollision, detail: views.CollisionDetail},
	model.Stale: {ProblemType: ProblemStale,
		detail: "an event with a later time is stored, and the kind drops older " +
			"ones (late: drop): nothing was stored"},
	model.Conflict: {ProblemType: ProblemCondition, detail: "nothing was stored"},
	model.Gone:     {ProblemType: ProblemGone, detail: "its subject is being purged: nothing was stored"},
}

// unstored returns the problem of one observation of which nothing is stored; nil of any other. A client that
// reads the status alone must not take it for stored.
func unstored(o model.AppendResult) *Problem {
	row, ok := unstoredProblems[o.Outcome]
	if !ok {
		return nil
	}
	p := row.New("%s", row.detail)
	switch n := len(o.Errors); {
	case n == 1:
		p.Detail = o.Errors[0].Error() + "; " + row.detail
	case n > 1:
		p.Detail = fmt.Sprintf("%d fields are invalid; %s", n, row.detail)
	}
	p.Outcome, p.Errors = o.Outcome, o.Errors
	p.Latest = views.NewAppendResult(o).Latest
	return p
}
