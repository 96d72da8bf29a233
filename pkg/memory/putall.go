package memory

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// PutAll stores whole items, each in the place of what stands there: all or none.
func (t *Table) PutAll(ctx context.Context, puts []table.Put) (model.Answer, error) {
	tx := table.Transaction{Actions: make([]table.Action, len(puts))}
	for i, p := range puts {
		tx.Actions[i] = table.Action{Key: p.Item.Key(), When: p.When, Put: p.Item}
	}
	reply, err := t.Commit(ctx, tx)
	return reply.Answer, err
}
