package aggregate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ClockMargin is how long after its due time an invalidation is worked off. Each clock
// must be within half of it of true time: then the sweep begins later, in true time, than
// every process that left the bucket to it.
const ClockMargin = 2 * time.Minute

// SweepReport is the outcome of a sweep of one queue shard.
type SweepReport struct {
	Report
	Swept int // invalidations worked off
	Left  int // invalidations that were found and are left; the next sweep finds them again
	// Through is the low watermark that the sweep wrote, or that is stored already or later.
	Through model.Time
}

// Sweep recomputes the rows of the buckets of a queue shard that have closed, and advances
// the shard's low watermark. Any number of sweeps may run at the same time, and any may
// stop anywhere: an invalidation is deleted after its row is written. When ctx ends, the
// rest is left to the next sweep. The error is that of a read or of the watermark's
// write; rows that could not be written are failures of the report, by the index of the
// invalidation.
func (a *Aggregator) Sweep(ctx context.Context, shard int) (SweepReport, error) {
	limit := a.Now().Add(-ClockMargin)
	s := &sweep{agg: a, limits: a.Limits.withDefaults(), reached: model.MinTime, through: limit}
	err := s.pages(ctx, shard, limit)
	s.report.Report = s.all.finish(a.Now())
	if err == nil || s.reached > model.MinTime {
		err = errors.Join(err, s.advance(ctx, shard))
	}
	if err != nil {
		return s.report, fmt.Errorf("sweep queue shard %d: %w", shard, err)
	}
	return s.report, nil
}

// Drain works off every invalidation of tiers that are not deferred any more, also those that
// are not due. Call it for each queue shard when no process leaves buckets of these tiers to
// a sweep: then readers may use the rows of all their buckets. It leaves the low watermark
// as it is.
func (a *Aggregator) Drain(ctx context.Context, shard int) (SweepReport, error) {
	s := &sweep{agg: a, limits: a.Limits.withDefaults(), drain: true}
	err := s.pages(ctx, shard, model.MaxTime)
	s.report.Report = s.all.finish(a.Now())
	if err != nil {
		return s.report, fmt.Errorf("drain queue shard %d: %w", shard, err)
	}
	return s.report, nil
}

// sweep is a running sweep.
type sweep struct {
	agg    *Aggregator
	limits Limits
	drain  bool
	all    results

	reached model.Time // due time of the last invalidation that was read

	mu      sync.Mutex // guards what follows
	report  SweepReport
	through model.Time // before the first invalidation that is left
}

// pages works off the invalidations that are due up to a time, in order of their due
// times.
func (s *sweep) pages(ctx context.Context, shard int, dueUpTo model.Time) error {
	queue, err := s.agg.queue()
	if err != nil {
		return err
	}
	for after, more := "", true; more; more = after != "" {
		page, err := queue.Invalidations(ctx, shard, dueUpTo, after)
		if err != nil {
			s.through = min(s.through, s.reached-1)
			return readError("read invalidations", err)
		}
		s.all.count(Counts{Reads: 1})
		var group errgroup.Group
		group.SetLimit(s.limits.Concurrency)
		for _, i := range page.Invalidations {
			if s.drain && !s.ended(i) {
				continue
			}
			group.Go(func() error {
				s.done(i, s.workOff(ctx, queue, i))
				return nil
			})
		}
		_ = group.Wait() // errors are in the results
		if n := len(page.Invalidations); n > 0 {
			s.reached = page.Invalidations[n-1].Due
		}
		after = page.Next
	}
	return nil
}

// done records whether an invalidation was worked off.
func (s *sweep) done(i entity.Invalidation, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.report.Swept++
		return
	}
	s.all.addFailure(s.report.Left, err)
	s.report.Left++
	s.through = min(s.through, i.Due-1)
}

// workOff recomputes the bucket of an invalidation, and each coarser one up to the first
// that is open, and then deletes the invalidation. One that can never be worked off is
// quarantined, so that it does not hold back the low watermark.
func (s *sweep) workOff(ctx context.Context, queue InvalidationStore, i entity.Invalidation) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	reason := error(nil)
	if b, err := s.bucketOf(i); err != nil {
		reason = err
	} else if err := s.recompute(ctx, b); permanent(ctx, err) {
		reason = err
	} else if err != nil {
		return err
	}
	if reason != nil {
		if err := s.agg.Quarantine(ctx, unsweepable(i, reason)); err != nil {
			return err
		}
		s.all.count(Counts{Quarantined: 1})
	}
	return s.agg.untilWritten(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		return queue.DeleteInvalidation(ctx, i)
	})
}

// bucketOf returns the bucket of an invalidation.
func (s *sweep) bucketOf(i entity.Invalidation) (*dirtyBucket, error) {
	kind, found := s.agg.Catalog.Kind(i.Key.Series.Kind)
	if !found {
		return nil, fmt.Errorf("kind %q is not in the catalog: declare it in tidemark.yaml, deploy, and rebuild the range", i.Key.Series.Kind)
	}
	unit, err := tier.ParseUnit(i.Key.Tier)
	if err != nil {
		return nil, err
	}
	level, err := levelOf(kind.Retention, unit)
	if err != nil {
		return nil, err
	}
	return sweptBucket(kind, level, unit.BucketOf(i.Key.Start), i.Key.Series), nil
}

// ended reports whether the tier of an invalidation was deferred and is not any more: no
// process puts or remembers the invalidation again.
func (s *sweep) ended(i entity.Invalidation) bool {
	b, err := s.bucketOf(i)
	return err == nil && (!b.tier().Deferred || b.tier().DeferredFrom == model.MaxTime)
}

// recompute recomputes a bucket, always from its first child and always writing, and its
// parents by the rule of step.
func (s *sweep) recompute(ctx context.Context, b *dirtyBucket) error {
	for {
		if b.tier().HasRow(b.interval) {
			r := &recomputation{agg: s.agg, bucket: b, limits: s.limits}
			err := r.run(ctx)
			s.all.add(r, nil)
			if err != nil {
				return err
			}
		}
		level, parent, ok := parentOf(b.kind.Retention, b.level, b.interval)
		if !ok {
			return nil
		}
		b = sweptBucket(b.kind, level, parent, b.key.Series)
		if left, err := s.agg.step(ctx, b, model.MinTime, &s.all); left || err != nil {
			return err
		}
	}
}

// timeToAdvance is how long the write of the low watermark may take after ctx has ended:
// what was worked off in time counts.
const timeToAdvance = time.Second

// advance stores the low watermark. One that is stored already, and not earlier, stays.
func (s *sweep) advance(ctx context.Context, shard int) error {
	s.report.Through = s.through
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), timeToAdvance)
		defer cancel()
	}
	queue, err := s.agg.queue()
	if err != nil {
		return err
	}
	return s.agg.untilWritten(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		result, err := queue.AdvanceSweep(ctx, shard, s.through)
		if result == storage.ConditionFailed {
			result = storage.Written
		}
		return result, err
	})
}

// permanent reports whether a recomputation failed with an error that a later sweep would
// meet again. A row of a newer version waits for the program that knows it.
func permanent(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && !errors.Is(err, errTransient) && !errors.Is(err, retry.ErrUndecided) && !errors.Is(err, item.ErrNewer)
}

// unsweepable returns the quarantined form of an invalidation that cannot be worked off.
func unsweepable(i entity.Invalidation, reason error) entity.Quarantined {
	payload, _ := json.Marshal(map[string]string{ // strings only: it cannot fail
		"what":    "invalidation",
		"subject": i.Key.Series.Subject.String(),
		"kind":    i.Key.Series.Kind,
		"stream":  i.Key.Series.Stream,
		"tier":    i.Key.Tier,
		"start":   i.Key.Start.String(),
	})
	return entity.Quarantined{
		ID:      tablekeys.Invalidation(i).SK,
		Subject: i.Key.Series.Subject,
		Reason:  reason.Error(),
		Payload: payload,
	}
}
