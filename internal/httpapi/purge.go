package httpapi

import (
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Purge is the state of a purge as JSON. Empty members are omitted.
type Purge struct {
	ID      string              `json:"purge,omitempty"`
	Step    entity.PurgeStep    `json:"step,omitempty"`
	Due     *model.Time         `json:"due,omitempty"`
	Resume  *model.Time         `json:"resume,omitempty"` // no step is run before this time
	Removed []entity.PurgeCount `json:"removed,omitempty"`
	Receipt *lifecycle.Receipt  `json:"receipt,omitempty"` // of a completed purge, until its purge lock expires
	Would   []entity.PurgeCount `json:"would,omitempty"`   // what a dry run counted
}

// PurgeOf returns p as JSON.
func PurgeOf(p lifecycle.Progress) Purge {
	if p.Done {
		return Purge{ID: p.Receipt.Purge, Step: entity.PurgeDone, Receipt: &p.Receipt}
	}
	return Purge{ID: p.Purge.ID, Step: p.Purge.Step, Due: &p.Purge.DueAt, Removed: p.Purge.Counts, Resume: &p.Resume}
}
