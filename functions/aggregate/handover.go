package main

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/api/selfinvoke"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// invoker invokes this function again. Any number of sweeps of one queue shard may run, and each schedule
// finds all that is due: so a handover may be lost, late or delivered twice.
type invoker interface {
	// InvokeEvent returns when the invocation is accepted. After an error it may be carried out or not.
	InvokeEvent(ctx context.Context, payload []byte) error
}

var _ invoker = (*selfinvoke.Function)(nil)

// worthwhile is how long a further invocation should have to work: it takes about a second to start.
const worthwhile = 5 * time.Second

// lastInvoke limits a request in the headroom of the invocation.
const lastInvoke = 500 * time.Millisecond

// sweeping is the sweep of a queue shard by this invocation.
type sweeping struct {
	shard storage.QueueShard
	aggregate.RunningSweep
	cut bool // the time of the invocation ended first; valid when the sweep has returned
}

// handleHandover sweeps the queue shards that another invocation left to this one, until the next schedule.
// Queue shards that are not swept any more are left out.
func (h *handler) handleHandover(ctx context.Context, work envelope.Handover) ([]byte, error) {
	var result scheduledResult
	if h.sweeper == nil || !work.Open(time.Now()) {
		h.log.Info("handover of a sweep has ended", "hop", work.Hop, "until", work.Until)
		return json.Marshal(result)
	}
	own, cancel := retry.WithHeadroom(ctx, headroom)
	defer cancel()
	bounded, end := context.WithDeadline(own, work.Until)
	defer end()
	all, err := h.sweeper.QueueShards(bounded)
	if err != nil {
		h.log.Error("low watermarks not read", telemetry.FieldError, err.Error())
		return json.Marshal(result)
	}
	named := work.Shards
	work.Shards = lists.Map(slices.DeleteFunc(all, func(s aggregate.SweptShard) bool {
		return !slices.Contains(named, s.QueueShard)
	}), func(s aggregate.SweptShard) storage.QueueShard { return s.QueueShard })
	result.Swept, result.Left = h.sweep(bounded, work)
	return json.Marshal(result)
}

// handOver waits for the sweeps of this invocation. Meanwhile a scheduled one shares what it will not finish
// soon among further invocations. What is left when the time of the invocation ends is left to one more,
// which goes on until the next schedule.
func (h *handler) handOver(
	ctx context.Context, work envelope.Handover, all []*sweeping, wait func(),
) telemetry.Counts {
	counts := telemetry.Counts{}
	if h.self == nil {
		wait()
		return counts
	}
	ended := make(chan struct{})
	var sharing sync.WaitGroup
	if work.Hop == 0 { // the others would be more than MaxSweepers
		sharing.Go(func() {
			select {
			case <-ended:
			case <-ctx.Done():
			case <-time.After(config.HandOverAfter):
				h.share(ctx, work, all, counts)
			}
		})
	}
	wait()
	close(ended)
	sharing.Wait()
	cut := lists.Filter(all, func(s *sweeping) bool { return s.cut && !s.Stopped() })
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastInvoke)
	defer cancel()
	h.send(last, work, [][]*sweeping{cut}, counts)
	return counts
}

// share hands queue shards over, so that each of at most MaxSweepers invocations has about as many. This
// invocation keeps the first part, and those that it finishes soon. One that cannot be handed over it goes on
// with.
func (h *handler) share(
	ctx context.Context, work envelope.Handover, all []*sweeping, counts telemetry.Counts,
) {
	long := lists.Filter(all, func(s *sweeping) bool { return s.Outlasts(worthwhile, config.HandOverAfter) })
	parts := make([][]*sweeping, min(len(long), config.MaxSweepers))
	for n, s := range long {
		parts[n%len(parts)] = append(parts[n%len(parts)], s)
	}
	if len(parts) > 1 {
		h.send(ctx, work, parts[1:], counts)
	}
}

// send invokes the function for each part at the same time, and stops the sweeps of those that are accepted.
func (h *handler) send(
	ctx context.Context, work envelope.Handover, parts [][]*sweeping, counts telemetry.Counts,
) {
	if time.Until(work.Until) < worthwhile {
		return
	}
	var mu sync.Mutex // guards counts
	var group sync.WaitGroup
	for _, part := range parts {
		next, ok := work.Next(lists.Map(part, func(s *sweeping) storage.QueueShard { return s.shard }))
		if !ok || len(part) == 0 {
			continue
		}
		group.Go(func() {
			err := h.self.InvokeEvent(ctx, next.Payload())
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				h.log.Warn("sweep not handed over", "queue_shards", len(part), "hop", next.Hop,
					telemetry.FieldError, err.Error())
				counts[telemetry.FailedHandovers] += float64(len(part))
				return
			}
			h.log.Info("sweep handed over", "queue_shards", len(part), "hop", next.Hop)
			counts[telemetry.SweepHandovers]++
			for _, s := range part {
				s.Stop()
			}
		})
	}
	group.Wait()
}
