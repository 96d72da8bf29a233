package dynamo

import (
	"context"

	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Currents reads one page of the currents that an index finds by fields.
func (t *Table) Currents(ctx context.Context, r model.ByFields) (model.CurrentPage, error) {
	return lifecycle.Currents(ctx, t, r)
}
