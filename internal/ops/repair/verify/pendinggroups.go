package verify

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// This file tells a row of a group that waits for the sweep of groups from one that is wrong. A group has no
// events, and a share that was replaced or removed leaves no trace of what was before. But each process that
// changes a share puts the invalidation of the group's bucket, which is stored until the row is written.

// groupQueue reads the invalidations of a queue shard that are due up to a time, strongly consistent.
type groupQueue interface {
	Invalidations(ctx context.Context, shard storage.QueueShard, dueUpTo model.Time,
		after string) (storage.InvalidationPage, error)
}

// findUnsettled gives the status Pending to findings of a group that differ, where the sweep of groups still
// has to fold the bucket or one in it. A sweep writes the row before it deletes the invalidation: call it
// after the rows were read, and then look whether one changed.
func (c counter) findUnsettled(ctx context.Context, one *recount, findings []found) error {
	if one.kind.GroupsOf == "" {
		return nil
	}
	var queued map[tier.Bucket]model.Time
	for i := range findings {
		f := &findings[i]
		if !f.wrongRow() {
			continue
		}
		if queued == nil {
			var err error
			if queued, err = c.queuedBuckets(ctx, one); err != nil {
				return err
			}
		}
		unit, err := tier.ParseUnit(f.Key.Tier)
		if err != nil {
			return fmt.Errorf("recount %s: %w", one.series, err)
		}
		b := unit.BucketAt(f.Key.Start)
		for part, due := range queued {
			if b.Start <= part.Start && part.End <= b.End {
				f.Status = Pending
				f.Detail = fmt.Sprintf("shares of its members changed: it is folded after %s", due)
			}
		}
	}
	return nil
}

// queuedBuckets returns the buckets of a group that the sweep of groups has to fold, and when they are due. A
// share of the last moments counts as queued: the process that wrote it may still put the invalidation.
func (c counter) queuedBuckets(ctx context.Context, one *recount) (map[tier.Bucket]model.Time, error) {
	queued := map[tier.Bucket]model.Time{}
	for b, at := range one.newestShares {
		_, level, _ := one.kind.Retention.Find(b.Unit)
		row := one.stored[level][b.Start]
		if (row == nil || at > row.WrittenAt) && at > one.now.Add(-Patience) {
			queued[b] = at
		}
	}
	store, ok := c.store.(groupQueue)
	if !ok {
		return queued, nil
	}
	upTo := one.now.Add(storage.LateMargin(one.kind.Retention.LateEvery)) // the end of the present tick
	pages := paging.Items(func(after string) ([]storage.Invalidation, string, error) {
		page, err := store.Invalidations(ctx, storage.GroupShard, upTo, after)
		return page.Invalidations, page.Next, err
	})
	for i, err := range pages {
		if err != nil {
			return nil, fmt.Errorf("read the queue of groups: %w", err)
		}
		if unit, err := tier.ParseUnit(i.Key.Tier); err == nil && i.Key.Series == one.series {
			queued[unit.BucketAt(i.Key.Start)] = i.Due
		}
	}
	return queued, nil
}
