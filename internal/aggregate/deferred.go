package aggregate

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// closesAt returns the time until which the bucket can be left to a sweep: its closing time;
// MinTime in a tier that is immediate, or not deferred yet.
func (b *dirtyBucket) closesAt(now model.Time) model.Time {
	if now < b.tier().DeferredFrom {
		return model.MinTime
	}
	return b.kind.Retention.ClosesAt(b.level, b.interval, b.key.Series)
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

// step decides what happens to a bucket that has changed. If its due time lies ahead, step puts its
// invalidation and reads the clock again: only if the due time still lies ahead, the row and all coarser ones
// are left to the sweep that finds the invalidation. That sweep begins later in true time, so it reads the
// change. Otherwise the caller recomputes the bucket, and calls step for the parent bucket after that.
func (a *Aggregator) step(ctx context.Context, b *dirtyBucket, due dueTime, notBefore model.Time, all *results) (left bool, err error) {
	closes := due(b, max(a.Now(), notBefore))
	open := func() bool { return max(a.Now(), notBefore) < closes }
	err = a.untilWritten(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		switch {
		case !open():
			return storage.Written, nil
		case a.puts.has(b.key, closes):
			left = true
			return storage.Written, nil
		}
		result, err := a.putInvalidation(ctx, entity.Invalidation{Due: closes, Key: b.key}, all.count)
		if left = err == nil && result == storage.Written && open(); left {
			a.puts.add(b.key, closes, a.Now())
		}
		return result, err
	})
	if left && err == nil {
		all.count(Counts{Deferred: 1})
	}
	return left && err == nil, err
}

// putInvalidation puts an invalidation once. A result that is unknown counts as not written.
func (a *Aggregator) putInvalidation(ctx context.Context, i entity.Invalidation, count func(Counts)) (storage.WriteResult, error) {
	queue, err := a.queue()
	if err != nil {
		return 0, err
	}
	result, err := queue.PutInvalidation(ctx, i)
	if err != nil {
		return 0, fmt.Errorf("put invalidation of %s %s %s: %w", i.Key.Series, i.Key.Tier, i.Key.Start, err)
	}
	counts := Counts{Invalidations: 1}
	counts.countResult(result)
	count(counts)
	return result, nil
}

// queue returns the store's queue. A store that has deferred kinds must have one.
func (a *Aggregator) queue() (InvalidationStore, error) {
	queue, ok := a.Store.(InvalidationStore)
	if !ok {
		return nil, fmt.Errorf("the store %T has no queue of invalidations, which deferred tiers require", a.Store)
	}
	return queue, nil
}

// maxPuts bounds the memory of puts: about 10 MB.
const maxPuts = 50_000

// putMemory remembers which invalidations this process has put. An invalidation that is
// forgotten is put again, which changes nothing. The zero value is ready to use.
type putMemory struct {
	mu  sync.Mutex                // guards due
	due map[rollup.Key]model.Time // closing time by row
}

func (m *putMemory) has(key rollup.Key, closes model.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	due, put := m.due[key]
	return put && due == closes
}

// add remembers a put. When the memory is full, it forgets the buckets that have closed,
// and everything if that is not enough.
func (m *putMemory) add(key rollup.Key, closes, now model.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.due) >= maxPuts {
		maps.DeleteFunc(m.due, func(_ rollup.Key, due model.Time) bool { return due <= now })
	}
	if len(m.due) >= maxPuts || m.due == nil {
		m.due = map[rollup.Key]model.Time{}
	}
	m.due[key] = closes
}
