package queue

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Requests are how requests are sent.
type Requests struct {
	Now      func() model.Time
	Retrier  retry.Retrier
	Parallel int // requests at the same time
}

// Decision is what is known of a bucket after Ensure.
type Decision int

const (
	// Undecided is the decision on a bucket whose invalidation may not be stored.
	Undecided Decision = iota
	// Closed is the decision on a bucket whose due time had passed: no sweep need find its invalidation.
	Closed
	// Left is the decision on a bucket whose invalidation is stored, and whose due time lay ahead after that:
	// it may be left to the sweep.
	Left
)

// Ensured is what Ensure did.
type Ensured struct {
	Decisions []Decision // of each bucket
	Reads     int        // invalidations that were read
	Puts      int        // invalidations that were put
	// Results has the result of each request that put.
	Results []storage.WriteResult
}

// Ensure makes sure of the invalidations of some different buckets: the process remembers them, reads them,
// or puts them into the queue shards that take them. The clock is read again after the reads and puts. An
// unknown result counts as not written, and a read that fails is followed by the put. With an error, some
// buckets are Undecided: the error is permanent, or the attempts or the time ran out.
func (m *Memory) Ensure(ctx context.Context, store Store, all []Deferral, r Requests) (Ensured, error) {
	e := ensuring{Memory: m, store: store, Requests: r, all: all}
	e.Decisions = make([]Decision, len(all))
	var cause error
	_, err := r.Retrier.Do(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		result, err := e.attempt(ctx)
		if errors.Is(err, ErrUnplaced) {
			cause = err
			return storage.Unknown, nil
		}
		return result, err
	})
	return e.Ensured, retry.WithCause(err, cause)
}

// ensuring is a running Ensure.
type ensuring struct {
	*Memory
	Requests
	Ensured
	store Store
	all   []Deferral
}

// attempt decides what can be decided by one attempt. The result is Written if all buckets are decided.
func (e *ensuring) attempt(ctx context.Context) (storage.WriteResult, error) {
	for {
		e.decideAtOnce()
		if !slices.Contains(e.Decisions, Undecided) {
			return storage.Written, nil
		}
		newest, err := e.known.newest(ctx, e.store, e.Now)
		if err != nil {
			return storage.Unknown, err
		}
		var these []storage.Invalidation // of undecided buckets
		var undecided []int
		for n, d := range e.all {
			if e.Decisions[n] == Undecided {
				d.Shard = newest.Shard(d.Key.Series)
				these, undecided = append(these, d.Invalidation), append(undecided, n)
			}
		}
		missing := e.read(ctx, these)
		result, left, err := e.putAll(ctx, missing)
		if e.known.younger(Lead, e.Now()) {
			for i, n := range undecided {
				if !left[these[i]] {
					e.decideStored(n)
				}
			}
			return result, err
		}
		if err != nil || result != storage.Written {
			return result, err
		}
		// suspended: the generation may be retired by now, and no sweep may find the invalidations
	}
}

// decideAtOnce decides the buckets that need no request.
func (e *ensuring) decideAtOnce() {
	now := e.Now()
	for n, d := range e.all {
		switch {
		case e.Decisions[n] != Undecided:
		case now >= d.Due:
			e.Decisions[n] = Closed
		case e.Has(d):
			e.Decisions[n] = Left
		}
	}
}

// decideStored decides a bucket whose invalidation is known to be stored.
func (e *ensuring) decideStored(n int) {
	e.Decisions[n] = Closed
	if at := e.Now(); at < e.all[n].Due {
		e.Decisions[n] = Left
		e.Add(e.all[n], at)
	}
}

// read returns the invalidations that are not stored, as far as can be known.
func (e *ensuring) read(ctx context.Context, these []storage.Invalidation) (missing []storage.Invalidation) {
	var mu sync.Mutex // guards stored
	stored := map[storage.Invalidation]bool{}
	e.inBatches(these, itemop.MaxBatchReads, func(some []storage.Invalidation) {
		found, err := e.store.StoredInvalidations(ctx, some)
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(stored, found)
		}
	})
	e.Reads += len(these)
	return lists.Filter(these, func(i storage.Invalidation) bool { return !stored[i] })
}

// putAll puts invalidations, and returns those that may not be stored, with a result that is Written if there
// are none. The error is permanent.
func (e *ensuring) putAll(
	ctx context.Context, these []storage.Invalidation,
) (worst storage.WriteResult, left map[storage.Invalidation]bool, failure error) {
	var mu sync.Mutex // guards what is returned, and Results
	left = map[storage.Invalidation]bool{}
	e.inBatches(these, itemop.MaxBatchWrites, func(some []storage.Invalidation) {
		result, unprocessed, err := put(ctx, e.store, some)
		mu.Lock()
		defer mu.Unlock()
		e.Results = append(e.Results, result)
		for _, i := range unprocessed {
			left[i] = true
		}
		if worst = max(worst, result); err != nil {
			failure = err
		}
	})
	e.Puts += len(these)
	return worst, left, failure
}

// inBatches calls send with batches of invalidations, some at the same time.
func (e *ensuring) inBatches(these []storage.Invalidation, size int, send func([]storage.Invalidation)) {
	var group errgroup.Group
	group.SetLimit(max(e.Parallel, 1))
	for some := range slices.Chunk(these, size) {
		group.Go(func() error {
			send(some)
			return nil
		})
	}
	_ = group.Wait() // none fails
}
