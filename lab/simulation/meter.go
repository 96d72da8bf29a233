package simulation

import (
	"context"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// metered is the table in memory. It counts the capacity units that its requests would
// consume.
type metered struct {
	*memory.Table
	count func(what string, units int)
	sizes map[keys.Key]int // of all stored items
	seen  uint64           // last record of the table's log that is in sizes
}

func newMetered(table *memory.Table, count func(string, int)) *metered {
	return &metered{Table: table, count: count, sizes: map[keys.Key]int{}}
}

// Names of counts of units. A read unit is 4 KB read with strong consistency. A write unit
// is 1 KB; writes in a transaction cost twice as much.
const (
	unitsRead       = "read units"
	unitsRollups    = "write units of rollups"
	unitsEvents     = "write units of events"
	unitsQuarantine = "write units of quarantine"

	readUnit  = 4 << 10
	writeUnit = 1 << 10
)

func readUnits(bytes int) int  { return max(1, (bytes+readUnit-1)/readUnit) }
func writeUnits(bytes int) int { return max(1, (bytes+writeUnit-1)/writeUnit) }

// writeUnitName returns the name under which writes of a key are counted.
func writeUnitName(k keys.Key) string {
	switch {
	case strings.HasPrefix(k.SK, tablekeys.EventPrefix):
		return unitsEvents
	case strings.HasPrefix(k.PK, tablekeys.ClassQuarantine):
		return unitsQuarantine
	}
	return unitsRollups
}

// StoredInvalidations reads invalidations.
func (m *metered) StoredInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (map[storage.Invalidation]bool, error) {
	m.count(unitsRead, len(these))
	return m.Table.StoredInvalidations(ctx, these)
}

// PutInvalidations stores invalidations.
func (m *metered) PutInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	m.countInvalidations(these)
	return m.Table.PutInvalidations(ctx, these)
}

// DeleteInvalidations deletes invalidations.
func (m *metered) DeleteInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	m.countInvalidations(these)
	return m.Table.DeleteInvalidations(ctx, these)
}

func (m *metered) countInvalidations(these []storage.Invalidation) {
	for _, i := range these {
		m.count(unitsRollups, writeUnits(item.FromInvalidation(i).Size()))
	}
}

// ReadItems reads entries of the list of series and purge locks.
func (m *metered) ReadItems(
	ctx context.Context, these []keys.Key, consistent bool,
) (map[keys.Key]item.Item, error) {
	m.count(unitsRead, len(these))
	return m.Table.ReadItems(ctx, these, consistent)
}

// GetItem reads a latest item.
func (m *metered) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	m.count(unitsRead, 1)
	return m.Table.GetItem(ctx, k)
}

// PutAll writes an entry of the list of series.
func (m *metered) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	m.count(unitsRollups, writeUnits(puts[0].Item.Size()))
	return m.Table.PutAll(ctx, puts)
}

// Update writes a latest item.
func (m *metered) Update(ctx context.Context, a itemop.Action) (storage.WriteResult, error) {
	return m.one(a.Key, func() (storage.WriteResult, error) { return m.Table.Update(ctx, a) })
}

// PurgeLocked reads a purge lock.
func (m *metered) PurgeLocked(ctx context.Context, subject model.Subject) (bool, error) {
	m.count(unitsRead, 1)
	return m.Table.PurgeLocked(ctx, subject)
}

// Row reads one row.
func (m *metered) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	m.count(unitsRead, readUnits(m.sizes[keys.Row(key)]))
	return m.Table.Row(ctx, key)
}

// Events reads one page of events.
func (m *metered) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	page, err := m.Table.Events(ctx, r)
	size := 0
	for i := range page.Events {
		size += m.sizes[keys.Event(page.Events[i].Key())]
	}
	m.count(unitsRead, readUnits(size))
	return page, err
}

// Rows reads one page of rows.
func (m *metered) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	page, err := m.Table.Rows(ctx, unit, r)
	size := 0
	for i := range page.Rows {
		size += m.sizes[tablekeys.Row(page.Rows[i].Key)]
	}
	m.count(unitsRead, readUnits(size))
	return page, err
}

// Shares reads one page of shares.
func (m *metered) Shares(ctx context.Context, bucket rollup.Key, after string) (rollup.RowPage, error) {
	page, err := m.Table.Shares(ctx, bucket, after)
	size := 0
	for i := range page.Rows {
		size += m.sizes[tablekeys.Row(page.Rows[i].Key)]
	}
	m.count(unitsRead, readUnits(size))
	return page, err
}

// PutRow writes a row.
func (m *metered) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	return m.one(tablekeys.Row(row.Key), func() (storage.WriteResult, error) {
		return m.Table.PutRow(ctx,
			row, prev)
	})
}

// Put stores one event.
func (m *metered) Put(ctx context.Context, event model.Event) (result storage.StoreResult, err error) {
	_, err = m.one(keys.Event(event.Key()), func() (storage.WriteResult, error) {
		result, err = m.Table.Put(ctx, event)
		return result.Result, err
	})
	return result, err
}

// DeleteEvent deletes an event on behalf of a user.
func (m *metered) DeleteEvent(ctx context.Context, e model.EventKey,
	now model.Time) (storage.WriteResult, error) {
	return m.one(keys.Event(e), func() (storage.WriteResult, error) { return m.Table.DeleteEvent(ctx, e, now) })
}

// CorrectEvent changes an event in place on behalf of a user.
func (m *metered) CorrectEvent(ctx context.Context, e model.Event,
	now model.Time) (storage.WriteResult, error) {
	return m.one(keys.Event(e.Key()), func() (storage.WriteResult, error) {
		return m.Table.CorrectEvent(ctx, e, now)
	})
}

// Append sends one transaction.
func (m *metered) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	result, err := m.Table.Append(ctx, tx)
	m.follow()
	for _, k := range writtenKeys(&tx) {
		m.count(unitsEvents, 2*writeUnits(m.sizes[k]))
	}
	return result, err
}

// one performs the write of one item.
func (m *metered) one(k keys.Key, do func() (storage.WriteResult, error)) (storage.WriteResult, error) {
	before := m.sizes[k]
	result, err := do()
	m.follow()
	m.count(writeUnitName(k), writeUnits(max(before, m.sizes[k])))
	return result, err
}

// follow updates the sizes of stored items.
func (m *metered) follow() {
	for _, r := range m.Records(m.seen) {
		m.seen = r.Seq
		m.sizes[r.Keys] = r.New.Size()
	}
}

// writtenKeys returns the keys of a transaction's items.
func writtenKeys(tx *storage.AppendTransaction) (all []keys.Key) {
	if tx.Latest != nil {
		all = append(all, keys.Latest(tx.Latest.Series))
	}
	if tx.Check != nil {
		all = append(all, keys.Latest(tx.Check.Series))
	}
	if tx.PurgeLock != nil {
		all = append(all, tablekeys.PurgeLock(*tx.PurgeLock))
	}
	for i := range tx.Puts {
		all = append(all, keys.Event(tx.Puts[i].Key()))
	}
	for _, k := range tx.Absent {
		all = append(all, keys.Event(k))
	}
	return all
}

// itemExpiry returns when an item expires, in epoch seconds.
func itemExpiry(it item.Item) (at int64, expires bool) {
	if e, err := item.Event(it); err == nil {
		return e.ExpiresAt, e.ExpiresAt != 0
	}
	row, err := item.Row(it)
	return row.ExpiresAt, err == nil && row.ExpiresAt != 0
}
