package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/release"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// describe answers the description of the API.
func (h *Handler) describeAPI(context.Context, target, params) (any, error) {
	return h.API()
}

type healthView struct {
	Status string `json:"status"`
}

// nobody is a subject that no item can be of: no subject type has such a name.
var nobody = model.Subject{Type: "health", ID: "health"}

// health asks the table for something that is not there, and says whether it answered.
func (h *Handler) health(ctx context.Context, _ target, _ params) (any, error) {
	if _, err := h.Query.Profile(ctx, nobody, false); err != nil {
		return nil, fmt.Errorf("ask after the table: %w", err)
	}
	return healthView{"ok"}, nil
}

type releaseView struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	Format  int    `json:"format"` // of stored items
}

func (h *Handler) release(context.Context, target, params) (any, error) {
	return releaseView{Version: release.Version(), Go: runtime.Version(), Format: item.Version}, nil
}
