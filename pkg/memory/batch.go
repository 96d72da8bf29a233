package memory

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// readMany reads some items.
func (t *Table) readMany(
	ctx context.Context, operation string, these []keys.Key, consistent bool,
) (map[keys.Key]item.Item, error) {
	if err := batchError(these, itemop.MaxBatchReads); err != nil {
		return nil, fmt.Errorf("%s: %w", operation, err)
	}
	items := make(map[keys.Key]item.Item, len(these))
	for _, k := range these {
		it, err := t.read(ctx, operation, k, consistent)
		if err != nil {
			return nil, err
		}
		items[k] = it
	}
	return items, nil
}

// writeMany puts or deletes some items, one after the other.
func (t *Table) writeMany(
	ctx context.Context, operation string, these []itemop.Action,
) (left []keys.Key, _ storage.WriteResult, _ error) {
	all := lists.Map(these, func(a itemop.Action) keys.Key { return a.Key })
	if err := checkContext(ctx, operation); err != nil {
		return all, storage.Unknown, err
	}
	err := batchError(all, itemop.MaxBatchWrites)
	actions, invalid := engineActions(these)
	if err == nil {
		err = invalid
	}
	for n := 0; err == nil && n < len(actions); n++ {
		_, err = t.transact("", [sha256.Size]byte{}, actions[n:n+1])
	}
	if err != nil {
		return all, storage.Unknown, fmt.Errorf("%s: %w", operation, err)
	}
	return nil, storage.Written, nil
}

// batchError returns an error for a batch that DynamoDB refuses.
func batchError(these []keys.Key, most int) error {
	if len(these) == 0 || len(these) > most {
		return fmt.Errorf("%w: %d items in a request: want 1 to %d", engine.ErrMalformed, len(these), most)
	}
	known := make(map[keys.Key]bool, len(these))
	for _, k := range these {
		if known[k] {
			return fmt.Errorf("%w: %v is twice in a request", engine.ErrMalformed, k)
		}
		known[k] = true
	}
	return nil
}
