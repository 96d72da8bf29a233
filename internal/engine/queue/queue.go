// Package queue makes sure that the invalidation of an open bucket is stored, before a process leaves the
// bucket to the sweep that finds the invalidation. A process that remembers, reads or has put an
// invalidation, and then reads a clock before its due time, knows that the sweep begins later: only that
// sweep deletes it.
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
	// StoredInvalidations reads up to itemop.MaxBatchReads invalidations, eventually consistent, and returns
	// which are stored. The result may be out of date, and lacks what the table did not process. Each costs
	// half a read unit, a put one write unit.
	StoredInvalidations(ctx context.Context, these []storage.Invalidation) (map[storage.Invalidation]bool, error)
	// PutInvalidations stores up to itemop.MaxBatchWrites different invalidations, whether or not equal ones
	// are stored. Each is stored by itself: if the result is Written, left are those that the table did not
	// process. Otherwise any of them may be stored. It returns an error only for what a retry cannot repair.
	PutInvalidations(
		ctx context.Context, these []storage.Invalidation,
	) (left []storage.Invalidation, result storage.WriteResult, err error)
	// QueueConfig reads the generations of the queue, strongly consistent. There is always one.
	QueueConfig(ctx context.Context) (storage.QueueConfig, error)
}

// Deferral is a bucket that is left to a sweep.
type Deferral struct {
	storage.Invalidation
	// From is since when the bucket's tier is deferred, tier.Tier.DeferredFrom. The end of a deferral works
	// off invalidations that are not due yet, so one of an earlier deferral may not be stored any more.
	From model.Time
}

// Put puts an invalidation, whether or not it is stored, into the queue shard that takes it. The result is
// Written if a sweep finds it.
func (m *Memory) Put(
	ctx context.Context, store Store, i storage.Invalidation, now func() model.Time,
) (storage.WriteResult, error) {
	for {
		newest, err := m.known.newest(ctx, store, now)
		if err != nil {
			return storage.Unknown, err
		}
		i.Shard = newest.Shard(i.Key.Series)
		result, _, err := put(ctx, store, []storage.Invalidation{i})
		if err != nil || result != storage.Written || m.known.younger(Lead, now()) {
			return result, err
		}
	}
}

// put puts invalidations by one request. The result is Written only if all of them are stored; those in left
// may not be.
func put(
	ctx context.Context, store Store, these []storage.Invalidation,
) (result storage.WriteResult, left []storage.Invalidation, err error) {
	left, result, err = store.PutInvalidations(ctx, these)
	switch {
	case err != nil:
		first := these[0].Key
		return result, these, fmt.Errorf("put %d invalidations, the first of %s %s %s: %w",
			len(these), first.Series, first.Tier, first.Start, err)
	case result != storage.Written:
		return result, these, nil
	case len(left) > 0:
		return storage.Throttled, left, nil
	}
	return storage.Written, nil, nil
}

// ErrUnplaced is the error of an invalidation whose queue shard is not known. A repetition may know it.
var ErrUnplaced = errors.New("no queue shard")

// MaxRemembered bounds a Memory: about 10 MB.
const MaxRemembered = 50_000

// Memory remembers which invalidations this process knows to be stored. An invalidation that is forgotten is
// read again, which changes nothing. The zero value is ready to use. It is safe for concurrent use.
type Memory struct {
	known known

	mu     sync.Mutex // guards stored
	stored map[queued]deferred
}

// queued identifies an invalidation apart from its due time.
type queued struct {
	key    rollup.Key
	groups string
}

// deferred is a stored invalidation without its key and groups.
type deferred struct {
	due  model.Time
	from model.Time // Deferral.From
}

// Has reports whether the memory has an invalidation with the same due time, of the same deferral.
func (m *Memory) Has(d Deferral) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.stored[queued{d.Key, d.Groups}]
	return ok && known.due == d.Due && known.from == d.From
}

// Add remembers an invalidation. When the memory is full, it forgets the buckets that have closed, and
// everything
// if that is not enough.
func (m *Memory) Add(d Deferral, now model.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.stored) >= MaxRemembered {
		maps.DeleteFunc(m.stored, func(_ queued, known deferred) bool { return known.due <= now })
	}
	if len(m.stored) >= MaxRemembered || m.stored == nil {
		m.stored = map[queued]deferred{}
	}
	m.stored[queued{d.Key, d.Groups}] = deferred{due: d.Due, from: d.From}
}
