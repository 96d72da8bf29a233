package aggregate

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// handleSealed leaves a sealed row unchanged, or marks it inexact where a change is known that it may miss.
func (r *recomputation) handleSealed(ctx context.Context, row *rollup.Row) (storage.WriteResult, error) {
	held, err := r.holdsInserts(ctx, row)
	switch {
	case err != nil:
		return 0, err
	case held:
		r.counts.Sealed++
		return storage.Written, nil
	case r.bucket.options.Mark == MarkNone:
		r.counts.Sealed++
		return storage.Written, nil
	case r.bucket.options.DryRun && row.Exact && !item.DamagedRow(row):
		r.counts.Sealed++
		r.reportDifference(sealedButExact)
		return storage.Written, nil
	}
	if result, err := r.markShares(ctx, row); err != nil || result != storage.Written {
		return result, err
	}
	return r.markInexact(ctx, row)
}

// holdsInserts reports whether a sealed row provably includes every change of its bucket: all are inserts
// that the table stream delivered, and the children that are left add up to the row. An event that expired
// unfolded would be one of a repair. A child of the row that has expired leaves the question open.
func (r *recomputation) holdsInserts(ctx context.Context, row *rollup.Row) (bool, error) {
	if r.bucket.alwaysWrite || r.bucket.repair || item.DamagedRow(row) || !row.Exact {
		return false, nil
	}
	fold, err := r.foldChildren(ctx)
	if err != nil {
		return false, err
	}
	r.notes = nil
	return row.Covers(fold), nil
}

const sealedButExact = "the row is sealed and exact, but a change may be missing from it"

// markInexact records in a sealed row that a change may be missing from it. Its numbers
// stay the same from then on. A row that is inexact already is left unchanged, and so is
// a damaged one, which readers never treat as exact.
func (r *recomputation) markInexact(ctx context.Context, row *rollup.Row) (storage.WriteResult, error) {
	if item.DamagedRow(row) {
		r.addNote("the stored row cannot be decoded: delete it, then rebuild its bucket")
	}
	if item.DamagedRow(row) || !row.Exact {
		r.counts.Sealed++
		return storage.Written, nil
	}
	inexact := *row
	inexact.Exact = false
	inexact.ChildrenExpireAt = 0
	inexact.WrittenAt = r.agg.Now()
	result, err := r.put(ctx, row, &inexact)
	if err == nil && result == storage.Written {
		r.counts.Sealed++
		r.counts.MarkedInexact++
		r.reportDifference(sealedButExact)
	}
	return result, err
}

// doNotCreate puts a placeholder in the place of an absent row that may have expired, on condition that it is
// still absent. Processes whose clocks differ may disagree about that. Either the row is created first, and
// this process recomputes it, or the other process finds the placeholder. Each coarser row is folded after
// the placeholder was written, so it includes all events or is inexact.
func (r *recomputation) doNotCreate(ctx context.Context, old *rollup.Row,
	err error) (storage.WriteResult, error) {
	result := storage.Written
	if err == nil {
		if result, err = r.markShares(ctx, old); err == nil && result != storage.Written {
			return result, nil
		}
	}
	if err == nil && !r.bucket.options.DryRun && (old == nil || !old.Placeholder()) {
		now := r.agg.Now()
		row := &rollup.Row{Key: r.bucket.key, Fold: *rollup.NewFold(r.bucket.kind.Spec()), V: item.Version,
			WrittenAt: now, Empty: true}
		row.Exact, row.ChildrenExpireAt = false, 0
		row.ExpiresAt = r.placeholderExpiresAt(now)
		result, err = r.put(ctx, old, row)
	}
	if err == nil && result == storage.Written {
		r.counts.NotCreated++
	}
	return result, err
}

// placeholderExpiresAt returns when a placeholder that is written now expires. The coarser rows are folded
// within a day of it, unless they wait in the queue for the end of a tick: then it lives as long as a row,
// and settled takes an older low watermark for no proof.
func (r *recomputation) placeholderExpiresAt(now model.Time) int64 {
	if r.bucket.kind.Retention.LateEvery == 0 {
		return now.Add(tier.Day24).Seconds()
	}
	return r.bucket.tier().ExpiresAt(r.bucket.interval, now)
}

// mayHaveExpired reports whether the absent row may have existed and expired: a row created now from the
// events that are left would then be incomplete. That is so where the bucket ended longer ago than the least
// retention of its tier, and the next coarser row is sealed, or is absent and may have expired too. A coarser
// row that is not sealed proves that all its events still exist. A placeholder records that it was so before.
func (r *recomputation) mayHaveExpired(ctx context.Context, row *rollup.Row) (bool, error) {
	if row != nil && row.Placeholder() {
		return true, nil
	}
	policy := r.bucket.kind.Retention
	for level, b := r.bucket.level, r.bucket.interval; ; {
		if !pastRetention(policy.Tiers[level], b, r.agg.Now()) {
			return false, nil
		}
		parentLevel, parent, ok := parentBucket(policy, level, b)
		if !ok {
			return true, nil
		}
		row, err := r.parentRow(ctx, queue.RowKey(r.bucket.key.Series, parent))
		if err != nil {
			return false, err
		}
		if row != nil && (exists(row) || row.Placeholder()) {
			return item.SealedRow(row, r.agg.Now()), nil
		}
		settled, err := r.settled(ctx, parentLevel, parent, policy.Tiers[level].LeastRetention())
		if err != nil || !settled {
			return true, err // its row may not have been written yet: its absence proves nothing
		}
		level, b = parentLevel, parent
	}
}

// pastRetention reports whether a row of b, written when b ended, has expired by the
// least retention that its tier ever had, or will within tier.SealMargin.
func pastRetention(t tier.Tier, b tier.Bucket, now model.Time) bool {
	least := t.LeastRetention()
	return least != tier.Forever && b.End.Add(least) <= now.Add(tier.SealMargin)
}

// allChildrenExist reports whether no child of the bucket can have expired yet, by the least retention that
// an event or a finer row may have. The margin allows for the clock of the process that wrote the children.
func (r *recomputation) allChildrenExist() bool {
	b := r.bucket
	least := tier.MinRaw
	if level := b.kind.Retention.ChildLevel(b.level, b.interval); level >= 0 {
		least = b.kind.Retention.Tiers[level].LeastRetention()
	}
	return least == tier.Forever || b.childrenFrom().Add(least) > r.agg.Now().Add(2*tier.SealMargin)
}
