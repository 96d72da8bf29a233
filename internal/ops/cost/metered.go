package cost

import (
	"context"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Metered counts the write units of a table in memory, and the bytes of its events. It counts attempts: a
// write that changes nothing, or whose condition fails, is billed and is not in the log of the table. It
// must not be used concurrently.
type Metered struct {
	*memory.Table
	seen           uint64
	written, bytes int
}

// Append sends one transaction: its writes take two units for each KB.
func (m *Metered) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	m.settle()
	result, err := m.Table.Append(ctx, tx)
	m.count(2)
	return result, err
}

// PutInvalidations is billed for those that are already stored, too.
func (m *Metered) PutInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (left []storage.Invalidation, result storage.WriteResult, err error) {
	m.attempt(len(these), func() { left, result, err = m.Table.PutInvalidations(ctx, these) })
	return left, result, err
}

// DeleteInvalidations is billed for those that are not stored, too.
func (m *Metered) DeleteInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (left []storage.Invalidation, result storage.WriteResult, err error) {
	m.attempt(len(these), func() { left, result, err = m.Table.DeleteInvalidations(ctx, these) })
	return left, result, err
}

// PutAll is billed for a failed condition.
func (m *Metered) PutAll(ctx context.Context, puts []itemop.Put) (result storage.WriteResult, err error) {
	m.attempt(len(puts), func() { result, err = m.Table.PutAll(ctx, puts) })
	return result, err
}

// PutRow is billed for a lost lock.
func (m *Metered) PutRow(ctx context.Context, row *rollup.Row,
	prev rollup.Rev) (result storage.WriteResult, err error) {
	m.attempt(1, func() { result, err = m.Table.PutRow(ctx, row, prev) })
	return result, err
}

// Update is billed for a failed condition.
func (m *Metered) Update(ctx context.Context, a itemop.Action) (result storage.WriteResult, err error) {
	m.attempt(1, func() { result, err = m.Table.Update(ctx, a) })
	return result, err
}

// attempt makes a request that writes a number of items. One that the log lacks is billed as one unit:
// items that are written again unchanged are small.
func (m *Metered) attempt(items int, request func()) {
	m.settle()
	before := m.seen
	request()
	m.settle()
	m.written += items - min(items, int(m.seen-before))
}

// WriteUnits returns how many write units were consumed.
func (m *Metered) WriteUnits() int {
	m.settle()
	return m.written
}

// settle counts the writes since the last call, which were not in a transaction.
func (m *Metered) settle() { m.count(1) }

// lowWatermarks is the partition of the low watermarks.
var lowWatermarks = tablekeys.LowWatermark(storage.QueueShard{}).PK

func (m *Metered) count(perKB int) {
	for _, r := range m.Records(m.seen) {
		m.seen = r.Seq
		if r.Keys.PK == lowWatermarks {
			continue // all series share them
		}
		size := max(r.Old.Size(), r.New.Size())
		m.written += writeUnits(size) * (perKB + entries(r.Old, r.New))
		if strings.HasPrefix(r.Keys.SK, tablekeys.EventPrefix) {
			m.bytes += r.New.Size()
		}
	}
}

// entries returns how many entries of secondary indexes are written with an item. An entry has
// all attributes, and is deleted and put if its key changes.
func entries(old, image item.Item) (n int) {
	for _, index := range [][2]string{{keys.AttrGSI1PK, keys.AttrGSI1SK}, {keys.AttrGSI2PK, keys.AttrGSI2SK}} {
		was, is := old[index[0]].S+old[index[1]].S, image[index[0]].S+image[index[1]].S
		if was != "" && is != was {
			n++
		}
		if is != "" {
			n++
		}
	}
	return n
}

func writeUnits(bytes int) int { return max(1, (bytes+1023)>>10) }

// WriteUnitsAtMost returns the write units of all writes to a table in memory, as if each was part of a
// transaction. It is for tables that are written concurrently.
func WriteUnitsAtMost(t *memory.Table) (units int) {
	for _, r := range t.Records(0) {
		units += writeUnits(max(r.Old.Size(), r.New.Size())) * (2 + entries(r.Old, r.New))
	}
	return units
}
