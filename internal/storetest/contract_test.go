package storetest_test

import (
	"context"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/storetest"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// clock stands still: no fact of the contract is about the passing of time.
func clock() model.Time { return model.TimeOf(time.Date(2026, 4, 20, 14, 0, 0, 0, time.UTC)) }

func TestMemory_KeepsTheContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Table { return memory.New(clock) })
}

// underFaults is a table of which the layers above see only the store under faults.
type underFaults struct {
	*memory.Table
	faulty *storetest.Faulty
}

func (u underFaults) Append(ctx context.Context, tx ingest.Transaction) (ingest.Reply, error) {
	return u.faulty.Append(ctx, tx)
}

func (u underFaults) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (model.Answer, error) {
	return u.faulty.PutRow(ctx, row, prev)
}

func (u underFaults) Events(ctx context.Context, r model.Range) (model.EventPage, error) {
	return u.faulty.Events(ctx, r)
}

func (u underFaults) Commit(ctx context.Context, tx lifecycle.Transaction) (lifecycle.Reply, error) {
	return u.faulty.Commit(ctx, tx)
}

func (u underFaults) Erase(ctx context.Context, these []keys.Key) ([]keys.Key, model.Answer, error) {
	return u.faulty.Erase(ctx, these)
}

func TestFaulty_WithoutAPolicyKeepsTheContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Table {
		table := memory.New(clock)
		return underFaults{table, &storetest.Faulty{Store: table}}
	})
}
