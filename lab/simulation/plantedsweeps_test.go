package simulation

import (
	"context"
	"slices"

	"github.com/tidemark-db/tidemark/internal/ops/repair/changeover"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// losingPuts says that an invalidation is stored, and stores none.
type losingPuts struct{ *store }

func (l losingPuts) PutInvalidations(
	_ context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	for _, i := range these {
		l.scheduleSweeps(i)
	}
	return nil, storage.Written, nil
}

// deletingFirst deletes the invalidations that a sweep reads.
type deletingFirst struct{ *store }

func (d deletingFirst) Invalidations(
	ctx context.Context, shard storage.QueueShard, due model.Time, after string,
) (storage.InvalidationPage, error) {
	page, err := d.store.Invalidations(ctx, shard, due, after)
	for some := range slices.Chunk(page.Invalidations, itemop.MaxBatchWrites) {
		if _, _, err := d.DeleteInvalidations(ctx, some); err != nil {
			return page, err
		}
	}
	return page, err
}

// passing advances the low watermark by a day too much.
type passing struct{ *store }

func (p passing) AdvanceSweep(
	ctx context.Context, shard storage.QueueShard, through model.Time,
) (storage.WriteResult, error) {
	return p.store.AdvanceSweep(ctx, shard, through.Add(tier.Day24))
}

// neverDraining finds no invalidation when a deferral ends.
type neverDraining struct{ changeover.Table }

func (neverDraining) Invalidations(
	context.Context, storage.QueueShard, model.Time, string,
) (storage.InvalidationPage, error) {
	return storage.InvalidationPage{}, nil
}
