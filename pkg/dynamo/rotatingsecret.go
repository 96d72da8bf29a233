package dynamo

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
)

// PutRotatingSecret sends one PutItem on condition that the day has no secret yet.
// ConditionFailed comes with the stored secret, so that no read is needed.
func (t *Table) PutRotatingSecret(ctx context.Context, s entity.RotatingSecret) (storage.WriteResult, entity.RotatingSecret, error) {
	x := newExpression()
	result, old, err := t.putItem(ctx, "put rotating secret into", item.FromRotatingSecret(&s), x, x.absent())
	if result != storage.ConditionFailed {
		return result, entity.RotatingSecret{}, err
	}
	stored, err := item.RotatingSecret(old)
	return result, stored, err
}
