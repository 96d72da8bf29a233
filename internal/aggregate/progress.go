package aggregate

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// StreamRetention is how long a table stream keeps a change.
const StreamRetention = 24 * time.Hour

// ProgressStore stores how far the table stream has been processed. Each method is one request and returns an
// error only for what a retry cannot repair. Implementations are safe for concurrent use.
type ProgressStore interface {
	// AdvanceProgress sets the stream progress to at, on condition that none is stored, or one that is before
	// at and not before floor. With ConditionFailed it returns the stored one.
	AdvanceProgress(ctx context.Context, at, floor model.Time) (result storage.WriteResult, stored model.Time, err error)
	// PutGap stores a gap until it is repaired. A stored gap with the same start is left unchanged.
	PutGap(ctx context.Context, gap entity.Gap) (storage.WriteResult, error)
}

// StreamProgress records how far the table stream has been processed: the time of the newest change of any
// stream shard. Where that has not moved for nearly as long as a table stream keeps its changes, some may
// have been lost before they were delivered, and the gap is stored before the progress moves on. A single
// shard cannot fall that far behind unnoticed: its batches are given up by age long before, and are sent to
// the on-failure queue. No rollup depends on the stored progress.
type StreamProgress struct {
	Store ProgressStore
	// Every is how often this process stores it, at most; zero means a minute.
	Every time.Duration

	mu   sync.Mutex // guards what follows
	next model.Time // changes before this are not stored
}

// maxPause is how long the progress may stay the same before changes may be lost: the
// retention of a table stream, less an hour for early trimming and clock skew.
const maxPause = StreamRetention - time.Hour

// Advance records that the change at a time, and everything before it in its batch, was processed. It returns
// the gap before that change, if there is one; the gap is stored already. It is safe for concurrent use.
func (p *StreamProgress) Advance(ctx context.Context, at model.Time) (gap *entity.Gap, err error) {
	if !p.due(at) {
		return nil, nil
	}
	floor := at.Add(-maxPause)
	for range 2 {
		result, stored, err := p.Store.AdvanceProgress(ctx, at, floor)
		if err != nil || result != storage.ConditionFailed || stored >= at {
			return gap, progressError(err)
		}
		g := entity.Gap{From: stored, To: at}
		if result, err := p.Store.PutGap(ctx, g); err != nil || result != storage.Written {
			return nil, progressError(err) // the next call stores it
		}
		gap, floor = &g, stored
	}
	return gap, nil
}

func progressError(err error) error {
	if err != nil {
		return fmt.Errorf("store the stream progress: %w", err)
	}
	return nil
}

// due reports whether the progress is to be stored now, and claims that for the caller.
func (p *StreamProgress) due(at model.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at < p.next {
		return false
	}
	p.next = at.Add(cmp.Or(p.Every, time.Minute))
	return true
}

// ThroughStore is what CompleteThrough reads.
type ThroughStore interface {
	GetItem(ctx context.Context, k keys.Key) (item.Item, error)
	Sweeps(ctx context.Context) (entity.LowWatermarks, error)
}

// CompleteThrough returns the time through which rollups are complete: each event that was stored until then
// is in the rollups, and each bucket that ended by then is a row. It is MinTime before anything was
// processed. Late changes may wait for LateDelay longer. The stream progress is that of the table stream's
// fastest shard: where one shard repeats a failed batch, its changes may still be missing.
func CompleteThrough(ctx context.Context, store ThroughStore, kinds *catalog.Catalog) (model.Time, error) {
	progress, err := store.GetItem(ctx, tablekeys.StreamProgress())
	if err != nil || progress == nil {
		return model.MinTime, err
	}
	through, err := item.StreamProgress(progress)
	if err != nil {
		return model.MinTime, err
	}
	delay, deferred := closingDelay(kinds)
	if !deferred {
		return through, nil
	}
	marks, err := store.Sweeps(ctx)
	if err != nil {
		return model.MinTime, err
	}
	for shard := range tablekeys.QueueShards {
		swept := marks.Of(shard)
		if swept > model.MinTime {
			swept = swept.Add(-delay)
		}
		through = min(through, swept)
	}
	return through, nil
}

// LateDelay returns how long late changes of any kind may wait before they are in the rollups,
// by the low watermarks; 0 if no kind coalesces them.
func LateDelay(kinds *catalog.Catalog) (longest time.Duration) {
	for i := range kinds.Kinds {
		longest = max(longest, entity.LateMargin(kinds.Kinds[i].Retention.LateEvery))
	}
	return longest
}

// closingDelay returns how long after its end a bucket of any kind may close.
func closingDelay(kinds *catalog.Catalog) (longest time.Duration, deferred bool) {
	for i := range kinds.Kinds {
		p := kinds.Kinds[i].Retention
		for _, t := range p.Tiers {
			if t.Deferred {
				longest, deferred = max(longest, t.Grace+p.Jitter), true
			}
		}
	}
	return longest, deferred
}
