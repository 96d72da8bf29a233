package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/httpevent"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/ops/repair/hidevalue"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// handler serves requests of the HTTP API. It is safe for concurrent use.
type handler struct {
	catalog    *catalog.Catalog
	limits     config.Limits
	profiles   *lifecycle.Service
	purges     *lifecycle.Purger
	erasing    eraseStore
	hider      *hidevalue.Hider
	alerts     *alert.Service
	events     *ingest.Editor
	ownerClaim string // the token's claim that names the caller's owner; "" means no owners
	now        func() model.Time

	log      *slog.Logger
	metrics  *telemetry.Emitter
	units    func() (read, write float64) // capacity consumed since the process started
	function string                       // the deployed function's name
}

var _ lambda.Handler = (*handler)(nil)

// headroom is kept free before the invocation's deadline, for the response.
const headroom = 2 * time.Second

// Invoke serves one request, from any gateway.
func (h *handler) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	r, encode, err := httpevent.Decode(payload)
	if err != nil {
		return nil, err
	}
	ctx, cancel := retry.WithHeadroom(ctx, headroom)
	defer cancel()
	readBefore, writeBefore := h.units()
	response := h.serve(ctx, r)
	read, write := h.units()
	counts := telemetry.Counts{telemetry.ReadUnits: read - readBefore, telemetry.WriteUnits: write - writeBefore}
	h.metrics.EmitOrLog(h.log, h.function, "", counts)
	return json.Marshal(encode(response))
}

// count publishes n of a metric of kind.
func (h *handler) count(kind string, m telemetry.Metric, n float64) {
	h.metrics.EmitOrLog(h.log, h.function, kind, telemetry.Counts{m: n})
}

// serve performs a request. The gateway has already authorized the caller.
func (h *handler) serve(ctx context.Context, r *httpapi.Request) httpapi.Response {
	c, problem := h.decode(r)
	if problem != nil {
		return problem.Response()
	}
	response, err := actions[c.Action](h, ctx, c)
	if err == nil {
		return response
	}
	if !errors.As(err, &problem) {
		h.log.Error("change failed", telemetry.FieldRequestID, r.ID, telemetry.FieldError, err.Error())
		problem = httpapi.ProblemUnavailable.New(
			"it is not known whether the change was made: send the request again").With("Retry-After",
			httpapi.RetryAfter)
	}
	return problem.Response()
}

// actions has a row for each action of the API that this function serves.
var actions = map[httpapi.Action]func(*handler, context.Context, command) (httpapi.Response, error){
	httpapi.CreateSubject:  (*handler).create,
	httpapi.UpdateSubject:  (*handler).update,
	httpapi.DeleteSubject:  (*handler).delete,
	httpapi.RestoreSubject: (*handler).restore,

	httpapi.PurgeSubject: (*handler).purge,
	httpapi.CallOffPurge: (*handler).cancelPurge,

	httpapi.CorrectEvent:     (*handler).correctEvent,
	httpapi.CorrectEventByID: (*handler).correctEvent,
	httpapi.DeleteEvent:      (*handler).deleteEvent,
	httpapi.DeleteEventByID:  (*handler).deleteEvent,

	httpapi.AcknowledgeAlert: (*handler).acknowledgeAlert,
	httpapi.ResolveAlert:     (*handler).resolveAlert,
	httpapi.AddRule:          (*handler).addRule,
	httpapi.RemoveRule:       (*handler).removeRule,
	httpapi.AddOwnRule:       (*handler).addRule,
	httpapi.RemoveOwnRule:    (*handler).removeRule,
}
