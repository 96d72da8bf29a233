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
	switch {
	case err != nil:
		return storage.Unknown, fmt.Errorf("update item: %w", err)
	case len(a.Set) == 0 && len(a.Remove) == 0:
		return storage.Unknown, fmt.Errorf("update item: the action changes no attribute")
	}
	result, _, err := t.writeOne(ctx, "update item", actions[0])
	return result, err
}
