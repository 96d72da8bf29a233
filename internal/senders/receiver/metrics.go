package receiver

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/otlp"
	"github.com/tidemark-db/tidemark/internal/senders/points"
)

// unnamedResource is the subject of metrics whose resource has no name.
const unnamedResource = "unknown"

// The content types of OTLP.
const (
	typeProtobuf = "application/x-protobuf"
	typeJSON     = "application/json"
)

// rpcCodes are the codes of gRPC by the status of HTTP.
var rpcCodes = map[int]int{
	http.StatusBadRequest: 3, http.StatusUnsupportedMediaType: 3, http.StatusMethodNotAllowed: 12,
	http.StatusRequestEntityTooLarge: 8, http.StatusUnauthorized: 16, http.StatusServiceUnavailable: 14,
}

// Metrics serves the export of metrics by OTLP: 200, with a partial success if points cannot be
// stored, and 503 if the request must be sent again.
func (r *Receiver) Metrics(ctx context.Context, q *httpapi.Request) httpapi.Response {
	contentType, _, _ := mime.ParseMediaType(q.Header("Content-Type"))
	asJSON := contentType == typeJSON
	by, points, problem := r.metrics(q, contentType)
	if problem != nil {
		r.Rejected(q, problem)
		return metricsProblem(problem, asJSON)
	}
	out := r.append(ctx, q, by, points, unnamedResource)
	if out.open {
		return metricsProblem(again(), asJSON)
	}
	message := ""
	if n := len(out.rejected); n > 0 {
		first := out.rejected[0]
		message = fmt.Sprintf("data point %d: %s; %d of %d data points are not stored, the others are", first.line,
			first.reason, n, out.points)
	}
	if len(out.rejected) == 0 && len(out.parts) > 0 { // a warning, as the protocol has it
		message = fmt.Sprintf("data point %d: %s", out.parts[0].line, out.parts[0].reason)
	}
	response := metricsResponse(http.StatusOK, asJSON, otlp.Response(asJSON, len(out.rejected), message))
	maps.Copy(response.Headers, httpapi.CountHeaders(out.all))
	return response
}

func (r *Receiver) metrics(q *httpapi.Request,
	contentType string) (by access.Scope, points []points.Point, problem *httpapi.Problem) {
	if by, problem = writer(q); problem != nil {
		return by, nil, problem
	}
	if contentType != typeJSON && contentType != typeProtobuf {
		return by, nil, httpapi.ProblemMediaType.New("the content type is %.64q: send %s or %s", contentType,
			typeProtobuf, typeJSON)
	}
	limits := r.Limits
	limits.Decompressed = min(limits.Decompressed, otlp.MaxBody)
	body, problem := q.Bytes(limits)
	if problem != nil {
		return by, nil, problem
	}
	points, err := otlp.Decode(body, otlp.Options{
		JSON: contentType == typeJSON, Now: r.Service.Now().Time(), Points: r.Limits.Observations,
		Parts: r.Limits.Fields,
	})
	switch {
	case errors.Is(err, ingest.ErrTooMany):
		problem = httpapi.ProblemTooLarge.New("%v; nothing was stored", err)
	case err != nil:
		problem = httpapi.ProblemBody.New("%.300v; nothing was stored", err)
	}
	return by, points, problem
}

func metricsProblem(p *httpapi.Problem, asJSON bool) httpapi.Response {
	response := metricsResponse(p.Status, asJSON, otlp.Status(asJSON, rpcCodes[p.Status], p.Detail))
	for name, value := range p.Response().Headers {
		if _, set := response.Headers[name]; !set {
			response.Headers[name] = value
		}
	}
	return response
}

// metricsResponse returns a body in the encoding of the request.
func metricsResponse(status int, asJSON bool, body string) httpapi.Response {
	if asJSON {
		return httpapi.Response{Status: status, Headers: map[string]string{"Content-Type": typeJSON}, Body: body}
	}
	return httpapi.Response{Status: status, Headers: map[string]string{"Content-Type": typeProtobuf},
		Body: base64.StdEncoding.EncodeToString([]byte(body)), Base64: true}
}
