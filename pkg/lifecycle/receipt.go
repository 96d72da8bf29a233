package lifecycle

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/entity"
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
	Removed         []entity.PurgeCount `json:"removed"`
	RemainingCopies []RemainingCopy     `json:"remains"`
}

// Copy is a place outside the table where a copy of the data may remain, and the longest
// time that it remains there.
type Copy struct {
	Where string
	For   time.Duration // zero means until its owner deletes it
}

// RemainingCopy is a Copy in a receipt, with its end instead of its duration.
type RemainingCopy struct {
	Where string      `json:"where"`
	Until *model.Time `json:"until"` // null: until its owner deletes it
}

// StandardCopies returns the places where copies remain after every purge. The caller
// adds those whose retention is configured.
func StandardCopies() []Copy {
	const day = 24 * time.Hour
	return []Copy{
		{"the purge lock, which names the subject", lockDuration},
		{"empty rollups, which name series and buckets and contain no measures", 25 * time.Hour},
		{"the table stream", day},
		{"point-in-time recovery of the table", 35 * day},
		{"backups and exports that users made", 0},
	}
}

func (p *Purger) receipt(at *entity.Purge) Receipt {
	now := p.now()
	r := Receipt{Purge: at.ID, RequestedBy: at.By, RequestedAt: at.RequestedAt, LockedAt: at.LockedAt, FinishedAt: now, Removed: at.Counts}
	for _, c := range p.Copies {
		remaining := RemainingCopy{Where: c.Where}
		if c.For > 0 {
			until := now.Add(c.For)
			remaining.Until = &until
		}
		r.RemainingCopies = append(r.RemainingCopies, remaining)
	}
	return r
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
