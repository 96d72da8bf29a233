package main

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// sweeper writes the rows of buckets that have closed.
type sweeper interface {
	// SweepUntilStopped works off one queue shard, and keeps run up to date. It may be called concurrently.
	SweepUntilStopped(ctx context.Context, shard storage.QueueShard,
		run *aggregate.RunningSweep) (aggregate.SweepReport, error)
	// QueueShards returns the queue shards to sweep, with the ages of their low watermarks.
	QueueShards(ctx context.Context) ([]aggregate.SweptShard, error)
}

var _ sweeper = (*aggregate.Aggregator)(nil)

// newSweeper returns nil where no kind has deferred tiers: the schedule then costs nothing.
func newSweeper(a *aggregate.Aggregator, kinds *catalog.Catalog) sweeper {
	for _, subject := range kinds.Subjects() {
		for _, kind := range kinds.SubjectKinds(subject) {
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
	part := envelope.ParsePart(payload)
	ctx, cancel := retry.WithHeadroom(ctx, headroom)
	defer cancel()
	if part.Sweep == 0 {
		h.beat(ctx)
	}
	var result scheduledResult
	var sweeps sync.WaitGroup
	if h.sweeper != nil {
		sweeps.Go(func() { result.Swept, result.Left = h.sweepPart(ctx, part) })
	}
	if h.alerts != nil && part.Sweep == 0 {
		result.DeliveryResult = h.deliverPending(ctx)
	}
	sweeps.Wait()
	return json.Marshal(result)
}

// sweepPart sweeps the queue shards of a part until the next schedule.
func (h *handler) sweepPart(ctx context.Context, part envelope.Part) (swept, left int) {
	began := envelope.Handover{Until: time.Now().Add(config.AlertsEvery)}
	all, err := h.sweeper.QueueShards(ctx)
	if err != nil {
		h.log.Error("low watermarks not read", telemetry.FieldError, err.Error())
		return 0, 0
	}
	if part.Sweep == 0 {
		h.publishSweepAges(all)
	}
	for n := part.Sweep; n < len(all); n += part.Sweeps {
		began.Shards = append(began.Shards, all[n].QueueShard)
	}
	return h.sweep(ctx, began)
}

// sweep sweeps queue shards at the same time, and logs each that found anything. It hands over what it will
// not finish soon.
func (h *handler) sweep(ctx context.Context, work envelope.Handover) (swept, left int) {
	start := time.Now()
	all := make([]*sweeping, len(work.Shards))
	var mu sync.Mutex // guards swept and left
	var group sync.WaitGroup
	for n, shard := range work.Shards {
		one := &sweeping{shard: shard}
		all[n] = one
		group.Go(func() {
			report, err := h.sweeper.SweepUntilStopped(ctx, shard, &one.RunningSweep)
			one.cut = ctx.Err() != nil && (err != nil || report.Left > 0)
			h.logSweep(shard, &report, time.Since(start), err)
			mu.Lock()
			defer mu.Unlock()
			swept, left = swept+report.Swept, left+report.Left
		})
	}
	counts := h.handOver(ctx, work, all, group.Wait)
	if swept+left > 0 { // an idle minute would only add to the bill
		counts[telemetry.BucketsSwept], counts[telemetry.InvalidationsLeft] = float64(swept), float64(left)
		counts[telemetry.SweepDuration] = time.Since(start).Seconds()
	}
	if len(counts) > 0 {
		h.emit("", counts)
	}
	return swept, left
}

// publishSweepAges publishes the ages before the sweep, which may use all the time there is. The metric is
// the oldest; the log has the oldest ones, as a metric for each would be the most expensive part of an idle
// stage.
func (h *handler) publishSweepAges(shards []aggregate.SweptShard) {
	ages := lists.Map(shards, func(s aggregate.SweptShard) float64 { return s.Age.Seconds() })
	slices.SortFunc(ages, func(a, b float64) int { return cmp.Compare(b, a) })
	h.log.Info(telemetry.LowWatermarks, telemetry.FieldAges, ages[:min(len(ages), telemetry.LoggedAges)])
	h.emit("", telemetry.Counts{telemetry.SweepAge: ages[0]})
}

func (h *handler) logSweep(
	shard storage.QueueShard, r *aggregate.SweepReport, took time.Duration, err error,
) {
	log := h.log.With("generation", shard.Generation, "queue_shard", shard.Number,
		"swept", r.Swept, "left", r.Left, "through", r.Through.String(), "took", took.Milliseconds())
	for _, n := range r.Notes[:min(maxNotes, len(r.Notes))] {
		log.Warn("row needs attention", telemetry.FieldSeries, n.Key.Series.String(), "tier", n.Key.Tier, "bucket",
			n.Key.Start.String(), "note", n.Text)
	}
	switch {
	case err != nil:
		log.Error("sweep failed", telemetry.FieldError, err.Error())
	case len(r.Failures) > 0:
		log.Error("rows of closed buckets not written", telemetry.FieldError, r.Failures[0].Err.Error())
	case r.Swept+r.Left > 0:
		log.Info("sweep", "recomputed", r.Recomputed, "written", r.Written, "quarantined", r.Quarantined,
			"stopped", r.Stopped)
	}
}

// pulse writes heartbeats and measures the age of the stream progress.
type pulse interface {
	// Beat writes one heartbeat. The age may be known although the write failed.
	Beat(ctx context.Context) (aggregate.Pulse, error)
}

var _ pulse = (*aggregate.Heartbeat)(nil)

// beat publishes the age of the stream progress. If the age cannot be read, nothing is
// published: the alarm treats missing data as a failure.
func (h *handler) beat(ctx context.Context) {
	if h.pulse == nil {
		return
	}
	found, err := h.pulse.Beat(ctx)
	if err != nil {
		h.log.Error("heartbeat failed", telemetry.FieldError, err.Error())
	}
	if found.Known {
		h.emit("", telemetry.Counts{telemetry.ProgressAge: max(0, found.Age).Seconds()})
	}
	if found.Differ != nil {
		h.emit("", telemetry.Counts{telemetry.RowsDiffering: float64(*found.Differ)})
	}
	h.reportGap(found.Gap)
}
