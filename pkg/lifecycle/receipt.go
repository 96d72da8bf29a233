package lifecycle

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Receipt says what a purge removed and when, and who requested it. It contains no data
// of the subject and does not name it: the requester knows the purge by its id.
type Receipt struct {
	Purge       string     `json:"purge"` // id of the purge
	RequestedBy string     `json:"by"`
	RequestedAt model.Time `json:"requested"`
	LockedAt    model.Time `json:"locked"` // from this time on, nothing of the subject was written
	FinishedAt  model.Time `json:"finished"`
	// Removed counts the removed items by class. The counts are saved after each page of
	// at most 1 MB. If a process stops before the save, or two processes purge the same
	// subject, pages may be missing. The counts are never too high.
	Removed         []storage.PurgeCount `json:"removed"`
	RemainingCopies []RemainingCopy      `json:"remains"`
}

// Copy is a place outside the table where a copy of the data may remain, and the longest
// time that it remains there.
type Copy struct {
	Where string
	For   time.Duration // zero means until its owner deletes it
	// OfSubject is set if only the purge of a whole subject leaves the copy.
	OfSubject bool
}

// RemainingCopy is a Copy in a receipt, with its end instead of its duration.
type RemainingCopy struct {
	Where string      `json:"where"`
	Until *model.Time `json:"until"` // null: until its owner deletes it
}

func (p *Purger) receipt(at *storage.Purge) Receipt {
	now := p.now()
	r := Receipt{Purge: at.ID, RequestedBy: at.By, RequestedAt: at.RequestedAt, LockedAt: at.LockedAt,
		FinishedAt: now, Removed: at.Counts}
	r.RemainingCopies = p.remaining(now)
	return r
}

// remaining returns the copies that remain of what is removed now.
func (p *Purger) remaining(now model.Time) (all []RemainingCopy) {
	for _, c := range p.Copies {
		remaining := RemainingCopy{Where: c.Where}
		if c.For > 0 {
			until := now.Add(c.For)
			remaining.Until = &until
		}
		all = append(all, remaining)
	}
	return all
}

// EventCopies returns where copies of deleted events remain, and until when.
func (p *Purger) EventCopies() []RemainingCopy {
	purger := *p
	purger.Copies = lists.Filter(p.Copies, func(c Copy) bool { return !c.OfSubject })
	return purger.remaining(p.now())
}

func (r *Receipt) text() string {
	text, _ := json.Marshal(r) // plain data: cannot fail
	return string(text)
}

func parseReceipt(text string) (r Receipt, err error) {
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return Receipt{}, fmt.Errorf("parse the receipt: %w", err)
	}
	return r, nil
}
