package streamtest

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
)

// Errors of requests to a Table.
var (
	// ErrCondition reports that the condition of a write was false. Nothing was stored.
	ErrCondition = simstream.ErrCondition
	// ErrThrottled reports that the write was throttled. Nothing was stored.
	ErrThrottled = simstream.ErrThrottled
	// ErrConflict reports a conflict with another transaction. Nothing was stored.
	ErrConflict = simstream.ErrConflict
	// ErrUnknown reports that the write received no response. It may have been stored.
	ErrUnknown = simstream.ErrUnknown
	// ErrReadFailed reports that a read received no response.
	ErrReadFailed = simstream.ErrReadFailed
	// ErrCrashed is the error of every request after the function has crashed.
	ErrCrashed = simstream.ErrCrashed
)

// Table is a simulated table. Its changes are delivered by Sim.Deliver. A request with a ctx
// that is not of Sim.Go or of an invocation is carried out at once and without faults.
type Table struct{ table *simstream.Table }

// NewTable returns an empty table with a primary key of the named string attributes, the partition key first.
func NewTable(s *Sim, keyAttributes ...string) *Table {
	return &Table{simstream.NewTable(s.sim, keyAttributes...)}
}

// ExpireBy removes items by TTL. attribute contains the time in epoch seconds.
func (t *Table) ExpireBy(attribute string) { t.table.Expires = attribute }

// Write is a change of one item.
type Write struct {
	Key []string // the values of the key attributes
	// Change returns the new item for the stored one, which is nil if it does not exist. It returns nil to
	// delete the item, and ErrCondition to change nothing. It must not modify old.
	Change func(old Item) (Item, error)
}

// Get reads one item consistently. It returns nil if the item does not exist.
func (t *Table) Get(ctx context.Context, key ...string) (Item, error) {
	it, err := t.table.Get(ctx, key...)
	return decode(it), err
}

// Query reads the items of a partition consistently, in order of their keys.
func (t *Table) Query(ctx context.Context, partition string) ([]Item, error) {
	items, err := t.table.Query(ctx, partition)
	return decodeAll(items), err
}

// All returns the items of a partition in order of their keys, without a request. Use it in checks.
func (t *Table) All(partition string) []Item { return decodeAll(t.table.All(partition)) }

// Put stores an item and replaces the previous one.
func (t *Table) Put(ctx context.Context, it Item) error {
	encoded, err := it.encode()
	if err != nil {
		return err
	}
	return t.table.Put(ctx, encoded)
}

// Delete removes an item.
func (t *Table) Delete(ctx context.Context, key ...string) error { return t.table.Delete(ctx, key...) }

// Update changes one item.
func (t *Table) Update(ctx context.Context, w Write) error { return t.Transact(ctx, w) }

// Transact changes all items or none.
func (t *Table) Transact(ctx context.Context, writes ...Write) error {
	encoded := make([]simstream.Write, len(writes))
	for i, w := range writes {
		encoded[i] = simstream.Write{Key: w.Key, Change: func(old item.Item) (item.Item, error) {
			changed, err := w.Change(decode(old))
			if err != nil {
				return nil, err
			}
			return changed.encode()
		}}
	}
	return t.table.Transact(ctx, encoded...)
}
