package dynamo

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
)

// LatestBy reads one page of latest items from an index.
func (t *Table) LatestBy(ctx context.Context, r storage.LatestIndexQuery) (storage.LatestPage, error) {
	return table.ListLatest(ctx, t, r)
}
