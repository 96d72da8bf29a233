package aggregate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// HeartbeatStore reads the stream state and writes single items. Implementations are safe for concurrent use.
type HeartbeatStore interface {
	// StreamState reads what is stored about the table stream, strongly consistent.
	StreamState(ctx context.Context) (storage.StreamState, error)
	// BeginProgress stores a stream progress of which no change is processed, on condition that none is
	// stored. With ConditionFailed it returns the stored one.
	BeginProgress(ctx context.Context, at model.Time) (
		result storage.WriteResult, stored model.Time, err error)
	// PutItem writes an item without a condition.
	PutItem(ctx context.Context, it item.Item) error
	ProgressStore
}

// Heartbeat measures end to end whether the table stream is processed. Each beat writes an item; its record
// passes through the table stream, the mapping and the function, and advances the stream progress. So the age
// of the progress stays small without any traffic, and grows when any of these parts stops.
//
// A beat also stores the gap of a progress that stands still, while the mapping is disabled too:
// StreamProgress does it with the first batch after that, which one shard may process long before another.
type Heartbeat struct {
	Store  HeartbeatStore
	Now    func() model.Time
	MaxAge time.Duration // as StreamProgress.MaxAge
}

// Pulse is what a beat found. It is valid with an error too.
type Pulse struct {
	Known bool          // the stream progress could be read
	Age   time.Duration // of the stream progress
	Gap   *storage.Gap  // that it leaves, stored already; nil if none
	// Differ is how many rows differ from their events by a watch that runs; nil if none does.
	Differ *int
}

// watchedFor is how old the result of a watch may be: it stores one each minute, or after a long series.
const watchedFor = time.Hour

// Beat measures the stream progress, stores the gap that it leaves and writes the next heartbeat. The first
// beat of a table begins the progress.
func (h *Heartbeat) Beat(ctx context.Context) (p Pulse, err error) {
	now := h.Now()
	state, err := h.Store.StreamState(ctx)
	processed := state.Progress
	if err == nil && processed == 0 {
		processed, err = h.begin(ctx, now)
	}
	if err != nil {
		return p, fmt.Errorf("read the stream progress: %w", err)
	}
	if now.Sub(state.Verified.At) < watchedFor {
		p.Differ = &state.Verified.Differ
	}
	p.Known, p.Age = true, now.Sub(processed)
	if processed < gapFloor(now, h.MaxAge) {
		gap := gapAfter(processed, now, h.MaxAge)
		result, err := h.Store.PutGap(ctx, gap)
		if err != nil {
			return p, fmt.Errorf("store the gap from %s: %w", gap.From, err)
		}
		if result == storage.Written {
			p.Gap = &gap
		}
	}
	if err := h.Store.PutItem(ctx, item.FromHeartbeat(now)); err != nil {
		return p, fmt.Errorf("write the heartbeat: %w", err)
	}
	return p, nil
}

// begin stores the first stream progress, and returns the one that is stored: a table that is never processed
// must have progress that ages. It is before the second of the heartbeat that follows, as records have whole
// seconds, so that this record is the first progress of changes.
func (h *Heartbeat) begin(ctx context.Context, now model.Time) (model.Time, error) {
	second := model.Time(time.Second.Milliseconds())
	result, stored, err := h.Store.BeginProgress(ctx, now-now%second-1)
	switch {
	case err != nil:
		return 0, err
	case result == storage.ConditionFailed: // another process was first
		return stored, nil
	case result != storage.Written:
		return 0, errors.New("the table did not respond")
	}
	return now, nil
}

// SweptShard is a queue shard that sweeps work off.
type SweptShard struct {
	storage.QueueShard
	// Age is how long ago its low watermark is. It is 0 before the first sweep: readers then use no row of
	// the shard's series.
	Age time.Duration
}

// QueueShards returns the queue shards that sweeps work off, oldest generation first.
func (a *Aggregator) QueueShards(ctx context.Context) (all []SweptShard, err error) {
	queue, err := a.queue()
	if err != nil {
		return nil, err
	}
	marks, err := queue.Sweeps(ctx)
	if err != nil {
		return nil, readError("read low watermarks", err)
	}
	now := a.Now()
	shards := marks.Generations.Swept()
	if a.Catalog.HasGroups() {
		shards = append(shards, storage.GroupShard)
	}
	for _, shard := range shards {
		one := SweptShard{QueueShard: shard}
		if at, swept := marks.Through[shard]; swept {
			one.Age = max(0, now.Sub(at))
		}
		all = append(all, one)
	}
	return all, nil
}
