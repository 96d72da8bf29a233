package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/httpevent"
	"github.com/tidemark-db/tidemark/internal/api/xray"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/internal/web/collector"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// handler appends the observations of a payload and responds as its source expects. An HTTP
// caller gets every outcome. Other sources have no caller: rejected observations go to
// quarantine, and messages without a final outcome are delivered again.
type handler struct {
	service     *ingest.Service
	appends     httpapi.AppendOptions
	defaultKind string               // of messages that do not name a kind
	collector   *collector.Collector // nil without page views
	client      *http.Client         // for confirmations to AWS IoT
	mapping     *points.Mapping      // of messages that name a row of sources
	routes      []route
	reporter    *reporter
	tracer      *xray.Tracer // nil traces nothing
}

func (h *handler) handle(ctx context.Context, payload json.RawMessage) (any, error) {
	defer h.reporter.publish()
	ctx, traced := h.tracer.Append(ctx)
	defer traced()
	switch source, err := envelope.DetectSource(payload); {
	case err != nil:
		return nil, err
	case source == envelope.HTTP:
		r, encode, err := httpevent.Decode(payload)
		if err != nil {
			return nil, err
		}
		return encode(h.http(ctx, r)), nil
	case source == envelope.IoT:
		return h.iot(ctx, payload)
	default:
		return h.batch(ctx, source, payload)
	}
}

// http serves POST /v1/{kinds} and the routes of domains.
func (h *handler) http(ctx context.Context, r *httpapi.Request) httpapi.Response {
	for _, route := range h.routes {
		if route.serves(r) {
			return route.serve(ctx, r)
		}
	}
	request, problem := httpapi.DecodeAppend(r, h.appends)
	if problem != nil {
		h.reporter.rejected(envelope.HTTP, r.ID, problem)
		return problem.Response()
	}
	results, err := h.service.Append(ctx, request.Kind, request.Observations...)
	h.reporter.appended(envelope.HTTP, r.ID, request.Kind.Name, results, err)
	if err != nil {
		return httpapi.ProblemInternal.New(
			"some observations may be stored; sending them again stores nothing twice, unless their ids " +
				"are minted").Response()
	}
	return httpapi.AppendResponse(results, request.Many)
}

// errUndecided makes Lambda deliver a message again. Its events have identities, so those
// that are already stored are not stored twice.
var errUndecided = errors.New("the outcome of some observations is unknown: deliver the message again")

// iot appends the message of an IoT rule and returns the number of observations by outcome.
// After an error, Lambda delivers the message again.
func (h *handler) iot(ctx context.Context, payload []byte) (map[model.Outcome]int, error) {
	return h.appendThings(ctx,
		envelope.FromDevice(payload, requestID(ctx), h.defaultKind, h.appends.Limits.Observations))
}

// appendThings appends messages of IoT rules. After an error, they must be delivered again.
func (h *handler) appendThings(ctx context.Context,
	messages []envelope.Message) (map[model.Outcome]int, error) {
	counts := make(map[model.Outcome]int)
	results, err := h.appendMessages(ctx, envelope.IoT, h.mapped(messages))
	for _, r := range results {
		counts[r.outcome]++
		if r.retry && err == nil {
			err = errUndecided
		}
	}
	return counts, err
}

// batch appends a batch of a queue or a data stream. Each record has its own outcome, but
// the observations of a series are appended together.
func (h *handler) batch(ctx context.Context, source envelope.Source, payload []byte) (any, error) {
	messages, err := envelope.FromBatch(source, payload, h.defaultKind, h.appends.Limits.Observations)
	if err != nil {
		return nil, err
	}
	messages = h.mapped(messages)
	results, err := h.appendMessages(ctx, source, messages)
	if err != nil {
		h.reporter.log.Error("batch partly failed", telemetry.FieldRequestID, requestID(ctx), telemetry.FieldError,
			err)
	}
	return envelope.NewBatchResponse(source, messages, func(i int) bool { return results[i].retry }), nil
}

// requestID identifies the invocation. A retried asynchronous invocation has the same id.
func requestID(ctx context.Context) string {
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		return lc.AwsRequestID
	}
	return ""
}
