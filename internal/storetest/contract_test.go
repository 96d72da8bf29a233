package storetest_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/ingest"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/storetest"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// clock is constant: no fact of the contract depends on the passing of time.
func clock() model.Time { return model.TimeOf(time.Date(2026, 4, 20, 14, 0, 0, 0, time.UTC)) }

func TestMain(m *testing.M) { ddblocal.Main(m) }

func TestDynamo_PassesTheContract(t *testing.T) {
	ddblocal.ForTest(t)
	storetest.Run(t, func(t *testing.T) storetest.Table {
		client, err := dynamo.NewClient(t.Context(), "", ddblocal.ForTest(t).Endpoint)
		if err != nil {
			t.Fatal(err)
		}
		table := dynamo.New(client, "contract-"+rand.Text()) // for one test, so that tests run in parallel
		if err := table.Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		return table
	})
}

func TestMemory_PassesTheContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Table { return memory.New(clock) })
}

// faultedTable is a table whose store methods go through a FaultyStore.
type faultedTable struct {
	*memory.Table
	faults *storetest.FaultyStore
}

func (u faultedTable) Append(ctx context.Context, tx ingest.AppendTransaction) (ingest.StoreResult, error) {
	return u.faults.Append(ctx, tx)
}

func (u faultedTable) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	return u.faults.PutRow(ctx, row, prev)
}

func (u faultedTable) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	return u.faults.Events(ctx, r)
}

func (u faultedTable) Commit(ctx context.Context, tx table.Transaction) (table.TransactResult, error) {
	return u.faults.Commit(ctx, tx)
}

func (u faultedTable) Erase(ctx context.Context, items []keys.Key) ([]keys.Key, storage.WriteResult, error) {
	return u.faults.Erase(ctx, items)
}

func TestFaultyStore_WithoutAPolicyPassesTheContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Table {
		table := memory.New(clock)
		return faultedTable{table, &storetest.FaultyStore{Store: table}}
	})
}
