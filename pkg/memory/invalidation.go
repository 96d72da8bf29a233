package memory

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// PutInvalidation stores an invalidation; an equal one is replaced.
func (t *Table) PutInvalidation(ctx context.Context, i entity.Invalidation) (storage.WriteResult, error) {
	it := item.FromInvalidation(i)
	result, _, err := t.writeOne(ctx, "put invalidation", action{key: it.Key(), condition: always, change: replaceWith(it)})
	return result, err
}

// Invalidations reads one page of the invalidations of a queue shard that are due up to a
// time.
func (t *Table) Invalidations(ctx context.Context, shard int, dueUpTo model.Time, after string) (page aggregate.InvalidationPage, _ error) {
	pk := tablekeys.InvalidationPartition(shard)
	items, next, err := t.Partition(ctx, pk, keys.Key{PK: pk, SK: after})
	if err != nil {
		return page, err
	}
	_, hi := tablekeys.InvalidationsUpTo(dueUpTo)
	page.Next = next.SK
	for _, it := range items {
		if it.Key().SK > hi {
			page.Next = ""
			break
		}
		if err := page.Add(it); err != nil {
			return page, err
		}
	}
	return page, nil
}

// DeleteInvalidation deletes an invalidation, if it is stored.
func (t *Table) DeleteInvalidation(ctx context.Context, i entity.Invalidation) (storage.WriteResult, error) {
	result, _, err := t.writeOne(ctx, "delete invalidation", action{key: tablekeys.Invalidation(i), condition: always, change: replaceWith(nil)})
	return result, err
}

// AdvanceSweep stores the low watermark of a queue shard, on condition that none is
// stored, or an earlier one.
func (t *Table) AdvanceSweep(ctx context.Context, shard int, through model.Time) (storage.WriteResult, error) {
	it := item.FromLowWatermark(shard, through)
	earlier := func(old item.Item) bool { return old == nil || old[tablekeys.AttrAt].S < through.String() }
	result, _, err := t.writeOne(ctx, "advance low watermark", action{key: it.Key(), condition: earlier, change: replaceWith(it)})
	return result, err
}

// Sweeps reads the low watermarks of all queue shards.
func (t *Table) Sweeps(ctx context.Context) (entity.LowWatermarks, error) {
	items, _, err := t.Partition(ctx, tablekeys.JobSweep, keys.Key{})
	return table.LowWatermarks(items, err)
}

func always(item.Item) bool { return true }
