package aggregate

import (
	"context"
	"errors"
	"fmt"

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

// leaveOpen decides what happens to buckets that have changed. If the due time of a bucket lies ahead,
// leaveOpen makes sure of its invalidation and reads the clock again: only if the due time still lies ahead,
// the row and all coarser ones are left to the sweep that finds the invalidation. That sweep begins later in
// true time, so it reads the change. The other buckets are returned: the caller recomputes them, and after
// that calls leaveOpen for their parents. A bucket whose invalidation may not be stored fails, and is not
// returned. notBefore is a time that has passed.
func (a *Aggregator) leaveOpen(ctx context.Context, buckets []*dirtyBucket, due dueTime, notBefore model.Time,
	limits Limits, all *results) (closed []*dirtyBucket) {
	now := func() model.Time { return max(a.Now(), notBefore) }
	var open []*dirtyBucket
	var deferrals []queue.Deferral
	for _, b := range buckets {
		d := queue.Deferral{From: b.kind.Retention.Tiers[b.level].DeferredFrom}
		if d.Due, d.Key = due(b, now()), b.key; d.Due == model.MinTime {
			closed = append(closed, b)
			continue
		}
		d.Groups = storage.JoinGroups(b.groups.sorted())
		open, deferrals = append(open, b), append(deferrals, d)
	}
	ensured, err := a.ensureQueued(ctx, deferrals, now, limits, all)
	for n, b := range open {
		switch ensured.Decisions[n] {
		case queue.Left:
			all.count(Counts{Deferred: 1})
		case queue.Closed:
			closed = append(closed, b)
		case queue.Undecided:
			all.mu.Lock()
			all.failBucket(b, err)
			all.mu.Unlock()
		}
	}
	return closed
}

// ensureQueued makes sure of the invalidations of buckets, with a decision for each.
func (a *Aggregator) ensureQueued(
	ctx context.Context, buckets []queue.Deferral, now func() model.Time, limits Limits, all *results,
) (queue.Ensured, error) {
	if len(buckets) == 0 {
		return queue.Ensured{}, nil
	}
	store, err := a.queue()
	if err != nil {
		return queue.Ensured{Decisions: make([]queue.Decision, len(buckets))}, err
	}
	ensured, err := a.queued.Ensure(ctx, store, buckets, queue.Requests{
		Now: now, Retrier: a.retrier(), Parallel: limits.Concurrency,
	})
	counts := Counts{Invalidations: ensured.Puts, InvalidationReads: ensured.Reads}
	for _, result := range ensured.Results {
		counts.countResult(result)
	}
	all.count(counts)
	return ensured, err
}

// putInvalidation puts an invalidation once. A result that is unknown counts as not written.
func (a *Aggregator) putInvalidation(ctx context.Context, i storage.Invalidation,
	count func(Counts)) (storage.WriteResult, error) {
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
