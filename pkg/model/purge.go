package model

// Gate shuts a subject while and after it is purged: nothing of it is written.
type Gate struct {
	Subject   Subject
	Since     Time
	ExpiresAt int64  // epoch seconds: TTL lifts it
	PurgeID   string // of the purge that set it
	Receipt   string // JSON, once that is done
}

// PurgeStep is how far a purge is.
type PurgeStep string

// The steps of a purge, in their order. Each is named by what has been done.
const (
	PurgeAsked  PurgeStep = "asked"  // nothing yet: it waits until it is due
	PurgeGated  PurgeStep = "gated"  // the gate is shut; whoever looked before has time to end
	PurgeFenced PurgeStep = "fenced" // each current is fenced; whoever wrote before has time to end
	PurgeErased PurgeStep = "erased" // all is removed once; folds under way have time to end
	PurgeDone   PurgeStep = "done"   // all is removed; what folds left behind is, too
)

// Purge is the removal of everything of a subject: what is remembered of one under way.
type Purge struct {
	ID      string // by which the receipt names it: of the subject it says nothing
	Subject Subject
	By      string // who asked
	Asked   Time
	Due     Time // it begins then, not before
	Step    PurgeStep
	Since   Time // since when it is at its step
	Gated   Time // when the gate was shut; zero before
	Counts  []PurgeCount
	Rev     [16]byte // fresh at every write: the optimistic lock
}

// PurgeCount is what was removed of one class of items.
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
	p.Counts = append(p.Counts, PurgeCount{class, items, bytes})
}
