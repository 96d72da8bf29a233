package simulation

import (
	"context"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// withoutQueue leaves the queue to the aggregator.
func withoutQueue(_ *world, s *ingest.Service) { s.Queue = nil }

// withoutSessions makes sure of the buckets of events, not of their sessions.
func withoutSessions(w *world, s *ingest.Service) { s.Queue = &queue.Writer{Store: w.store} }

// queueAfter puts the invalidations of a request after the events are stored, once.
func queueAfter(w *world, s *ingest.Service) {
	late := &afterEvents{store: w.store}
	s.Store, s.Queue = late, &queue.Writer{Store: late, Catalog: w.now}
}

type afterEvents struct {
	*store
	waiting []storage.Invalidation
}

func (a *afterEvents) StoredInvalidations(
	context.Context, []storage.Invalidation,
) (map[storage.Invalidation]bool, error) {
	return nil, nil
}

func (a *afterEvents) PutInvalidations(
	_ context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	a.waiting = append(a.waiting, these...)
	return nil, storage.Written, nil
}

func (a *afterEvents) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	result, err := a.store.Append(ctx, tx)
	a.put(ctx)
	return result, err
}

func (a *afterEvents) Put(ctx context.Context, e model.Event) (storage.StoreResult, error) {
	result, err := a.store.Put(ctx, e)
	a.put(ctx)
	return result, err
}

func (a *afterEvents) put(ctx context.Context) {
	for some := range slices.Chunk(a.waiting, itemop.MaxBatchWrites) {
		_, _, _ = a.store.PutInvalidations(ctx, some) // a process that ends here has no memory of it
	}
	a.waiting = nil
}

// rememberFirst remembers an invalidation for the process when its put begins.
func rememberFirst(w *world, s *ingest.Service) {
	if _, planted := s.Queue.Store.(early); !planted {
		s.Queue.Store = early{w.store, map[storage.Invalidation]bool{}}
	}
}

type early struct {
	*store
	begun map[storage.Invalidation]bool
}

func (e early) StoredInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (map[storage.Invalidation]bool, error) {
	stored := map[storage.Invalidation]bool{}
	others := slices.DeleteFunc(slices.Clone(these), func(i storage.Invalidation) bool {
		stored[i] = e.begun[i]
		return e.begun[i]
	})
	if len(others) == 0 {
		return stored, nil
	}
	found, err := e.store.StoredInvalidations(ctx, others)
	maps.Copy(stored, found)
	return stored, err
}

func (e early) PutInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	for _, i := range these {
		e.begun[i] = true
	}
	return e.store.PutInvalidations(ctx, these)
}
