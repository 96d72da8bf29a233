// Package memory is a table in memory, for tests, examples and simulations. It stores real
// items, encoded and decoded by package item, and returns what DynamoDB would, including
// the old items of failed conditions, so that the packages above work in the same way with
// it. Each change writes a record to a table stream that tests read and deliver.
//
// The table is the one that tidemark dev serves by DynamoDB's protocol; this is its face in Go. It never
// throttles, conflicts or loses a response: package storetest adds such faults.
package memory

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemstore"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Table is one table. Create one with New. It is safe for concurrent use: each request holds one lock.
type Table struct {
	itemstore.Items
	engine *engine.Table
	now    func() model.Time
}

// New returns an empty table. now is the clock of stream records and of the lifetime of tokens.
func New(now func() model.Time) *Table {
	t := &Table{now: now,
		engine: engine.New(schema(), engine.Options{TTL: keys.AttrExpiresAt, Stream: true}, now)}
	t.Items = itemstore.New(itemstore.Requests{
		Read: t.read, Page: t.page, Write: t.writeOne, ReadMany: t.readMany, WriteMany: t.writeMany,
	})
	return t
}

// Valid returns an error if the table was not made by New. Open of package timeseries calls it.
func (t *Table) Valid() error {
	if t.now == nil {
		return errors.New("memory: the table has no clock: create it with memory.New(now)")
	}
	return nil
}

func schema() engine.Schema {
	s := engine.Schema{Partition: keys.AttrPK, Sort: keys.AttrSK}
	for _, name := range []string{keys.IndexGSI1, keys.IndexGSI2} {
		partition, sort := item.IndexAttrs(name)
		s.Indexes = append(s.Indexes, engine.Index{Name: name, Partition: partition, Sort: sort})
	}
	return s
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
