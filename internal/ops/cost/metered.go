package cost

import (
	"context"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
)

// Metered counts the write units of a table in memory, and the bytes of its events. Every write
// that changes an item is in the log of the table. It must not be used concurrently.
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

// WriteUnits returns how many write units were consumed.
func (m *Metered) WriteUnits() int {
	m.settle()
	return m.written
}

// settle counts the writes since the last call, which were not in a transaction.
func (m *Metered) settle() { m.count(1) }

func (m *Metered) count(perKB int) {
	for _, r := range m.Records(m.seen) {
		m.seen = r.Seq
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
