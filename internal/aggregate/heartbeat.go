package aggregate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// HeartbeatStore reads and writes single items. Implementations are safe for concurrent use.
type HeartbeatStore interface {
	// GetItem returns an item, strongly consistent; nil if there is none.
	GetItem(ctx context.Context, k keys.Key) (item.Item, error)
	// PutItem writes an item without a condition.
	PutItem(ctx context.Context, it item.Item) error
	ProgressStore
}

// Heartbeat measures end to end whether the table stream is processed. Each beat writes an item; its record
// passes through the table stream, the mapping and the function, and advances the stream progress. So the age
// of the progress stays small without any traffic, and grows when any of these parts stops.
type Heartbeat struct {
	Store HeartbeatStore
	Now   func() model.Time
}

// Beat returns the age of the stream progress, and writes the next heartbeat. The age is
// valid even with an error if known is true: the age could be read, but the heartbeat could
// not be written. The first beat of a table begins the progress.
func (h *Heartbeat) Beat(ctx context.Context) (age time.Duration, known bool, err error) {
	now := h.Now()
	processed, err := h.progress(ctx, now)
	if err != nil {
		return 0, false, fmt.Errorf("read the stream progress: %w", err)
	}
	if err := h.Store.PutItem(ctx, item.FromHeartbeat(now)); err != nil {
		return now.Sub(processed), true, fmt.Errorf("write the heartbeat: %w", err)
	}
	return now.Sub(processed), true, nil
}

// progress returns the stored stream progress. If there is none, it stores now: a table that
// is never processed must have progress that ages.
func (h *Heartbeat) progress(ctx context.Context, now model.Time) (model.Time, error) {
	it, err := h.Store.GetItem(ctx, tablekeys.StreamProgress())
	if err == nil && it != nil {
		return item.StreamProgress(it)
	}
	if err != nil {
		return 0, err
	}
	result, stored, err := h.Store.AdvanceProgress(ctx, now, now)
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

// SweepAges returns how long ago the low watermark of each queue shard is. It is 0 before the first sweep of
// a queue shard: readers then use no row that has not settled.
func (a *Aggregator) SweepAges(ctx context.Context) ([]time.Duration, error) {
	queue, err := a.queue()
	if err != nil {
		return nil, err
	}
	marks, err := queue.Sweeps(ctx)
	if err != nil {
		return nil, readError("read low watermarks", err)
	}
	ages := make([]time.Duration, tablekeys.QueueShards)
	for shard, at := range marks {
		ages[shard] = max(0, a.Now().Sub(at))
	}
	return ages, nil
}
