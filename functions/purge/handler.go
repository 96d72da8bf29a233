package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// handler serves the schedule, the table stream and direct invocations. It is safe for concurrent use.
type handler struct {
	catalog  *catalog.Catalog
	profiles *lifecycle.Service
	purger   *lifecycle.Purger
	now      func() model.Time

	log      *slog.Logger
	metrics  *telemetry.Emitter
	units    func() (read, write float64) // capacity consumed since the process started
	function string                       // the deployed function's name
}

var _ lambda.Handler = (*handler)(nil)

// invocation is one invocation of the function, and its metrics.
type invocation struct {
	*handler
	counts telemetry.Counts
}

// headroom is kept free before the invocation's deadline, for the response.
const headroom = 2 * time.Second

// Invoke handles one payload and publishes the metrics of the invocation. It implements lambda.Handler.
func (h *handler) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	readBefore, writeBefore := h.units()
	ctx, cancel := retry.WithHeadroom(ctx, headroom)
	defer cancel()
	i := invocation{h, telemetry.Counts{}}
	response, err := i.dispatch(ctx, payload)
	if err != nil {
		i.counts[telemetry.StepFailures]++
		h.log.Error("invocation failed", telemetry.FieldError, err.Error())
	}
	// an idle schedule would be billed every minute
	if read, write := h.units(); len(i.counts) > 0 || write > writeBefore {
		i.counts[telemetry.ReadUnits], i.counts[telemetry.WriteUnits] = read-readBefore, write-writeBefore
	}
	h.metrics.EmitOrLog(h.log, h.function, "", i.counts)
	if err != nil {
		return nil, err
	}
	return json.Marshal(response)
}

// payloadShape has the fields that distinguish the sources.
type payloadShape struct {
	Records    json.RawMessage // the table stream
	DetailType string          `json:"detail-type"` // the schedule
	Subject    string          `json:"subject"`     // a direct invocation
}

var errPayload = errors.New(
	"unknown payload: want a batch of the table stream, a scheduled event, or " +
		"{\"subject\": \"devices/sensor_01\"}")

func (i *invocation) dispatch(ctx context.Context, payload []byte) (any, error) {
	var s payloadShape
	if err := json.Unmarshal(payload, &s); err != nil {
		return nil, fmt.Errorf("%w: %w", errPayload, err)
	}
	switch {
	case s.Records != nil:
		return i.cleanUp(ctx, payload)
	case s.DetailType != "":
		return i.resumePurges(ctx)
	case s.Subject != "":
		return i.invokeDirectly(ctx, payload)
	}
	return nil, errPayload
}
