package storage

import "github.com/tidemark-db/tidemark/pkg/model"

// PurgeLock blocks all writes to a subject during and after its purge.
type PurgeLock struct {
	Subject   model.Subject
	Since     model.Time
	ExpiresAt int64  // epoch seconds: TTL removes the lock
	PurgeID   string // the purge that set it
	Receipt   string // JSON; set when the purge is done
}

// PurgeStep is the last completed step of a purge.
type PurgeStep string

// The steps of a purge in order. The stored strings are older than the names.
const (
	PurgeRequested PurgeStep = "requested" // nothing is done yet: the purge waits until it is due
	// the purge lock is set; requests that checked before must end
	PurgeSubjectLocked PurgeStep = "subject-locked"
	PurgeLatestLocked  PurgeStep = "latest-locked" // each latest item is locked; writes sent before must end
	// everything is deleted once; aggregation in progress must end
	PurgeErased PurgeStep = "erased"
	PurgeDone   PurgeStep = "done" // everything is deleted, late rollups included
)

// Purge is the state of the deletion of everything that is stored for a subject.
type Purge struct {
	ID          string // named in the receipt; contains nothing about the subject
	Subject     model.Subject
	By          string // who requested it
	RequestedAt model.Time
	DueAt       model.Time // it does not begin before
	Step        PurgeStep
	StepSince   model.Time // when Step was completed
	LockedAt    model.Time // when the purge lock was set; zero before
	Counts      []PurgeCount
	Rev         [16]byte // the optimistic lock: a new random value at each write
}

// PurgeCount is what was deleted of one class of items.
type PurgeCount struct {
	Class string `json:"class"` // events, rollups, …
	Items int64  `json:"items"`
	Bytes int64  `json:"bytes"`
}

// Count adds to the count of a class.
func (p *Purge) Count(class string, items, bytes int64) {
	for i := range p.Counts {
		if p.Counts[i].Class == class {
			p.Counts[i].Items += items
			p.Counts[i].Bytes += bytes
			return
		}
	}
	p.Counts = append(p.Counts, PurgeCount{Class: class, Items: items, Bytes: bytes})
}
