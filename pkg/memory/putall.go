package memory

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
)

// PutAll stores all items on their preconditions, or none.
func (t *Table) PutAll(ctx context.Context, puts []table.Put) (storage.WriteResult, error) {
	tx := table.Transaction{Actions: make([]table.Action, len(puts))}
	for i, p := range puts {
		tx.Actions[i] = table.Action{Key: p.Item.Key(), Precondition: p.Precondition, Put: p.Item}
	}
	reply, err := t.Commit(ctx, tx)
	return reply.Result, err
}
