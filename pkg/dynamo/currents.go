package dynamo

import (
	"context"

	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Currents reads one page of the currents that an index finds by fields.
func (t *Table) Currents(ctx context.Context, r model.ByFields) (model.CurrentPage, error) {
	listing, err := lifecycle.CurrentsListing(r)
	if err != nil {
		return model.CurrentPage{}, err
	}
	page, err := t.List(ctx, listing)
	if err != nil {
		return model.CurrentPage{}, err
	}
	return lifecycle.CurrentsOf(page)
}
