package receiver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/internal/senders/remotewrite"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// unnamedTarget is the subject of samples without a label that names it.
const unnamedTarget = "unknown"

// senderBatch is how many samples Prometheus sends in one request by default. It drops a batch that is
// refused, so a request may always have as many.
const senderBatch = 2000

// The messages of the versions of remote write, as the content type names them.
const (
	messageVersion1 = "prometheus.WriteRequest"
	messageVersion2 = "io.prometheus.write.v2.Request"
)

// The headers that say how much of a request is written, since version 2.
const (
	headerSamples    = "X-Prometheus-Remote-Write-Samples-Written"
	headerHistograms = "X-Prometheus-Remote-Write-Histograms-Written"
	headerExemplars  = "X-Prometheus-Remote-Write-Exemplars-Written"
)

// Samples serves the remote write of Prometheus: 204 if every sample is stored, 400 if some cannot be stored,
// while the others are, and 503 if the request must be sent again. A repeated sample is written, and so is
// one of which there is nothing to store.
func (r *Receiver) Samples(ctx context.Context, q *httpapi.Request) httpapi.Response {
	by, batch, problem := r.samples(q)
	if problem != nil {
		r.Rejected(q, problem)
		return text(problem.Status, problem.Detail, problem.Response().Headers)
	}
	out := r.append(ctx, q, by, batch.Points, unnamedTarget)
	headers := httpapi.CountHeaders(out.all)
	maps.Copy(headers, map[string]string{
		headerSamples: strconv.Itoa(out.written() + batch.Ended), headerHistograms: "0", headerExemplars: "0",
	})
	switch {
	case out.open:
		headers["Retry-After"] = httpapi.RetryAfter
		return text(http.StatusServiceUnavailable, again().Detail, headers)
	case len(out.rejected) > 0:
		first := out.rejected[0]
		message := fmt.Sprintf("sample %d: %s; %d of %d samples are not stored, the others are",
			first.line, first.reason, len(out.rejected), out.points)
		if batch.Histograms > 0 {
			message += fmt.Sprintf(" (%d native histograms are not stored)", batch.Histograms)
		}
		return text(http.StatusBadRequest, message, headers)
	}
	return httpapi.Response{Status: http.StatusNoContent, Headers: headers}
}

// text returns a message, as the clients of the protocol log it.
func text(status int, message string, headers map[string]string) httpapi.Response {
	all := maps.Clone(headers)
	all["Content-Type"] = "text/plain; charset=utf-8"
	return httpapi.Response{Status: status, Headers: all, Body: message}
}

// written returns how many points need not be sent again. They are stored, now or before, or there is nothing
// to store, as of NaN. Senders of version 2 count all others as failures, and alert.
func (out *result) written() (n int) {
	for _, r := range out.all {
		switch r.Outcome {
		case model.Applied, model.Late, model.Duplicate:
			n++
		case model.Rejected:
			if r.Errors[0].Code == points.CodeNothing {
				n++
			}
		}
	}
	return n
}

func (r *Receiver) samples(
	q *httpapi.Request,
) (by access.Scope, batch remotewrite.Batch, problem *httpapi.Problem) {
	if by, problem = writer(q); problem != nil {
		return by, batch, problem
	}
	contentType, parameters, _ := mime.ParseMediaType(q.Header("Content-Type"))
	message := parameters["proto"]
	if contentType != typeProtobuf || message != "" && message != messageVersion1 && message != messageVersion2 {
		problem = httpapi.ProblemMediaType.New("the content type is %.100q: send %s with proto=%s or proto=%s",
			q.Header("Content-Type"), typeProtobuf, messageVersion1, messageVersion2)
		return by, batch, problem
	}
	if encoding := q.Header("Content-Encoding"); !strings.EqualFold(encoding, "snappy") {
		problem = httpapi.ProblemMediaType.New("the content encoding is %.64q: send the body as snappy", encoding)
		return by, batch, problem
	}
	body, problem := q.Sent(r.Limits)
	if problem != nil {
		return by, batch, problem
	}
	batch, err := remotewrite.Decode(body, remotewrite.Options{
		Version2: message == messageVersion2,
		Points:   max(r.Limits.Observations, senderBatch),
		Parts:    r.Limits.Fields,
	})
	switch {
	case errors.Is(err, remotewrite.ErrTooLarge):
		problem = httpapi.ProblemTooLarge.New("%v; nothing was stored", err)
	case errors.Is(err, ingest.ErrTooMany):
		problem = httpapi.ProblemTooLarge.New("%v; nothing was stored", err)
	case err != nil:
		problem = httpapi.ProblemBody.New("%.300v; nothing was stored", err)
	}
	return by, batch, problem
}
