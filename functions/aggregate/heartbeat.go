package main

import (
	"context"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/telemetry"
)

// pulse writes heartbeats and measures the age of the stream progress.
type pulse interface {
	// Beat writes one heartbeat. The age may be known although the write failed.
	Beat(ctx context.Context) (age time.Duration, known bool, err error)
}

var _ pulse = (*aggregate.Heartbeat)(nil)

// beat publishes the age of the stream progress. If the age cannot be read, nothing is
// published: the alarm treats missing data as a failure.
func (h *handler) beat(ctx context.Context) {
	if h.pulse == nil {
		return
	}
	age, known, err := h.pulse.Beat(ctx)
	if err != nil {
		h.log.Error("heartbeat failed", telemetry.FieldError, err.Error())
	}
	if known {
		h.emit("", telemetry.Counts{telemetry.ProgressAge: max(0, age).Seconds()})
	}
}
