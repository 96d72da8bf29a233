package storetest_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/local/ddbtest"
	"github.com/tidemark-db/tidemark/internal/local/engine/enginetest"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// clock is constant: no fact of the contract depends on the passing of time.
func clock() model.Time { return model.NewTime(time.Date(2026, 4, 20, 14, 0, 0, 0, time.UTC)) }

func TestMain(m *testing.M) { ddbtest.Main(m) }

func TestDynamo_PassesTheContract(t *testing.T) { contractAt(t, ddbtest.ForTest(t).Endpoint) }

func TestEngine_PassesTheContract(t *testing.T) { contractAt(t, enginetest.Endpoint(t)) }

// contractAt runs the contract on the tables of a DynamoDB.
func contractAt(t *testing.T, endpoint string) {
	t.Helper()
	storetest.Run(t, func(t *testing.T) storetest.Table {
		client, err := dynamo.NewClient(t.Context(), "", endpoint)
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

func (u faultedTable) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	return u.faults.Append(ctx, tx)
}

func (u faultedTable) PutRow(ctx context.Context, row *rollup.Row,
	prev rollup.Rev) (storage.WriteResult, error) {
	return u.faults.PutRow(ctx, row, prev)
}

func (u faultedTable) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	return u.faults.Events(ctx, r)
}

func (u faultedTable) Commit(ctx context.Context, tx itemop.Transaction) (itemop.TransactResult, error) {
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
