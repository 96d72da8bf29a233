package itemstore

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

// AdvanceProgress stores stream progress on condition that none is stored, or progress before
// at and not before floor. If the condition fails, it returns the stored progress.
func (s Items) AdvanceProgress(ctx context.Context, at, floor model.Time) (_ storage.WriteResult, stored model.Time, _ error) {
	written, err := s.put(ctx, "advance stream progress", item.FromStreamProgress(at), table.Precondition{absentOr(model.Less, at), absentOr(model.AtLeast, floor)})
	if err != nil || written.WriteResult != storage.ConditionFailed {
		return written.WriteResult, 0, err
	}
	stored, err = item.StreamProgress(written.Old)
	return written.WriteResult, stored, err
}

// PutGap stores a gap on condition that no gap with this start is stored. If one is, the result is Written.
func (s Items) PutGap(ctx context.Context, gap entity.Gap) (storage.WriteResult, error) {
	return s.ensure(ctx, "put gap", item.FromGap(gap))
}

// PutInvalidation stores an invalidation without a condition; an equal one is replaced. It
// consumes one write unit.
func (s Items) PutInvalidation(ctx context.Context, i entity.Invalidation) (storage.WriteResult, error) {
	written, err := s.put(ctx, "put invalidation", item.FromInvalidation(i), nil)
	return written.WriteResult, err
}

// DeleteInvalidation deletes an invalidation, if it is stored.
func (s Items) DeleteInvalidation(ctx context.Context, i entity.Invalidation) (storage.WriteResult, error) {
	written, err := s.store.Write(ctx, "delete invalidation", &table.Action{Key: tablekeys.Invalidation(i), Delete: true})
	return written.WriteResult, err
}

// Invalidations reads one page, strongly consistent, of the invalidations of a queue shard that
// are due up to a time.
func (s Items) Invalidations(ctx context.Context, shard int, dueUpTo model.Time, after string) (page aggregate.InvalidationPage, _ error) {
	request := table.ListRequest{Partition: tablekeys.InvalidationPartition(shard)}
	request.From, request.To = tablekeys.InvalidationsUpTo(dueUpTo)
	if after != "" {
		request.After.Key = keys.Key{PK: request.Partition, SK: after}
	}
	items, err := s.store.Page(ctx, "read invalidations", &request)
	if err != nil {
		return page, err
	}
	page.Next = items.Next.Key.SK
	for _, it := range items.Items {
		if err := page.Add(it); err != nil {
			return page, err
		}
	}
	return page, nil
}

// AdvanceSweep stores the low watermark of a queue shard, on condition that none is stored, or
// an earlier one.
func (s Items) AdvanceSweep(ctx context.Context, shard int, through model.Time) (storage.WriteResult, error) {
	written, err := s.put(ctx, "advance low watermark", item.FromLowWatermark(shard, through), table.Precondition{absentOr(model.Less, through)})
	return written.WriteResult, err
}

// Sweeps reads the low watermarks of all queue shards. It is strongly consistent, although an
// earlier watermark would be valid too: it is read rarely.
func (s Items) Sweeps(ctx context.Context) (entity.LowWatermarks, error) {
	page, err := s.store.Page(ctx, "read low watermarks", &table.ListRequest{Partition: tablekeys.JobSweep})
	if err != nil {
		return nil, err
	}
	all := entity.LowWatermarks{}
	for _, it := range page.Items {
		shard, at, err := item.LowWatermark(it)
		if err != nil {
			return nil, err
		}
		all[shard] = at
	}
	return all, nil
}

// absentOr requires that the item has no time, or one that compares to at.
func absentOr(by model.Op, at model.Time) table.Requirement {
	return table.Requirement{Op: table.AttrAbsentOrCompares, Attr: tablekeys.AttrAt, By: by, Value: item.Value{Type: item.S, S: at.String()}}
}
