package linear

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// attempts records the attempts of one operation that have no response.
type attempts struct {
	Store
	log       *Log
	operation *Operation
	lost      int
}

// Append sends one transaction.
func (a *attempts) Append(ctx context.Context, tx ingest.AppendTransaction) (r ingest.StoreResult, err error) {
	a.try(func() (storage.WriteResult, error) {
		r, err = a.Store.Append(ctx, tx)
		return r.Result, err
	})
	return r, err
}

// Put stores one event.
func (a *attempts) Put(ctx context.Context, event model.Event) (r ingest.StoreResult, err error) {
	a.try(func() (storage.WriteResult, error) {
		r, err = a.Store.Put(ctx, event)
		return r.Result, err
	})
	return r, err
}

// DeleteEvent deletes one event.
func (a *attempts) DeleteEvent(ctx context.Context, event model.EventKey, now model.Time) (r storage.WriteResult, err error) {
	a.try(func() (storage.WriteResult, error) {
		r, err = a.Store.DeleteEvent(ctx, event, now)
		return r, err
	})
	return r, err
}

func (a *attempts) try(send func() (storage.WriteResult, error)) {
	lost := *a.operation
	lost.Lost, lost.Call, lost.Return = true, a.log.tick(), Forever
	if result, err := send(); err != nil || result == storage.Unknown {
		a.lost++
		a.log.add(lost)
	}
}
