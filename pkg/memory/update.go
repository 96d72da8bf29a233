package memory

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
)

// Update sets and removes the attributes of an action, on its precondition.
func (t *Table) Update(ctx context.Context, a table.Action) (storage.WriteResult, error) {
	actions, err := lifecycleActions([]table.Action{a})
	if err != nil {
		return storage.Unknown, fmt.Errorf("update item: %w", err)
	}
	result, _, err := t.writeOne(ctx, "update item", actions[0])
	return result, err
}
