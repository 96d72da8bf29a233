package aggregate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// markShares marks the shares of all known groups of a bucket that is sealed, or that may have existed and
// expired: a change may be missing from them.
func (r *recomputation) markShares(ctx context.Context, row *rollup.Row) (storage.WriteResult, error) {
	if err := r.nameLeft(ctx, row); err != nil {
		return 0, err
	}
	for _, name := range slices.Sorted(maps.Keys(r.shares)) {
		if result, err := r.markShare(ctx, r.shares[name]); err != nil || result != storage.Written {
			return result, err
		}
	}
	return r.notifyGroups(ctx)
}

// nameLeft adds the groups that what is left of a bucket names, for a repair: it has no record that names
// groups. Where the row has expired with events of it, the nearest coarser row names the groups of all of its
// buckets, and so of this one.
func (r *recomputation) nameLeft(ctx context.Context, row *rollup.Row) error {
	if b := r.bucket; !b.repair || b.swept || b.options.DryRun || len(b.groupKinds()) == 0 {
		return nil
	}
	if _, err := r.foldChildren(ctx); err != nil {
		return err
	}
	r.notes = nil
	r.bucket.addGroups(slices.Collect(maps.Keys(r.groupFolds))...)
	if !exists(row) {
		if err := r.nameCoarser(ctx); err != nil {
			return err
		}
	}
	return r.readShares(ctx, nil)
}

// nameCoarser adds the groups that the nearest coarser row names.
func (r *recomputation) nameCoarser(ctx context.Context) error {
	policy := r.bucket.kind.Retention
	for level, b := r.bucket.level, r.bucket.interval; ; {
		parentLevel, parent, ok := parentBucket(policy, level, b)
		if !ok {
			return nil
		}
		row, err := r.parentRow(ctx, queue.RowKey(r.bucket.key.Series, parent))
		if err != nil {
			return err
		}
		if exists(row) && !item.DamagedRow(row) {
			r.bucket.addGroups(row.Groups...)
			if slices.Contains(row.Groups, rollup.AllGroups) {
				r.reportDifference(fmt.Sprintf("the %s has too many groups to name: which of them may miss "+
					"a change is not known; rebuild them with --mark sealed", parent))
			}
			return nil
		}
		level, b = parentLevel, parent
	}
}

// markShare marks a share, or writes one of no events that is inexact if there is none. The group's row,
// which is folded from it or is sealed by then, becomes inexact.
func (r *recomputation) markShare(ctx context.Context, s share) (storage.WriteResult, error) {
	if exists(s.old) && (item.DamagedRow(s.old) || !s.old.Exact) {
		return storage.Written, nil
	}
	next := r.newShare(s, &rollup.Fold{Summary: rollup.New(s.kind.Spec())})
	if exists(s.old) {
		*next = *s.old
		next.Exact, next.ChildrenExpireAt = false, 0
		next.WrittenAt = r.agg.Now()
	}
	r.counts.Shares++
	return r.put(ctx, s.old, next)
}
