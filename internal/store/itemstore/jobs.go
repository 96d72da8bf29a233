package itemstore

import (
	"context"
	"errors"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// AdvanceProgress stores stream progress on condition that none is stored, or progress before
// at and not before floor. If the condition fails, it returns the stored progress.
func (s Items) AdvanceProgress(ctx context.Context,
	at, floor model.Time) (_ storage.WriteResult, stored model.Time, _ error) {
	return s.putProgress(ctx, item.FromStreamProgress(at),
		itemop.Precondition{absentOr(tablekeys.AttrAt, model.Less, at),
			absentOr(tablekeys.AttrAt, model.AtLeast, floor)})
}

// BeginProgress stores a stream progress of which no change is processed, on condition that none is stored.
// If the condition fails, it returns the stored progress.
func (s Items) BeginProgress(
	ctx context.Context, at model.Time,
) (_ storage.WriteResult, stored model.Time, _ error) {
	return s.putProgress(ctx, item.FromBegunProgress(at), itemop.Precondition{{Op: itemop.ItemAbsent}})
}

func (s Items) putProgress(
	ctx context.Context, it item.Item, when itemop.Precondition,
) (_ storage.WriteResult, stored model.Time, _ error) {
	written, err := s.put(ctx, "advance stream progress", it, when)
	if err != nil || written.WriteResult != storage.ConditionFailed {
		return written.WriteResult, 0, err
	}
	stored, err = item.StreamProgress(written.Old)
	return written.WriteResult, stored, err
}

// PutGap stores a gap, unless one with this start is stored that does not end before it. If one is, the
// result is Written.
func (s Items) PutGap(ctx context.Context, gap storage.Gap) (storage.WriteResult, error) {
	grows := itemop.Precondition{absentOr(tablekeys.AttrGapEnd, model.Less, gap.To)}
	written, err := s.put(ctx, "put gap", item.FromGap(gap), grows)
	if written.WriteResult == storage.ConditionFailed {
		return storage.Written, nil
	}
	return written.WriteResult, err
}

// DeleteGap deletes a gap, unless it has grown since it was read.
func (s Items) DeleteGap(ctx context.Context, gap storage.Gap) (storage.WriteResult, error) {
	unchanged := itemop.Precondition{absentOr(tablekeys.AttrGapEnd, model.AtMost, gap.To)}
	written, err := s.store.Write(ctx, "delete gap",
		&itemop.Action{Key: tablekeys.Gap(gap.From), Delete: true, Precondition: unchanged})
	return written.WriteResult, err
}

// PutBlocked stores a blocked batch; an equal one is replaced.
func (s Items) PutBlocked(ctx context.Context, b storage.Blocked) (storage.WriteResult, error) {
	written, err := s.put(ctx, "put blocked batch", item.FromBlocked(b), nil)
	return written.WriteResult, err
}

// HasBlocked reports whether a blocked batch is stored, strongly consistent.
func (s Items) HasBlocked(ctx context.Context, seq string) (bool, error) {
	it, err := s.store.Read(ctx, "read blocked batch", tablekeys.Blocked(seq), true)
	return it != nil, err
}

// DeleteBlocked deletes a blocked batch, if it is stored.
func (s Items) DeleteBlocked(ctx context.Context, seq string) (storage.WriteResult, error) {
	remove := &itemop.Action{Key: tablekeys.Blocked(seq), Delete: true}
	written, err := s.store.Write(ctx, "delete blocked batch", remove)
	return written.WriteResult, err
}

// StreamState reads what is stored about the table stream, by one strongly consistent request. It skips items
// that cannot be decoded.
func (s Items) StreamState(ctx context.Context) (state storage.StreamState, _ error) {
	page, err := s.store.Page(ctx, "read stream state", &itemop.ListRequest{Partition: tablekeys.JobAggregate})
	for _, it := range page.Items {
		if at, err := item.StreamProgress(it); err == nil {
			state.Progress = at
			state.Begun = item.IsBegun(it)
		}
		if g, err := item.Gap(it); err == nil {
			state.Gaps = append(state.Gaps, g)
		}
		if b, err := item.Blocked(it); err == nil {
			state.Blocked = append(state.Blocked, b)
		}
		if v, err := item.Verification(it); err == nil {
			state.Verified = v
		}
	}
	return state, err
}

// Invalidations reads one page, strongly consistent, of the invalidations of a queue shard that
// are due up to a time.
func (s Items) Invalidations(
	ctx context.Context, shard storage.QueueShard, dueUpTo model.Time, after string,
) (page storage.InvalidationPage, _ error) {
	request := itemop.ListRequest{Partition: tablekeys.InvalidationPartition(shard)}
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
		if err := addInvalidation(&page, it); err != nil {
			return page, err
		}
	}
	return page, nil
}

// AdvanceSweep stores the low watermark of a queue shard, on condition that none is stored, or
// an earlier one.
func (s Items) AdvanceSweep(
	ctx context.Context, shard storage.QueueShard, through model.Time,
) (storage.WriteResult, error) {
	written, err := s.put(ctx, "advance low watermark", item.FromLowWatermark(shard, through),
		itemop.Precondition{absentOr(tablekeys.AttrAt, model.Less, through)})
	return written.WriteResult, err
}

// Sweeps reads the generations of queue shards and their low watermarks. It is strongly consistent, although
// an earlier watermark would be valid too: it is read rarely.
func (s Items) Sweeps(ctx context.Context) (storage.LowWatermarks, error) {
	all := storage.LowWatermarks{
		Generations: storage.Generations{storage.FirstGeneration}, Through: map[storage.QueueShard]model.Time{},
	}
	request := itemop.ListRequest{Partition: tablekeys.JobSweep}
	for {
		page, err := s.store.Page(ctx, "read low watermarks", &request)
		if err != nil {
			return storage.LowWatermarks{}, err
		}
		for _, it := range page.Items {
			if err := addWatermark(&all, it); err != nil {
				return storage.LowWatermarks{}, err
			}
		}
		if page.Next == (itemop.Position{}) {
			return all, nil
		}
		request.After = page.Next
	}
}

// addWatermark adds an item of the partition of low watermarks.
func addWatermark(all *storage.LowWatermarks, it item.Item) error {
	if it.Key() == tablekeys.QueueConfig() {
		c, err := item.QueueConfig(it)
		all.Generations = c.Generations
		return err
	}
	shard, at, err := item.LowWatermark(it)
	all.Through[shard] = at
	return err
}

// QueueConfig reads the configuration of the queue, strongly consistent. Without one there is the first
// generation.
func (s Items) QueueConfig(ctx context.Context) (storage.QueueConfig, error) {
	it, err := s.store.Read(ctx, "read the configuration of the queue", tablekeys.QueueConfig(), true)
	if err != nil || it == nil {
		return storage.QueueConfig{Generations: storage.Generations{storage.FirstGeneration}}, err
	}
	return item.QueueConfig(it)
}

// PutQueueConfig stores c on condition that the stored revision is prev; the zero prev requires that none is
// stored.
func (s Items) PutQueueConfig(
	ctx context.Context, c storage.QueueConfig, prev [16]byte,
) (storage.WriteResult, error) {
	written, err := s.put(ctx, "put generations", item.FromQueueConfig(c), itemop.RevisionIs(prev))
	return written.WriteResult, err
}

// absentOr requires that the item has no time in an attribute, or one that compares to at.
func absentOr(attr string, by model.Op, at model.Time) itemop.Requirement {
	return itemop.Requirement{Op: itemop.AttrAbsentOrCompares, Attr: attr, By: by,
		Value: item.Value{Type: item.S, S: at.String()}}
}

// addInvalidation adds a stored item to a page. It skips an item that cannot be decoded, because nothing is
// known of its row. The error wraps item.ErrNewer for an item that a newer version wrote.
func addInvalidation(page *storage.InvalidationPage, it item.Item) error {
	i, err := item.Invalidation(it)
	if errors.Is(err, item.ErrNewer) {
		return err
	}
	if err == nil {
		page.Invalidations = append(page.Invalidations, i)
	}
	return nil
}
