package aggregate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Rebuild is a range of a series to recompute. It needs no stream records: every bucket
// that has a child or a row is recomputed.
type Rebuild struct {
	Series model.Series
	// From and To bound the half-open range. It is extended to complete buckets; coarser
	// buckets that extend beyond it are recomputed too.
	From, To model.Time
	// Tier is the finest tier to recompute, from the rows of the tier below as they are
	// stored. Zero means the finest tier of the kind, from the events.
	Tier tier.Unit
	// Resumed says that From is the time that an earlier rebuild of the range reported to OnProgress.
	Resumed bool
	// Rate is how many buckets are recomputed a second, at most; zero sets no limit.
	Rate float64
	// OnProgress is called now and then with the start of what is left, and the counts so
	// far. A rebuild that is resumed there omits nothing. Nil is allowed.
	OnProgress func(next model.Time, soFar Counts)
	RepairOptions
}

// Rebuild recomputes every bucket of the range, each tier before the next coarser one.
// Its writes are conditional like all others, so it is safe at any time, repeatedly, and
// during live traffic. A bucket whose stored items are of a newer version is skipped and
// named in the report's failures. A kind without tiers has nothing to rebuild. Any other failure ends the
// rebuild with an error; what was reported to OnProgress by then is done.
func (a *Aggregator) Rebuild(ctx context.Context, request Rebuild) (Report, error) {
	r, err := a.newRebuild(request)
	if err == nil && r != nil {
		err = r.run(ctx)
	}
	if err != nil {
		err = fmt.Errorf("rebuild %s: %w", request.Series, err)
	}
	if r == nil {
		return Report{}, err
	}
	return r.results.finish(a.Now()), err
}

// rebuildRun is a running rebuild. It goes through the buckets of the lowest level in
// order of time, and recomputes a coarser bucket as soon as it has passed its end.
type rebuildRun struct {
	agg      *Aggregator
	request  Rebuild
	from, to model.Time // the range, extended to complete buckets
	kind     *catalog.Kind
	lowest   int // the finest level that is recomputed
	limits   Limits

	cursors    []*cursor   // of what the lowest level is folded from, and of its own rows
	coarser    []*cursor   // rows of each level above the lowest, by level
	pending    []bucketSet // coarser buckets to recompute once passed, by level
	began      model.Time
	recomputed int
	results    results
}

// bucketSet is buckets by their start.
type bucketSet map[model.Time]tier.Bucket

func (a *Aggregator) newRebuild(request Rebuild) (*rebuildRun, error) {
	kind, known := a.Catalog.Kind(request.Series.Kind)
	if !known {
		return nil, fmt.Errorf("kind %q is not in the catalog: use the tidemark.yaml that declares it",
			request.Series.Kind)
	}
	lowest, err := levelIndex(kind.Retention, request.Tier)
	if err != nil || len(kind.Retention.Tiers) == 0 {
		return nil, err
	}
	request.Series = request.Series.WithoutShard()
	r := &rebuildRun{agg: a, request: request, kind: kind, lowest: lowest, limits: a.Limits.withDefaults(),
		began: a.Now()}
	r.extendRange()
	for _, s := range kind.SourceSeries(request.Series) {
		r.cursors = append(r.cursors, r.events(s))
	}
	r.coarser = make([]*cursor, len(kind.Retention.Tiers))
	r.pending = make([]bucketSet, len(kind.Retention.Tiers))
	for level, t := range kind.Retention.Tiers {
		if level <= lowest {
			r.cursors = append(r.cursors, r.rows(t.Unit, r.from))
			continue
		}
		r.pending[level] = bucketSet{}
		parent := t.Unit.BucketAt(r.from)
		r.coarser[level] = r.rows(t.Unit, parent.Start)
		if request.Resumed {
			r.enqueue(level, parent)
		}
	}
	return r, nil
}

// extendRange extends the range to complete buckets of the lowest level.
func (r *rebuildRun) extendRange() {
	unit := r.kind.Retention.Tiers[r.lowest].Unit
	r.from = unit.BucketAt(max(r.request.From, model.MinTime)).Start
	r.to = min(r.request.To, model.MaxTime+1)
	if last := unit.BucketAt(r.to); last.Start < r.to {
		r.to = last.End
	}
}

// run recomputes some buckets at a time. It reports progress when these are done, and
// every coarser bucket that ends before the next one.
func (r *rebuildRun) run(ctx context.Context) error {
	for next := r.from; ; {
		buckets, err := r.nextBuckets(ctx, next)
		if err != nil {
			return err
		}
		if err := r.recompute(ctx, r.lowest, buckets); err != nil {
			return err
		}
		end := len(buckets) == 0
		if !end {
			next = buckets[len(buckets)-1].End
		}
		if err := r.recomputeCoarser(ctx, next, end); err != nil || end {
			return err
		}
		if r.request.OnProgress != nil {
			r.request.OnProgress(next, r.results.report.Counts)
		}
	}
}

// nextBuckets returns the next buckets of the lowest level that have a child or a row.
func (r *rebuildRun) nextBuckets(ctx context.Context, from model.Time) ([]tier.Bucket, error) {
	unit, most := r.kind.Retention.Tiers[r.lowest].Unit, 4*r.limits.Concurrency
	if r.request.Rate > 0 {
		most = max(1, min(most, int(r.request.Rate)))
	}
	var all []tier.Bucket
	for len(all) < most {
		at, ok, err := earliest(ctx, r.cursors, from)
		if err != nil || !ok {
			return all, err
		}
		b := unit.BucketAt(at)
		all, from = append(all, b), b.End
	}
	return all, nil
}

// recomputeCoarser recomputes the coarser buckets that end at or before next, finer
// tiers first; at the end of the range, all of them.
func (r *rebuildRun) recomputeCoarser(ctx context.Context, next model.Time, end bool) error {
	before := next
	if end {
		before = r.to
	}
	for level := r.lowest + 1; level < len(r.pending); level++ {
		if err := r.enqueueStored(ctx, level, before); err != nil {
			return err
		}
		var ready []tier.Bucket
		for _, start := range slices.Sorted(maps.Keys(r.pending[level])) {
			if b := r.pending[level][start]; end || b.End <= next {
				ready = append(ready, b)
				delete(r.pending[level], start)
			}
		}
		if err := r.recompute(ctx, level, ready); err != nil {
			return err
		}
	}
	return nil
}

// enqueueStored enqueues the rows of a coarser level that start before a time, because a
// row may have no children left.
func (r *rebuildRun) enqueueStored(ctx context.Context, level int, before model.Time) error {
	for c := r.coarser[level]; ; {
		at, ok, err := c.next(ctx, c.at)
		if err != nil || !ok || at >= before {
			return err
		}
		b := r.kind.Retention.Tiers[level].Unit.BucketAt(at)
		r.enqueue(level, b)
		c.at = b.End
	}
}

func (r *rebuildRun) enqueue(level int, b tier.Bucket) { r.pending[level][b.Start] = b }

// recompute recomputes buckets of one level, and enqueues the parent of each.
func (r *rebuildRun) recompute(ctx context.Context, level int, intervals []tier.Bucket) error {
	policy := r.kind.Retention
	buckets := make([]*dirtyBucket, 0, len(intervals))
	for _, b := range intervals {
		if parentLevel, parent, ok := parentBucket(policy, level, b); ok {
			r.enqueue(parentLevel, parent)
		}
		if policy.Tiers[level].HasRow(b) {
			buckets = append(buckets,
				&dirtyBucket{key: queue.RowKey(r.request.Series, b), interval: b, kind: r.kind, level: level,
					alwaysWrite: true, repair: true, options: r.request.RepairOptions.forBucket(policy, level, r.lowest, b)})
		}
	}
	if level == r.lowest && len(intervals) > 0 && !r.request.DryRun {
		s := &seen{series: r.request.Series, unit: seenUnit(policy), first: intervals[0].Start,
			last: intervals[len(intervals)-1].Start}
		if _, err := r.agg.list(ctx, []*seen{s}, r.limits, &r.results); err != nil {
			return err
		}
	}
	if err := r.recomputeLeft(ctx, buckets); err != nil {
		return err
	}
	return r.recomputeEach(ctx, buckets)
}

// recomputeEach recomputes buckets, at the rate of the rebuild.
func (r *rebuildRun) recomputeEach(ctx context.Context, buckets []*dirtyBucket) error {
	before := len(r.results.report.Failures)
	r.agg.recomputeAll(ctx, buckets, r.limits, &r.results)
	for _, f := range r.results.report.Failures[before:] {
		if !errors.Is(f.Err, item.ErrNewer) {
			r.results.report.Failures = r.results.report.Failures[:before]
			return f.Err
		}
	}
	r.recomputed += len(buckets)
	return r.pace(ctx)
}

// pace waits until the rate allows the next recomputation.
func (r *rebuildRun) pace(ctx context.Context) error {
	if err := ctx.Err(); err != nil || r.request.Rate <= 0 {
		return err
	}
	due := time.Duration(float64(r.recomputed) / r.request.Rate * float64(time.Second))
	if early := due - r.agg.Now().Sub(r.began); early > 0 {
		return retry.Retrier{Sleep: r.agg.Sleep}.Wait(ctx, early)
	}
	return nil
}
