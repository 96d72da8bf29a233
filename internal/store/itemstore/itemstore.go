// Package itemstore has the requests of a table that read or write one item, or one page of
// items, and batches of them. They are written once here, over the requests that each store supplies, so that
// package dynamo and package memory differ only in how they send those.
package itemstore

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// Requests are what a store supplies. operation is for errors. Items that are read are shared
// with the store: do not change them.
type Requests struct {
	// Read reads one item; nil if there is none.
	Read func(ctx context.Context, operation string, k keys.Key, consistent bool) (item.Item, error)
	// Page reads one page of a partition, or of an index partition.
	Page func(ctx context.Context, operation string, l *itemop.ListRequest) (itemop.ListPage, error)
	// Write puts, updates or deletes one item on the precondition of the action. The error is permanent.
	Write func(ctx context.Context, operation string, a *itemop.Action) (Result, error)
	// ReadMany reads up to itemop.MaxBatchReads items, each key once. The result has a key for each item that
	// was read, with nil if there is none; it has no key that the table did not process.
	ReadMany func(
		ctx context.Context, operation string, these []keys.Key, consistent bool,
	) (map[keys.Key]item.Item, error)
	// WriteMany puts or deletes up to itemop.MaxBatchWrites items, each key once, without preconditions. Each
	// is carried out by itself: if the result is Written, left are the keys that the table did not process;
	// otherwise they are all keys, and any of them may be written. The error is permanent.
	WriteMany func(
		ctx context.Context, operation string, these []itemop.Action,
	) (left []keys.Key, result storage.WriteResult, err error)
}

// Result is what the server said about a write of one item.
type Result struct {
	storage.WriteResult
	Old   item.Item // the item on which the precondition failed; nil if there was none
	Cause error     // the client's error if the table did not decide; may be nil
}

// Items are the requests on items. They are safe for concurrent use if the store's are.
type Items struct{ store Requests }

// New returns the requests on items, built on the requests of a store.
func New(store Requests) Items { return Items{store} }

// put stores a complete item.
func (s Items) put(ctx context.Context, operation string, it item.Item,
	when itemop.Precondition) (Result, error) {
	return s.store.Write(ctx, operation, &itemop.Action{Key: it.Key(), Put: it, Precondition: when})
}

// ensure puts an item unless one is stored under its key, which is a repeat: the result is Written.
func (s Items) ensure(ctx context.Context, operation string, it item.Item) (storage.WriteResult, error) {
	written, err := s.put(ctx, operation, it, absent)
	if written.WriteResult == storage.ConditionFailed {
		return storage.Written, nil
	}
	return written.WriteResult, err
}

// absent requires that there is no item.
var absent = itemop.Precondition{{Op: itemop.ItemAbsent}}
