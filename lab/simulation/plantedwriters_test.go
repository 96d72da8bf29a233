package simulation

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// withoutQueue leaves the queue to the aggregator.
func withoutQueue(_ *world, s *ingest.Service) { s.Queue = nil }

// queueAfter puts the invalidations of a request after the events are stored, once.
func queueAfter(w *world, s *ingest.Service) {
	late := &afterEvents{store: w.store}
	s.Store, s.Queue = late, &queue.Writer{Store: late, Catalog: w.now}
}

type afterEvents struct {
	*store
	waiting []storage.Invalidation
}

func (a *afterEvents) HasInvalidation(context.Context, storage.Invalidation) (bool, error) {
	return false, nil
}

func (a *afterEvents) PutInvalidation(
	_ context.Context, i storage.Invalidation,
) (storage.WriteResult, error) {
	a.waiting = append(a.waiting, i)
	return storage.Written, nil
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
	for _, i := range a.waiting {
		_, _ = a.store.PutInvalidation(ctx, i) // a process that ends here has no memory of it
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

func (e early) HasInvalidation(ctx context.Context, i storage.Invalidation) (bool, error) {
	if e.begun[i] {
		return true, nil
	}
	return e.store.HasInvalidation(ctx, i)
}

func (e early) PutInvalidation(ctx context.Context, i storage.Invalidation) (storage.WriteResult, error) {
	e.begun[i] = true
	return e.store.PutInvalidation(ctx, i)
}
