package memory

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// GetItem reads an item; nil if there is none.
func (t *Table) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	return t.read(ctx, "get item", k, true)
}

// PutItem stores an item, replacing any other under its key. It is for tests and manual
// repairs: it bypasses the rules of appends and rollups.
func (t *Table) PutItem(ctx context.Context, it item.Item) error {
	_, err := t.writeOne(ctx, "put item", &itemop.Action{Key: it.Key(), Put: it})
	return err
}

// UpdateItem sets attributes under the key of set and keeps all others, as enrichment
// does. It creates the item if there is none.
func (t *Table) UpdateItem(ctx context.Context, set item.Item) error {
	_, err := t.writeOne(ctx, "update item", &itemop.Action{Key: set.Key(), Set: set})
	return err
}

// DeleteItem removes an item. It is no error if there is none.
func (t *Table) DeleteItem(ctx context.Context, k keys.Key) error {
	_, err := t.writeOne(ctx, "delete item", &itemop.Action{Key: k, Delete: true})
	return err
}

// Scan reads one page of the whole table, in order of the keys, after a position; the zero
// Key is the start. The returned position is the zero Key after the last page.
func (t *Table) Scan(ctx context.Context, after keys.Key) (page []item.Item, next keys.Key, _ error) {
	return t.ScanPage(ctx, after, 0)
}

// ScanPage is Scan of at most limit items; 0 means as many as one request returns (1 MB). No item needs to
// have the key of the position.
func (t *Table) ScanPage(
	ctx context.Context, after keys.Key, limit int,
) (page []item.Item, next keys.Key, _ error) {
	if err := checkContext(ctx, "scan"); err != nil {
		return nil, keys.Key{}, err
	}
	var from *engine.Position
	if after != (keys.Key{}) {
		from = &engine.Position{Key: after}
	}
	found, _ := t.engine.Scan("", from, limit)
	countRead(ctx, len(found.Items), found.Bytes, true)
	if found.Next != nil {
		next = found.Next.Key
	}
	return found.Items, next, nil
}
