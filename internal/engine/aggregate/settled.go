package aggregate

import (
	"context"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// settled reports whether an absent row was never written. That is known if the bucket closed before the low
// watermark of its queue shard, and children that may be in no row are still stored, even with the least
// retention: each change is then in a row or among the children. A late change may wait in the queue, so a
// low watermark that is nearly as old as a child's retention proves nothing. A bucket of an immediate tier is
// always settled.
func (r *recomputation) settled(ctx context.Context, level int, b tier.Bucket,
	least time.Duration) (bool, error) {
	series := r.bucket.key.Series
	closes := r.bucket.kind.Retention.ClosesAt(level, b, series)
	if closes == model.MinTime {
		return true, nil
	}
	through, err := r.agg.lowWatermarks(ctx, r.agg.Now())
	swept := through.For(series)
	stored := r.bucket.kind.Retention.LateEvery == 0 || least == tier.Forever ||
		r.agg.Now() < swept.Add(least-StreamRetention-2*tier.SealMargin)
	return closes <= swept && stored, err
}

// mayMissChildren reports whether children of an absent row may have expired before they
// were folded: no sweep has settled the bucket so far, and the first child may be about
// to expire. Children that wait in the queue may have a shorter retention than the children of a row.
func (r *recomputation) mayMissChildren(ctx context.Context, row *rollup.Row) (bool, error) {
	b := r.bucket
	if !b.tier().Deferred || exists(row) && b.kind.Retention.LateEvery == 0 || !r.childrenMayExpire() {
		return false, nil
	}
	if b.foldsShares() {
		// a straggler's share may have expired in the queue, whatever the low watermark says
		return !exists(row), nil
	}
	settled, err := r.settled(ctx, b.level, b.interval, r.leastOfChildren())
	return !settled, err
}

// childrenMayExpire reports whether a child of the bucket may have expired, or may within
// tier.SealMargin, by the least retention that it may have.
func (r *recomputation) childrenMayExpire() bool {
	least := r.leastOfChildren()
	return least != tier.Forever &&
		r.bucket.childrenFrom().Add(least-storage.MaxClockAhead) <= r.agg.Now().Add(tier.SealMargin)
}

// childrenFrom returns the time of the first child that the bucket may be folded from.
func (b *dirtyBucket) childrenFrom() model.Time {
	if b.kind.Retention.ChildLevel(b.level, b.interval) >= 0 {
		return b.interval.Start
	}
	return b.interval.Start.Add(-b.kind.SessionGap())
}

// leastOfChildren returns the least retention that a child of the bucket may have.
func (r *recomputation) leastOfChildren() time.Duration {
	policy := r.bucket.kind.Retention
	if level := policy.ChildLevel(r.bucket.level, r.bucket.interval); level >= 0 {
		return policy.Tiers[level].LeastRetention()
	}
	return policy.LeastRawRetention()
}

// lowWatermarks reads the low watermarks, or returns the result of a recent read.
func (a *Aggregator) lowWatermarks(ctx context.Context, now model.Time) (storage.LowWatermarks, error) {
	a.mu.Lock()
	recent, at := a.sweeps, a.sweepsAt
	a.mu.Unlock()
	if recent.Known() && now >= at && now.Sub(at) < storage.WatermarkAge {
		return recent, nil
	}
	queue, err := a.queue()
	if err != nil {
		return storage.LowWatermarks{}, err
	}
	all, err := queue.Sweeps(ctx)
	if err != nil {
		return storage.LowWatermarks{}, readError("read low watermarks", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sweeps, a.sweepsAt = all, now
	return all, nil
}
