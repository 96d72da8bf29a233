package main

import (
	"context"
	"errors"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// purgeView is the state of a purge as JSON.
type purgeView struct {
	Purge   string              `json:"purge"`
	Step    entity.PurgeStep    `json:"step"`
	Due     *model.Time         `json:"due,omitempty"`
	Resume  *model.Time         `json:"resume,omitempty"` // no step is run before this time
	Removed []entity.PurgeCount `json:"removed,omitempty"`
	Receipt *lifecycle.Receipt  `json:"receipt,omitempty"` // of a completed purge, until its purge lock expires
}

// purge returns how far the purge of a subject has come.
func (h *Handler) purge(ctx context.Context, res resource, _ params) (any, error) {
	state, err := h.Purger.Progress(ctx, res.subject())
	switch {
	case errors.Is(err, lifecycle.ErrNoPurge):
		return nil, httpapi.ProblemNoPurge.New("%s has no purge, or it was completed more than two days ago", res.subject())
	case err != nil:
		return nil, err
	case state.Done:
		return purgeView{Purge: state.Receipt.Purge, Step: state.Purge.Step, Receipt: &state.Receipt}, nil
	}
	return purgeView{Purge: state.Purge.ID, Step: state.Purge.Step, Due: &state.Purge.DueAt, Resume: &state.Resume, Removed: state.Purge.Counts}, nil
}
