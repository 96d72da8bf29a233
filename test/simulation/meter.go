package main

import (
	"context"
	"strings"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// metered is the table in memory, and says what its requests would take in units.
type metered struct {
	*memory.Table
	count func(what string, units int)
	sizes map[keys.Key]int // of every stored item
	seen  uint64           // records of the table's log that are in sizes
}

func newMetered(table *memory.Table, count func(string, int)) *metered {
	return &metered{Table: table, count: count, sizes: map[keys.Key]int{}}
}

// Names of counts of units. A read unit is 4 KB read strongly consistently, a write
// unit 1 KB; a transaction's writes take twice that.
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

// unitsOf is what the writes under a key are counted as.
func unitsOf(k keys.Key) string {
	switch {
	case strings.HasPrefix(k.SK, keys.EventPrefix):
		return unitsEvents
	case strings.HasPrefix(k.PK, keys.ClassQuarantine):
		return unitsQuarantine
	}
	return unitsRollups
}

// Row reads one row.
func (m *metered) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	m.count(unitsRead, readUnits(m.sizes[keys.Row(key)]))
	return m.Table.Row(ctx, key)
}

// Events reads one page of events.
func (m *metered) Events(ctx context.Context, r model.Range) (model.EventPage, error) {
	page, err := m.Table.Events(ctx, r)
	size := 0
	for i := range page.Events {
		size += m.sizes[keys.Event(page.Events[i].Key())]
	}
	m.count(unitsRead, readUnits(size))
	return page, err
}

// Rows reads one page of rows.
func (m *metered) Rows(ctx context.Context, unit tier.Unit, r model.Range) (rollup.RowPage, error) {
	page, err := m.Table.Rows(ctx, unit, r)
	size := 0
	for i := range page.Rows {
		size += m.sizes[keys.Row(page.Rows[i].Key)]
	}
	m.count(unitsRead, readUnits(size))
	return page, err
}

// PutRow writes a row.
func (m *metered) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (model.Answer, error) {
	return m.one(keys.Row(row.Key), func() (model.Answer, error) { return m.Table.PutRow(ctx, row, prev) })
}

// Put stores one event.
func (m *metered) Put(ctx context.Context, event model.Event) (reply ingest.Reply, err error) {
	_, err = m.one(keys.Event(event.Key()), func() (model.Answer, error) {
		reply, err = m.Table.Put(ctx, event)
		return reply.Answer, err
	})
	return reply, err
}

// DeleteEvent removes an event as somebody does.
func (m *metered) DeleteEvent(ctx context.Context, e model.EventKey, now model.Time) (model.Answer, error) {
	return m.one(keys.Event(e), func() (model.Answer, error) { return m.Table.DeleteEvent(ctx, e, now) })
}

// CorrectEvent changes an event in place as somebody does.
func (m *metered) CorrectEvent(ctx context.Context, e model.Event, now model.Time) (model.Answer, error) {
	return m.one(keys.Event(e.Key()), func() (model.Answer, error) { return m.Table.CorrectEvent(ctx, e, now) })
}

// Append sends one transaction.
func (m *metered) Append(ctx context.Context, tx ingest.Transaction) (ingest.Reply, error) {
	reply, err := m.Table.Append(ctx, tx)
	m.follow()
	for _, k := range keysOf(&tx) {
		m.count(unitsEvents, 2*writeUnits(m.sizes[k]))
	}
	return reply, err
}

// one carries out a write of one item.
func (m *metered) one(k keys.Key, do func() (model.Answer, error)) (model.Answer, error) {
	before := m.sizes[k]
	answer, err := do()
	m.follow()
	m.count(unitsOf(k), writeUnits(max(before, m.sizes[k])))
	return answer, err
}

// follow takes the sizes of what was stored.
func (m *metered) follow() {
	for _, r := range m.Records(m.seen) {
		m.seen = r.Seq
		m.sizes[r.Keys] = r.New.Size()
	}
}

// keysOf are the items a transaction names.
func keysOf(tx *ingest.Transaction) (named []keys.Key) {
	if tx.Current != nil {
		named = append(named, keys.Current(tx.Current.Series))
	}
	if tx.Check != nil {
		named = append(named, keys.Current(tx.Check.Series))
	}
	if tx.Gate != nil {
		named = append(named, keys.Gate(*tx.Gate))
	}
	for i := range tx.Puts {
		named = append(named, keys.Event(tx.Puts[i].Key()))
	}
	for _, k := range tx.Absent {
		named = append(named, keys.Event(k))
	}
	return named
}

// expiryOf is when an item expires, in epoch seconds.
func expiryOf(it item.Item) (at int64, expires bool) {
	if e, err := item.Event(it); err == nil {
		return e.ExpiresAt, e.ExpiresAt != 0
	}
	row, err := item.Row(it)
	return row.ExpiresAt, err == nil && row.ExpiresAt != 0
}
