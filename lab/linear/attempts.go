package linear

import (
	"context"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// attempts records the attempts of one operation, or of the operations of a batch or range, that
// have no response.
type attempts struct {
	Store
	log        *Log
	operations []*Operation // each of another slot
	lost       int
}

// Append sends one transaction.
func (a *attempts) Append(ctx context.Context,
	tx storage.AppendTransaction) (r storage.StoreResult, err error) {
	var slots []uint8
	for i := range tx.Puts {
		slots = append(slots, a.log.timeSlot(tx.Puts[i].At))
	}
	a.try(slots, func() (storage.WriteResult, error) {
		r, err = a.Store.Append(ctx, tx)
		return r.Result, err
	})
	return r, err
}

// Put stores one event.
func (a *attempts) Put(ctx context.Context, event model.Event) (r storage.StoreResult, err error) {
	a.try([]uint8{a.log.timeSlot(event.At)}, func() (storage.WriteResult, error) {
		r, err = a.Store.Put(ctx, event)
		return r.Result, err
	})
	return r, err
}

// DeleteEvent deletes one event.
func (a *attempts) DeleteEvent(ctx context.Context, event model.EventKey,
	now model.Time) (r storage.WriteResult, err error) {
	a.try([]uint8{a.log.timeSlot(event.At)}, func() (storage.WriteResult, error) {
		r, err = a.Store.DeleteEvent(ctx, event, now)
		return r, err
	})
	return r, err
}

// CorrectEvent replaces one event.
func (a *attempts) CorrectEvent(ctx context.Context, event model.Event,
	now model.Time) (r storage.WriteResult, err error) {
	a.try([]uint8{a.log.timeSlot(event.At)}, func() (storage.WriteResult, error) {
		r, err = a.Store.CorrectEvent(ctx, event, now)
		return r, err
	})
	return r, err
}

// try sends one request, which may write some slots.
func (a *attempts) try(slots []uint8, send func() (storage.WriteResult, error)) {
	call := a.log.tick()
	if result, err := send(); err == nil && result != storage.Unknown {
		return
	}
	a.lost++
	for _, o := range a.operations {
		if slices.Contains(slots, o.Slot) {
			lost := *o
			lost.Lost = true
			lost.Call = call
			lost.Return = Forever
			a.log.add(lost)
		}
	}
}
