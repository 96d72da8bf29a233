package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// handler answers whoever invokes the function, told by the shape of what they send: a
// lambda.Handler, so that the payload is read once.
type handler struct {
	catalog *catalog.Catalog
	limits  config.Limits
	life    *lifecycle.Service
	purger  *lifecycle.Purger
	alerts  *alert.Service
	owner   string // the claim that binds a caller to an owner; "" binds nobody
	now     func() model.Time

	log      *slog.Logger
	metrics  *telemetry.Emitter
	units    func() (read, write float64) // capacity consumed by this process so far
	function string                       // the deployed function's name
}

// invocation is one call of the function, and what is counted of it.
type invocation struct {
	*handler
	counts telemetry.Counts
}

// Invoke answers one call.
func (h *handler) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	read, write := h.units()
	ctx, cancel := h.withRoom(ctx)
	defer cancel()
	i := invocation{h, telemetry.Counts{}}
	answer, err := i.answer(ctx, payload)
	if err != nil {
		i.counts[telemetry.StepFailures]++
		h.log.Error("purge", telemetry.FieldError, err.Error())
	}
	readNow, writeNow := h.units()
	i.counts[telemetry.ReadUnits], i.counts[telemetry.WriteUnits] = readNow-read, writeNow-write
	if err := h.metrics.Emit(h.function, "", i.counts); err != nil {
		h.log.Error("metrics not written", telemetry.FieldError, err.Error())
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}

// room is kept free before the invocation's deadline, to answer in.
const room = 2 * time.Second

func (h *handler) withRoom(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-room))
}

// shape is what tells who invokes: a gateway, the table stream, the schedule, or
// somebody by hand.
type shape struct {
	Records        json.RawMessage
	RequestContext json.RawMessage `json:"requestContext"`
	DetailType     string          `json:"detail-type"`
	Subject        string          `json:"subject"`
}

var errShape = errors.New("the payload is nobody's: want a request of the HTTP API, a batch of the table stream, a scheduled event, or {\"subject\": \"devices/sensor_01\"}")

func (i *invocation) answer(ctx context.Context, payload []byte) (any, error) {
	var s shape
	if err := json.Unmarshal(payload, &s); err != nil {
		return nil, fmt.Errorf("%w: %w", errShape, err)
	}
	switch {
	case s.RequestContext != nil:
		r, answer, err := envelope.ReadRequest(payload)
		if err != nil {
			return nil, err
		}
		return answer(i.http(ctx, r)), nil
	case s.Records != nil:
		return i.cleanUp(ctx, payload)
	case s.DetailType != "":
		return i.bringOn(ctx)
	case s.Subject != "":
		return i.direct(ctx, payload)
	}
	return nil, errShape
}
