package aggregate

import (
	"context"
	"time"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ThroughStore is what CompleteThrough reads.
type ThroughStore interface {
	GetItem(ctx context.Context, k keys.Key) (item.Item, error)
	Sweeps(ctx context.Context) (entity.LowWatermarks, error)
}

// CompleteThrough returns the time through which rollups are complete: each event that was
// stored until then is in the rollups, and each bucket that ended by then is a row. It is
// MinTime before anything was processed. The stream progress is that of the table stream's
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
