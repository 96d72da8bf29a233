package main

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/lists"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// sweeper writes the rows of buckets that have closed.
type sweeper interface {
	// Sweep works off one queue shard. It may be called concurrently.
	Sweep(ctx context.Context, shard int) (aggregate.SweepReport, error)
	// SweepAges returns how long ago the low watermark of each queue shard is; 0 before its first sweep.
	SweepAges(ctx context.Context) ([]time.Duration, error)
}

var _ sweeper = (*aggregate.Aggregator)(nil)

// sweeperOf returns nil where no kind has deferred tiers: the schedule then costs nothing.
func sweeperOf(a *aggregate.Aggregator, kinds *catalog.Catalog) sweeper {
	for _, subject := range kinds.Subjects() {
		for _, kind := range kinds.KindsOf(subject) {
			if kind.Retention.HasDeferred() {
				return a
			}
		}
	}
	return nil
}

// scheduledResult is the response to a scheduled event.
type scheduledResult struct {
	alert.DeliveryResult
	Swept int `json:"swept"` // buckets of which the invalidations were worked off
	Left  int `json:"left"`  // due invalidations that the next sweep finds again
}

// handleSchedule writes a heartbeat, delivers waiting alert notifications, and sweeps the queue shards of its
// part at the same time. Only the first part does what is not divided. A failure is logged, and the
// next scheduled event retries.
func (h *handler) handleSchedule(ctx context.Context, payload []byte) ([]byte, error) {
	part := envelope.PartOf(payload)
	ctx, cancel := retry.WithHeadroom(ctx, headroom)
	defer cancel()
	if part.Sweep == 0 {
		h.beat(ctx)
	}
	var result scheduledResult
	var sweeps sync.WaitGroup
	if h.sweeper != nil {
		sweeps.Go(func() { result.Swept, result.Left = h.sweep(ctx, part) })
	}
	if h.alerts != nil && part.Sweep == 0 {
		result.DeliveryResult = h.deliverPending(ctx)
	}
	sweeps.Wait()
	return json.Marshal(result)
}

// sweep sweeps the queue shards of a part at the same time, and logs each that found anything.
func (h *handler) sweep(ctx context.Context, part envelope.Part) (swept, left int) {
	if part.Sweep == 0 {
		h.publishSweepAges(ctx)
	}
	start := time.Now()
	var mu sync.Mutex // guards swept and left
	var group sync.WaitGroup
	for shard := part.Sweep; shard < tablekeys.QueueShards; shard += part.Sweeps {
		group.Go(func() {
			began := time.Now()
			report, err := h.sweeper.Sweep(ctx, shard)
			h.logSweep(shard, &report, time.Since(began), err)
			mu.Lock()
			defer mu.Unlock()
			swept, left = swept+report.Swept, left+report.Left
		})
	}
	group.Wait()
	if swept+left > 0 { // an idle minute would only add to the bill
		h.emit("", telemetry.Counts{
			telemetry.BucketsSwept: float64(swept), telemetry.InvalidationsLeft: float64(left),
			telemetry.SweepDuration: time.Since(start).Seconds(),
		})
	}
	return swept, left
}

// publishSweepAges publishes the ages before the sweep, which may use all the time there is. The metric is the
// oldest; the log has that of each queue shard, as a metric for each would be the most expensive part of an idle
// stage.
func (h *handler) publishSweepAges(ctx context.Context) {
	ages, err := h.sweeper.SweepAges(ctx)
	if err != nil {
		h.log.Error("low watermarks not read", telemetry.FieldError, err.Error())
		return
	}
	h.log.Info(telemetry.LowWatermarks, telemetry.FieldAges, lists.Map(ages, time.Duration.Seconds))
	h.emit("", telemetry.Counts{telemetry.SweepAge: slices.Max(ages).Seconds()})
}

func (h *handler) logSweep(shard int, r *aggregate.SweepReport, took time.Duration, err error) {
	log := h.log.With("queue_shard", shard, "swept", r.Swept, "left", r.Left, "through", r.Through.String(), "took", took.Milliseconds())
	for _, n := range r.Notes[:min(maxNotes, len(r.Notes))] {
		log.Warn("row needs attention", telemetry.FieldSeries, n.Key.Series.String(), "tier", n.Key.Tier, "bucket", n.Key.Start.String(), "note", n.Text)
	}
	switch {
	case err != nil:
		log.Error("sweep failed", telemetry.FieldError, err.Error())
	case len(r.Failures) > 0:
		log.Error("rows of closed buckets not written", telemetry.FieldError, r.Failures[0].Err.Error())
	case r.Swept+r.Left > 0:
		log.Info("sweep", "recomputed", r.Recomputed, "written", r.Written, "quarantined", r.Quarantined)
	}
}

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
