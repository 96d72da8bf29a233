package itemstore

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// ReadItems reads up to itemop.MaxBatchReads items, each key once. The result has a key for each item that
// was read, with nil if there is none. It has no key that the table did not process, because of throttling or
// of the size of the response.
func (s Items) ReadItems(
	ctx context.Context, these []keys.Key, consistent bool,
) (map[keys.Key]item.Item, error) {
	return s.store.ReadMany(ctx, "read items", these, consistent)
}

// Erase deletes up to itemop.MaxBatchWrites items; one that does not exist is not an error. left are the keys
// that the table did not process.
func (s Items) Erase(
	ctx context.Context, these []keys.Key,
) (left []keys.Key, result storage.WriteResult, err error) {
	return s.store.WriteMany(ctx, "erase", lists.Map(these, func(k keys.Key) itemop.Action {
		return itemop.Action{Key: k, Delete: true}
	}))
}

// StoredInvalidations reads up to itemop.MaxBatchReads invalidations, eventually consistent, and returns
// those that are stored. One that the table did not process is not among them.
func (s Items) StoredInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (stored map[storage.Invalidation]bool, _ error) {
	items, err := s.store.ReadMany(ctx, "read invalidations", lists.Map(these, tablekeys.Invalidation), false)
	stored = map[storage.Invalidation]bool{}
	for _, i := range these {
		if items[tablekeys.Invalidation(i)] != nil {
			stored[i] = true
		}
	}
	return stored, err
}

// PutInvalidations stores up to itemop.MaxBatchWrites invalidations without a condition; equal ones are
// replaced. It consumes one write unit for each. left are those that the table did not process.
func (s Items) PutInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (left []storage.Invalidation, result storage.WriteResult, err error) {
	return s.writeInvalidations(ctx, "put invalidations", these, func(i storage.Invalidation) itemop.Action {
		it := item.FromInvalidation(i)
		return itemop.Action{Key: it.Key(), Put: it}
	})
}

// DeleteInvalidations deletes up to itemop.MaxBatchWrites invalidations, those that are stored. left are
// those that the table did not process.
func (s Items) DeleteInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (left []storage.Invalidation, result storage.WriteResult, err error) {
	return s.writeInvalidations(ctx, "delete invalidations", these, func(i storage.Invalidation) itemop.Action {
		return itemop.Action{Key: tablekeys.Invalidation(i), Delete: true}
	})
}

func (s Items) writeInvalidations(
	ctx context.Context, operation string, these []storage.Invalidation,
	action func(storage.Invalidation) itemop.Action,
) (left []storage.Invalidation, result storage.WriteResult, err error) {
	unprocessed, result, err := s.store.WriteMany(ctx, operation, lists.Map(these, action))
	byKey := make(map[keys.Key]storage.Invalidation, len(these))
	for _, i := range these {
		byKey[tablekeys.Invalidation(i)] = i
	}
	return lists.Map(unprocessed, func(k keys.Key) storage.Invalidation { return byKey[k] }), result, err
}
