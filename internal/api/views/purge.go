package views

import (
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Purge is the state of a purge as JSON. Empty members are omitted.
type Purge struct {
	ID      string               `json:"purge,omitempty"`
	Step    storage.PurgeStep    `json:"step,omitempty"`
	Due     *model.Time          `json:"due,omitempty"`
	Resume  *model.Time          `json:"resume,omitempty"` // no step is run before this time
	Removed []storage.PurgeCount `json:"removed,omitempty"`
	Receipt *lifecycle.Receipt   `json:"receipt,omitempty"` // of a completed purge, until its purge lock expires
	Would   []storage.PurgeCount `json:"would,omitempty"`   // what a dry run counted
	Events  *ErasedEvents        `json:"events,omitempty"`  // if some events were removed, not the subject
	Value   *HiddenValue         `json:"value,omitempty"`   // if a value was removed from rollups
}

// ErasedEvents is what a removal of some events of a subject did, as JSON.
type ErasedEvents struct {
	Removed    int64 `json:"removed"`    // in a dry run: would be
	Expiring   int64 `json:"expiring"`   // expire within minutes, and were left to
	Unreadable int64 `json:"unreadable"` // cannot be decoded, so that they may meet the condition: not removed
	WithFields int64 `json:"withFields"` // have the fields of the condition, whatever their values
	// Next is the cursor of the request that goes on; nil if all events were read.
	Next    *string                   `json:"next"`
	Remains []lifecycle.RemainingCopy `json:"remains"` // copies elsewhere, and until when
}

// Add adds the result of one series.
func (e *ErasedEvents) Add(r lifecycle.EraseResult) {
	e.Removed += r.Deleted
	e.Expiring += r.Expiring
	e.Unreadable += r.Unreadable
	e.WithFields += r.WithFields
}

// NewPurge returns p as JSON.
func NewPurge(p lifecycle.Progress) Purge {
	if p.Done {
		return Purge{ID: p.Receipt.Purge, Step: storage.PurgeDone, Receipt: &p.Receipt}
	}
	return Purge{ID: p.Purge.ID, Step: p.Purge.Step, Due: &p.Purge.DueAt, Removed: p.Purge.Counts,
		Resume: &p.Resume}
}

// HiddenValue is what the removal of a value from the rollups of a subject did, as JSON.
type HiddenValue struct {
	Removed    int                       `json:"removed"`    // rollups that had it; in a dry run: have
	Events     int                       `json:"events"`     // stored events that have it, in a dry run
	Unreadable int                       `json:"unreadable"` // events that cannot be decoded, and may
	Damaged    int                       `json:"damaged"`    // rollups that cannot be decoded: not changed
	Groups     []string                  `json:"groups"`     // whose rollups may keep it: by-site/berlin
	AllGroups  bool                      `json:"allGroups"`  // others may: a rollup does not name its groups
	Next       *string                   `json:"next"`       // cursor of the next request; nil if done
	Remains    []lifecycle.RemainingCopy `json:"remains"`    // copies elsewhere, and until when
}
