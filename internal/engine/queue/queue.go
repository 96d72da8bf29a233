// Package queue makes sure that the invalidation of an open bucket is stored, before a process leaves the bucket
// to the sweep that finds the invalidation. A process that remembers, reads or has put an invalidation, and then
// reads a clock before its due time, knows that the sweep begins later: only that sweep deletes it.
package queue

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Store stores invalidations. Each method is one request. Implementations are safe for concurrent use.
type Store interface {
	// HasInvalidation reports whether an invalidation is stored, eventually consistent: the result may be out
	// of date. It costs half a read unit, a put one write unit.
	HasInvalidation(ctx context.Context, i storage.Invalidation) (bool, error)
	// PutInvalidation stores an invalidation, whether or not an equal one is stored. It returns an error only
	// for what a retry cannot repair.
	PutInvalidation(ctx context.Context, i storage.Invalidation) (storage.WriteResult, error)
	// QueueConfig reads the generations of the queue, strongly consistent. There is always one.
	QueueConfig(ctx context.Context) (storage.QueueConfig, error)
}

// Deferral is a bucket that is left to a sweep.
type Deferral struct {
	storage.Invalidation
	// From is since when the bucket's tier is deferred, tier.Tier.DeferredFrom. The end of a deferral works off
	// invalidations that are not due yet, so one of an earlier deferral may not be stored any more.
	From model.Time
}

// Attempt is what one attempt to make sure of an invalidation did.
type Attempt struct {
	// Left reports that the invalidation is stored, and that its due time lay ahead after that: the bucket may
	// be left to the sweep.
	Left  bool
	Reads int // requests
	Puts  int // requests
	// Result is the result of the put; Written if none was necessary.
	Result storage.WriteResult
}

// Ensure makes sure of an invalidation once: the process remembers it, reads it, or puts it into the queue
// shard that takes it. now is read again after a read or a put. An unknown result counts as not written. A
// read that fails is followed by the put. A failed put is an error, and a failed read of the generations is
// ErrUnplaced.
func (m *Memory) Ensure(
	ctx context.Context, store Store, d Deferral, now func() model.Time,
) (a Attempt, err error) {
	for {
		a.Result = storage.Written
		switch {
		case now() >= d.Due:
			return a, nil
		case m.has(d):
			a.Left = true
			return a, nil
		}
		i, err := m.known.placed(ctx, store, d.Invalidation, now)
		if err != nil {
			return a, fmt.Errorf("%w: read the generations of the queue: %w", ErrUnplaced, err)
		}
		a.Reads++
		stored, err := store.HasInvalidation(ctx, i)
		if err != nil || !stored {
			a.Puts++
			if a.Result, err = store.PutInvalidation(ctx, i); err != nil {
				return a, putError(i, err)
			}
			stored = a.Result == storage.Written
		}
		at := now()
		if stored && !m.known.younger(Lead, at) {
			continue // suspended: the generation may be retired by now, and no sweep may find the invalidation
		}
		if a.Left = stored && at < d.Due; a.Left {
			m.add(d, at)
		}
		return a, nil
	}
}

// Put puts an invalidation, whether or not it is stored, into the queue shard that takes it. The result is
// Written if a sweep finds it.
func (m *Memory) Put(
	ctx context.Context, store Store, i storage.Invalidation, now func() model.Time,
) (storage.WriteResult, error) {
	for {
		placed, err := m.known.placed(ctx, store, i, now)
		if err != nil {
			return storage.Unknown, fmt.Errorf("%w: read the generations of the queue: %w", ErrUnplaced, err)
		}
		result, err := store.PutInvalidation(ctx, placed)
		switch {
		case err != nil:
			return result, putError(placed, err)
		case result != storage.Written || m.known.younger(Lead, now()):
			return result, nil
		}
	}
}

// ErrUnplaced is the error of an invalidation whose queue shard is not known. A repetition may know it.
var ErrUnplaced = errors.New("no queue shard")

func putError(i storage.Invalidation, err error) error {
	return fmt.Errorf("put invalidation of %s %s %s: %w", i.Key.Series, i.Key.Tier, i.Key.Start, err)
}

// MaxRemembered bounds a Memory: about 10 MB.
const MaxRemembered = 50_000

// Memory remembers which invalidations this process knows to be stored. An invalidation that is forgotten is read
// again, which changes nothing. The zero value is ready to use. It is safe for concurrent use.
type Memory struct {
	known known

	mu     sync.Mutex // guards stored
	stored map[rollup.Key]deferred
}

// deferred is a stored invalidation without its key.
type deferred struct {
	due  model.Time
	from model.Time // Deferral.From
}

// has reports whether the memory has an invalidation with the same due time, of the same deferral.
func (m *Memory) has(d Deferral) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.stored[d.Key]
	return ok && known.due == d.Due && known.from == d.From
}

// add remembers an invalidation. When the memory is full, it forgets the buckets that have closed, and everything
// if that is not enough.
func (m *Memory) add(d Deferral, now model.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.stored) >= MaxRemembered {
		maps.DeleteFunc(m.stored, func(_ rollup.Key, known deferred) bool { return known.due <= now })
	}
	if len(m.stored) >= MaxRemembered || m.stored == nil {
		m.stored = map[rollup.Key]deferred{}
	}
	m.stored[d.Key] = deferred{due: d.Due, from: d.From}
}
