package receiver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/lineprotocol"
	"github.com/tidemark-db/tidemark/internal/senders/points"
)

// lineRoute is a route of InfluxDB.
type lineRoute struct {
	database string // parameter that names the database; it is the subject of points without a tag for it
	unit     string // of times, unless the request has the parameter precision
}

// lineRoutes are the routes of the versions of InfluxDB.
var lineRoutes = map[string]lineRoute{
	"/write":           {"db", "ns"},
	"/api/v2/write":    {"bucket", "ns"},
	"/api/v3/write_lp": {"db", "auto"},
}

// Lines serves the routes of InfluxDB: 204 if every line is stored, 400 with the line and the reason for
// lines that cannot be stored, while the others are, and 503 if lines must be sent again.
func (r *Receiver) Lines(ctx context.Context, q *httpapi.Request) httpapi.Response {
	by, points, database, problem := r.lines(q)
	if problem != nil {
		r.Rejected(q, problem)
		return r.lineProblem(problem)
	}
	return r.lineResponse(r.append(ctx, q, by, points, database))
}

// lineResponse returns the response to points: 204 if each of them is stored.
func (r *Receiver) lineResponse(out result) httpapi.Response {
	response := httpapi.Response{Status: http.StatusNoContent, Headers: map[string]string{}}
	switch {
	case out.open:
		response = r.lineProblem(again())
	case len(out.rejected) > 0:
		response = partialWrite(out)
	}
	maps.Copy(response.Headers, httpapi.CountHeaders(out.all))
	return response
}

// lines decodes a request. A problem is for the request as a whole.
func (r *Receiver) lines(q *httpapi.Request) (by access.Scope, points []points.Point, database string,
	_ *httpapi.Problem) {
	by, problem := writer(q)
	if problem != nil {
		return by, nil, "", problem
	}
	route := lineRoutes[q.Path]
	parameters, err := url.ParseQuery(q.RawQuery)
	if err != nil {
		return by, nil, "", httpapi.ProblemQuery.New("%v: escape it as a URL", err)
	}
	database = parameters.Get(route.database)
	if database == "" {
		return by, nil, "", httpapi.ProblemQuery.New(
			"the parameter %s is missing: it is the subject of points without a tag that names it", route.database)
	}
	unit, ok := lineprotocol.ParseUnit(cmp.Or(parameters.Get("precision"), route.unit))
	if !ok {
		return by, nil, "", httpapi.ProblemQuery.New("precision %.20q is not a unit of time: send ns, us, ms or s",
			parameters.Get("precision"))
	}
	body, problem := q.Bytes(r.Limits)
	if problem != nil {
		return by, nil, "", problem
	}
	points, err = lineprotocol.Decode(body, lineprotocol.Options{
		Unit: unit, Now: r.Service.Now().Time(), Points: r.Limits.Observations,
		Tags: r.Limits.Fields, Fields: hostFields * r.Limits.Fields,
	})
	if err = cmp.Or(err, r.checkParts(points)); errors.Is(err, ingest.ErrTooMany) {
		problem = httpapi.ProblemTooLarge.New("%v; nothing was stored", err)
	}
	return by, points, database, problem
}

// partsEach is how many events the points of a request may be divided into, for each point that it may have.
const partsEach = 5

// checkParts returns ErrTooMany for points with so many fields that they would be far more events than a
// request may have.
func (r *Receiver) checkParts(batch []points.Point) error {
	parts := 0
	for i := range batch {
		parts += 1 + len(batch[i].Fields)/r.Limits.Measures
	}
	if most := partsEach * r.Limits.Observations; parts > most {
		return fmt.Errorf("%w: their fields are divided into %d events, at most %d; "+
			"send them in several requests", ingest.ErrTooMany, parts, most)
	}
	return nil
}

// hostFields is how many times as many fields a point may have as an observation: a plugin for a host or a
// database sends hundreds, which are divided.
const hostFields = 10

// writer returns what the write key of a request allows. An authorizer has checked the key.
func writer(q *httpapi.Request) (access.Scope, *httpapi.Problem) {
	if q.Method != http.MethodPost {
		return access.Scope{}, httpapi.ProblemMethod.New("points are sent by POST").With("Allow", "POST")
	}
	by, ok := access.ContextScope(q.Authorizer)
	if !ok {
		return by, problemNoKey.New(
			"the route needs its authorizer: send to the deployed API, with a write key in the header Authorization")
	}
	return by, nil
}

var problemNoKey = httpapi.ProblemType{URI: "/problems/no-write-key", Title: "No write key was checked",
	Status: http.StatusUnauthorized}

// again asks a sender to repeat a request.
func again() *httpapi.Problem {
	return httpapi.ProblemUnavailable.New(
		"some points may not be stored: send all of them again, and each is stored once").With("Retry-After",
		httpapi.RetryAfter)
}

// lineError is the body of a response of InfluxDB: "error" in version 1, "code" and "message" in
// version 2, "error" and "data" in version 3.
type lineError struct {
	Code      string      `json:"code"`
	Message   string      `json:"message"`
	Error     string      `json:"error"`
	Line      int         `json:"line,omitempty"`
	MaxLength int         `json:"maxLength,omitempty"`
	Data      []lineEntry `json:"data,omitempty"`
}

// lineEntry is one line that was not stored.
type lineEntry struct {
	Line    int    `json:"line_number"`
	Message string `json:"error_message"`
}

// lineCodes are the codes of InfluxDB 2; all others are "internal error".
var lineCodes = map[int]string{
	http.StatusBadRequest: "invalid", http.StatusUnsupportedMediaType: "invalid",
	http.StatusUnauthorized: "unauthorized", http.StatusMethodNotAllowed: "method not allowed",
	http.StatusRequestEntityTooLarge: "request too large",
	http.StatusServiceUnavailable:    "unavailable",
}

func (r *Receiver) lineProblem(p *httpapi.Problem) httpapi.Response {
	body := lineError{Code: lineCodes[p.Status], Message: p.Detail, Error: p.Detail}
	if p.Status == http.StatusRequestEntityTooLarge {
		body.MaxLength = r.Limits.Body
	}
	response := p.Response()
	coded := httpapi.JSON(p.Status, body)
	response.Body = coded.Body
	response.Headers["Content-Type"] = coded.Headers["Content-Type"]
	return response
}

// maxReasons is how many lines a response explains.
const maxReasons = 100

// partialWrite says which lines were not stored, and which parts of others, and why.
func partialWrite(out result) httpapi.Response {
	first := out.rejected[0]
	message := fmt.Sprintf("partial write: line %d: %s; dropped=%d of %d lines, and the others are stored",
		first.line, first.reason, len(out.rejected), out.points)
	body := lineError{Code: "invalid", Message: message, Error: message, Line: first.line}
	reasons := append(out.rejected, out.parts...)
	for _, x := range reasons[:min(len(reasons), maxReasons)] {
		body.Data = append(body.Data, lineEntry{x.line, x.reason})
	}
	return httpapi.JSON(http.StatusBadRequest, body)
}
