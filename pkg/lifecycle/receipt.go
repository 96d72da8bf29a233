package lifecycle

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Receipt says what a purge removed, how many, when, and who asked. It holds no data of
// the subject and does not name it: whoever asked knows the purge by its id.
type Receipt struct {
	Purge    string     `json:"purge"`
	By       string     `json:"by"`
	Asked    model.Time `json:"asked"`
	Gated    model.Time `json:"gated"` // from here on nothing of the subject was taken in
	Finished model.Time `json:"finished"`
	// Removed is by class, and never more than was there. What was removed is counted a
	// page later (1 MB at most), so where a purge died between, or two were at it, that
	// page is missing.
	Removed []model.PurgeCount `json:"removed"`
	Remains []Remains          `json:"remains"`
}

// Copy is a place outside the table where a copy may remain, and for how long at most.
type Copy struct {
	Where string
	For   time.Duration // zero means as long as its owner keeps it
}

// Remains is a Copy of a receipt: until when.
type Remains struct {
	Where string      `json:"where"`
	Until *model.Time `json:"until"` // null: as long as its owner keeps it
}

// StandardCopies are where copies remain after a purge. Retentions that are configured
// are the caller's to add.
func StandardCopies() []Copy {
	const day = 24 * time.Hour
	return []Copy{
		{"the gate, which names the subject", GateFor},
		{"empty rollup rows, which name series and buckets and hold no measures", 25 * time.Hour},
		{"the table stream", day},
		{"point-in-time recovery of the table", 35 * day},
		{"backups and exports that somebody made", 0},
	}
}

func (p *Purger) receiptOf(at *model.Purge) Receipt {
	now := p.Now()
	r := Receipt{Purge: at.ID, By: at.By, Asked: at.Asked, Gated: at.Gated, Finished: now, Removed: at.Counts}
	for _, c := range p.Copies {
		remains := Remains{Where: c.Where}
		if c.For > 0 {
			until := now.Add(c.For)
			remains.Until = &until
		}
		r.Remains = append(r.Remains, remains)
	}
	return r
}

func (r *Receipt) text() string {
	text, _ := json.Marshal(r) // plain data: cannot fail
	return string(text)
}

func parseReceipt(text string) (r Receipt, err error) {
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return Receipt{}, fmt.Errorf("read the receipt: %w", err)
	}
	return r, nil
}
