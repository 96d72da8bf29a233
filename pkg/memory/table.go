// Package memory is a table in memory, for tests, examples and simulations. It stores real
// items, encoded and decoded by package item, and returns what DynamoDB would, including
// the old items of failed conditions, so that the packages above work in the same way with
// it. Each change writes a record to a table stream that tests read and deliver.
//
// It never throttles, conflicts or loses a response: package storetest adds such faults.
package memory

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/itemstore"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Table is one table. Create one with New. It is safe for concurrent use: each request holds one lock.
type Table struct {
	itemstore.Items
	now func() model.Time

	mu         sync.Mutex
	partitions map[string]*partition        // guarded by mu
	order      []string                     // partition keys, sorted; guarded by mu
	tokens     map[string]storedTransaction // guarded by mu
	stream     []Record                     // guarded by mu
}

// partition holds the items of one partition key in the order of their sort keys. Items
// are replaced, never changed, so that stream images and pages may share them.
type partition struct {
	sorted []string
	items  map[string]item.Item
}

// New returns an empty table. now is the clock of stream records and of the lifetime of tokens.
func New(now func() model.Time) *Table {
	t := &Table{now: now, partitions: map[string]*partition{}, tokens: map[string]storedTransaction{}}
	t.Items = itemstore.New(itemstore.Requests{Read: t.read, Page: t.page, Write: t.writeOne})
	return t
}

// get returns the stored item; nil if there is none. The caller holds mu.
func (t *Table) get(k keys.Key) item.Item {
	if p := t.partitions[k.PK]; p != nil {
		return p.items[k.SK]
	}
	return nil
}

// put stores it under its key; nil removes the item. The caller holds mu.
func (t *Table) put(k keys.Key, it item.Item) {
	p := t.partitions[k.PK]
	if p == nil {
		if it == nil {
			return
		}
		p = &partition{items: map[string]item.Item{}}
		t.partitions[k.PK] = p
		t.order = insert(t.order, k.PK)
	}
	switch _, there := p.items[k.SK]; {
	case it == nil && there:
		delete(p.items, k.SK)
		i, _ := slices.BinarySearch(p.sorted, k.SK)
		p.sorted = slices.Delete(p.sorted, i, i+1)
	case it != nil && !there:
		p.sorted = insert(p.sorted, k.SK)
		p.items[k.SK] = it
	case it != nil:
		p.items[k.SK] = it
	}
}

func insert(sorted []string, s string) []string {
	i, there := slices.BinarySearch(sorted, s)
	if there {
		return sorted
	}
	return slices.Insert(sorted, i, s)
}

// checkContext returns an error if ctx has ended.
func checkContext(ctx context.Context, operation string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: not sent: %w", operation, err)
	}
	return nil
}

// The interfaces that Table implements, by the package that calls them.
var (
	_ ingest.Store                = (*Table)(nil)
	_ ingest.QuarantineStore      = (*Table)(nil)
	_ ingest.RotatingSecretStore  = (*Table)(nil)
	_ ingest.PurgeLocks           = (*Table)(nil)
	_ aggregate.Store             = (*Table)(nil)
	_ aggregate.ProgressStore     = (*Table)(nil)
	_ aggregate.InvalidationStore = (*Table)(nil)
	_ aggregate.SeriesStore       = (*Table)(nil)
	_ query.Store                 = (*Table)(nil)
	_ lifecycle.Store             = (*Table)(nil)
	_ lifecycle.Eraser            = (*Table)(nil)
	_ lifecycle.EventStore        = (*Table)(nil)
	_ alert.Store                 = (*Table)(nil)
)
