package storetest

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Commit sends a transaction, unless the policy returns a fault.
func (f *FaultyStore) Commit(ctx context.Context, tx table.Transaction) (table.TransactResult, error) {
	return writeWithFault(ctx, f, "Commit", commitResult, func(ctx context.Context) (table.TransactResult, error) { return f.Store.Commit(ctx, tx) })
}

// DeleteEvent deletes an event, unless the policy returns a fault.
func (f *FaultyStore) DeleteEvent(ctx context.Context, event model.EventKey, now model.Time) (storage.WriteResult, error) {
	return writeWithFault(ctx, f, "DeleteEvent", writeResult, func(ctx context.Context) (storage.WriteResult, error) { return f.Store.DeleteEvent(ctx, event, now) })
}

// CorrectEvent replaces an event, unless the policy returns a fault.
func (f *FaultyStore) CorrectEvent(ctx context.Context, event model.Event, now model.Time) (storage.WriteResult, error) {
	return writeWithFault(ctx, f, "CorrectEvent", writeResult, func(ctx context.Context) (storage.WriteResult, error) { return f.Store.CorrectEvent(ctx, event, now) })
}

// erased is what Erase returns.
type erased struct {
	left   []keys.Key
	result storage.WriteResult
}

// Erase removes items, unless the policy returns a fault. A batch is not a transaction: a
// throttled one removes half of the items and returns the other keys.
func (f *FaultyStore) Erase(ctx context.Context, these []keys.Key) ([]keys.Key, storage.WriteResult, error) {
	failed := func(a storage.WriteResult) erased { return erased{these, a} }
	got, err := writeWithFault(ctx, f, "Erase", failed, func(ctx context.Context) (erased, error) {
		left, result, err := f.Store.Erase(ctx, these)
		return erased{left, result}, err
	})
	if half := len(these) / 2; got.result == storage.Throttled && half > 0 {
		left, result, err := f.Store.Erase(ctx, these[:half])
		return append(left, these[half:]...), result, err
	}
	return got.left, got.result, err
}

// List reads, unless the policy lets it fail.
func (f *FaultyStore) List(ctx context.Context, l table.ListRequest) (table.ListPage, error) {
	if f.readFails("List") {
		return table.ListPage{}, ErrRead
	}
	return f.Store.List(ctx, l)
}

// GetItem reads, unless the policy lets it fail.
func (f *FaultyStore) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	if f.readFails("GetItem") {
		return nil, ErrRead
	}
	return f.Store.GetItem(ctx, k)
}
