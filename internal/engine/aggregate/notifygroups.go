package aggregate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// notifyGroups makes sure that the sweep of groups folds the bucket of each known group after the shares
// that were written. It returns Written, or an error.
func (r *recomputation) notifyGroups(ctx context.Context) (storage.WriteResult, error) {
	for _, name := range slices.Sorted(maps.Keys(r.shares)) {
		s := r.shares[name]
		notify := r.agg.notifyGroup
		if r.bucket.swept {
			notify = r.agg.notifySweptGroup
		}
		if err := notify(ctx, s, r.bucket, func(c Counts) { r.counts.Add(&c) }); err != nil {
			return 0, err
		}
	}
	return storage.Written, nil
}

// groupBucket returns the deferral of a group's bucket until it closes, at least.
func groupBucket(s share, b *dirtyBucket) queue.Deferral {
	var d queue.Deferral
	d.Key = s.key
	d.Key.Member = ""
	_, level, _ := s.kind.Retention.Find(b.interval.Unit) // groupKinds found it
	d.Due = s.kind.Retention.ClosesAt(level, b.interval, d.Key.Series)
	return d
}

// notifySweptGroup is notifyGroup for a sweep. It looks at no clock: the sweep of groups works off nothing
// that is due later than what this sweep works off, until this sweep is done.
func (a *Aggregator) notifySweptGroup(ctx context.Context, s share, b *dirtyBucket,
	count func(Counts)) error {
	d := groupBucket(s, b)
	d.Due = max(d.Due, b.workedOff)
	if a.queued.Has(d) {
		return nil
	}
	result, err := a.putInvalidation(ctx, d.Invalidation, count)
	if err == nil && result != storage.Written {
		return fmt.Errorf("%w: put the invalidation of a group: %s", errTransient, result)
	}
	if err == nil {
		a.queued.Add(d, a.Now())
	}
	return err
}

// notifyGroup puts the invalidation of a group's bucket, due at the end of the present tick or when the
// bucket closes. If the clock has passed that after the put, it is put again.
func (a *Aggregator) notifyGroup(ctx context.Context, s share, b *dirtyBucket, count func(Counts)) error {
	store, err := a.queue()
	if err != nil {
		return err
	}
	closes, every := groupBucket(s, b), model.Time(s.kind.Retention.LateEvery.Milliseconds())
	for {
		now, d := a.Now(), closes
		d.Due = max(d.Due, now-now%every+every)
		ensured, err := a.queued.Ensure(ctx, store, []queue.Deferral{d}, queue.Requests{Now: a.Now,
			Retrier: a.retrier(), Parallel: 1})
		counts := Counts{Invalidations: ensured.Puts, InvalidationReads: ensured.Reads}
		for _, result := range ensured.Results {
			counts.countResult(result)
		}
		count(counts)
		if err != nil || ensured.Decisions[0] == queue.Left {
			return queueError(err)
		}
	}
}
