package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/release"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// shown returns the form of what was read in responses, or the problem of what does not exist.
func shown[T, V any](read *T, err error, form func(*T) V, missing func() *httpapi.Problem) (any, error) {
	switch {
	case err != nil:
		return nil, err
	case read == nil:
		return nil, missing()
	}
	return form(read), nil
}

// describeAPI returns the OpenAPI description.
func (h *Handler) describeAPI(context.Context, resource, params) (any, error) { return h.API() }

type healthView struct {
	Status string `json:"status"`
	views.Progress
	// LagSeconds is how far the processed changes are behind now; absent before the first one.
	LagSeconds *int64 `json:"lagSeconds,omitempty"`
}

// noSubject has no items: no subject type can have this name.
var noSubject = model.Subject{Type: "health", ID: "health"}

// health reads an item that does not exist, to verify that the table responds, and the progress of
// all rollups.
func (h *Handler) health(ctx context.Context, _ resource, _ params) (any, error) {
	if _, err := h.Query.Profile(ctx, noSubject, false); err != nil {
		return nil, fmt.Errorf("read the table: %w", err)
	}
	progress, err := h.Progress(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the progress of rollups: %w", err)
	}
	view := healthView{Status: "ok", Progress: views.FromProgress(progress)}
	if view.ProcessedThrough != nil {
		view.LagSeconds = new(int64(progress.Lag(h.Query.Now()).Seconds()))
	}
	return view, nil
}

type releaseView struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	Format  int    `json:"format"` // of stored items
}

func (h *Handler) release(context.Context, resource, params) (any, error) {
	return releaseView{Version: release.Version(), Go: runtime.Version(), Format: item.Version}, nil
}
