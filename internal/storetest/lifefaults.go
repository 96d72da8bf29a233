package storetest

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Commit sends a transaction, or fails.
func (f *Faulty) Commit(ctx context.Context, tx lifecycle.Transaction) (lifecycle.Reply, error) {
	return faulted(ctx, f, "Commit", committed, func(ctx context.Context) (lifecycle.Reply, error) { return f.Store.Commit(ctx, tx) })
}

// erased is what the removal of a batch is answered.
type erased struct {
	left   []keys.Key
	answer model.Answer
}

// Erase removes items, or fails. A batch is no transaction: a throttle leaves a part
// of it, which the answer names.
func (f *Faulty) Erase(ctx context.Context, these []keys.Key) ([]keys.Key, model.Answer, error) {
	failed := func(a model.Answer) erased { return erased{these, a} }
	got, err := faulted(ctx, f, "Erase", failed, func(ctx context.Context) (erased, error) {
		left, answer, err := f.Store.Erase(ctx, these)
		return erased{left, answer}, err
	})
	if half := len(these) / 2; got.answer == model.Throttled && half > 0 {
		left, answer, err := f.Store.Erase(ctx, these[:half])
		return append(left, these[half:]...), answer, err
	}
	return got.left, got.answer, err
}

// List reads, or fails.
func (f *Faulty) List(ctx context.Context, l lifecycle.Listing) (lifecycle.ListPage, error) {
	if f.fails("List") {
		return lifecycle.ListPage{}, ErrRead
	}
	return f.Store.List(ctx, l)
}

// GetItem reads, or fails.
func (f *Faulty) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	if f.fails("GetItem") {
		return nil, ErrRead
	}
	return f.Store.GetItem(ctx, k)
}
