package aggregate

import (
	"context"
	"errors"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// InvalidationStore stores the queue of buckets that changed while they were open. Each
// method is one request. A write returns an error only for what a retry cannot repair;
// implementations are safe for concurrent use.
type InvalidationStore interface {
	// PutInvalidation stores an invalidation, whether or not an equal one is stored.
	PutInvalidation(ctx context.Context, i entity.Invalidation) (storage.WriteResult, error)
	// Invalidations reads one page of the invalidations of a queue shard that are due up to
	// a time, included, in order of their due times, strongly consistent. after is "" or
	// Next of the page before.
	Invalidations(ctx context.Context, shard int, dueUpTo model.Time, after string) (InvalidationPage, error)
	// DeleteInvalidation deletes an invalidation. The result is Written also if it is not
	// stored.
	DeleteInvalidation(ctx context.Context, i entity.Invalidation) (storage.WriteResult, error)
	// AdvanceSweep stores the low watermark of a queue shard, on condition that none is
	// stored, or an earlier one.
	AdvanceSweep(ctx context.Context, shard int, through model.Time) (storage.WriteResult, error)
	LowWatermarkStore
}

// LowWatermarkStore reads how far invalidations have been worked off.
type LowWatermarkStore interface {
	// Sweeps reads the low watermarks of all queue shards, by one request.
	Sweeps(ctx context.Context) (entity.LowWatermarks, error)
}

// InvalidationPage is one page of the queue.
type InvalidationPage struct {
	Invalidations []entity.Invalidation
	Next          string // "" on the last page
}

// Add adds a stored item. It skips an item that cannot be decoded, because nothing is
// known of its row. The error wraps item.ErrNewer for an item that a newer version wrote.
func (p *InvalidationPage) Add(it item.Item) error {
	i, err := item.Invalidation(it)
	if errors.Is(err, item.ErrNewer) {
		return err
	}
	if err == nil {
		p.Invalidations = append(p.Invalidations, i)
	}
	return nil
}
