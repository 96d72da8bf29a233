package aggregate

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// closesAt returns the time until which the bucket can be left to a sweep: its closing time;
// MinTime in a tier that is immediate, or not deferred yet.
func (b *dirtyBucket) closesAt(now model.Time) model.Time {
	return queue.ClosesAt(b.kind.Retention, b.level, b.interval, b.key.Series, now)
}

// dueAt returns the time until which a change of the bucket can be left to a sweep: its closing
// time, or, if it closed longer ago than a tick of late changes, the end of the present tick.
func (b *dirtyBucket) dueAt(now model.Time) model.Time {
	closes, every := b.closesAt(now), b.kind.Retention.LateEvery
	if every == 0 || closes == model.MinTime || now < closes.Add(every) {
		return closes
	}
	return now - now%model.Time(every.Milliseconds()) + model.Time(every.Milliseconds())
}

// sweptAt is closesAt for a sweep: a bucket whose invalidation is worked off is not left.
func (b *dirtyBucket) sweptAt(now model.Time) model.Time {
	if b.due {
		return model.MinTime
	}
	return b.closesAt(now)
}

// dueTime is dueAt or sweptAt.
type dueTime func(*dirtyBucket, model.Time) model.Time

// leaveOpen leaves the open ones of some buckets to a sweep, and returns the others: they
// are recomputed now. notBefore is a time that has passed. A bucket whose invalidation
// could not be stored fails, and is not returned.
func (a *Aggregator) leaveOpen(ctx context.Context, buckets []*dirtyBucket, due dueTime, notBefore model.Time, limits Limits, all *results) (closed []*dirtyBucket) {
	var mu sync.Mutex // guards closed
	var group errgroup.Group
	group.SetLimit(limits.Concurrency)
	now := a.Now()
	for _, b := range buckets {
		if due(b, now) == model.MinTime {
			mu.Lock()
			closed = append(closed, b)
			mu.Unlock()
			continue
		}
		group.Go(func() error {
			left, err := a.step(ctx, b, due, notBefore, all)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				all.mu.Lock()
				defer all.mu.Unlock()
				all.failBucket(b, err)
			} else if !left {
				closed = append(closed, b)
			}
			return nil
		})
	}
	_ = group.Wait() // errors are in the results
	return closed
}

// step decides what happens to a bucket that has changed. If its due time lies ahead, step makes sure of its
// invalidation and reads the clock again: only if the due time still lies ahead, the row and all coarser ones
// are left to the sweep that finds the invalidation. That sweep begins later in true time, so it reads the
// change. Otherwise the caller recomputes the bucket, and calls step for the parent bucket after that.
func (a *Aggregator) step(ctx context.Context, b *dirtyBucket, due dueTime, notBefore model.Time, all *results) (left bool, err error) {
	now := func() model.Time { return max(a.Now(), notBefore) }
	i := queue.Deferral{From: b.kind.Retention.Tiers[b.level].DeferredFrom}
	i.Due, i.Key = due(b, now()), b.key
	err = a.untilWritten(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		store, err := a.queue()
		if err != nil {
			return 0, err
		}
		attempt, err := a.queued.Ensure(ctx, store, i, now)
		left = attempt.Left && err == nil
		counts := Counts{Invalidations: attempt.Puts, InvalidationReads: attempt.Reads}
		counts.countResult(attempt.Result)
		all.count(counts)
		return attempt.Result, queueError(err)
	})
	if left && err == nil {
		all.count(Counts{Deferred: 1})
	}
	return left && err == nil, err
}

// putInvalidation puts an invalidation once. A result that is unknown counts as not written.
func (a *Aggregator) putInvalidation(ctx context.Context, i storage.Invalidation, count func(Counts)) (storage.WriteResult, error) {
	store, err := a.queue()
	if err != nil {
		return 0, err
	}
	result, err := a.queued.Put(ctx, store, i, a.Now)
	if err != nil {
		return 0, queueError(err)
	}
	counts := Counts{Invalidations: 1}
	counts.countResult(result)
	count(counts)
	return result, nil
}

// queueError makes the error of a read of the queue's generations transient, as every read's is.
func queueError(err error) error {
	if errors.Is(err, queue.ErrUnplaced) {
		return readError("place an invalidation", err)
	}
	return err
}

// queue returns the store's queue. A store that has deferred kinds must have one.
func (a *Aggregator) queue() (InvalidationStore, error) {
	queue, ok := a.Store.(InvalidationStore)
	if !ok {
		return nil, fmt.Errorf("the store %T has no queue of invalidations, which deferred tiers require", a.Store)
	}
	return queue, nil
}
