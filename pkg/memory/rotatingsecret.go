package memory

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
)

// PutRotatingSecret stores a day's secret on condition that the day has none yet. When the
// condition fails, it returns the stored secret.
func (t *Table) PutRotatingSecret(ctx context.Context, s entity.RotatingSecret) (storage.WriteResult, entity.RotatingSecret, error) {
	it := item.FromRotatingSecret(&s)
	result, old, err := t.writeOne(ctx, "put rotating secret", action{key: it.Key(), condition: absent, change: replaceWith(it)})
	if result != storage.ConditionFailed {
		return result, entity.RotatingSecret{}, err
	}
	stored, err := item.RotatingSecret(old)
	return result, stored, err
}
