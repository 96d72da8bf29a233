package storage

import "github.com/tidemark-db/tidemark/pkg/model"

// ChangeType is what happened to an event, or to a subject.
type ChangeType int

// The changes that a table stream record can report.
const (
	Inserted  ChangeType = iota + 1
	Corrected            // a user changed the stored event in place
	Deleted              // a user deleted it
	Expired              // TTL deleted it
	Moved                // a profile changed, and with it the groups of its subject
)

var changeTypeNames = [...]string{"unknown", "inserted", "corrected", "deleted", "expired", "moved"}

// String returns the type in words.
func (c ChangeType) String() string { return nameAt(changeTypeNames[:], int(c), "ChangeType") }

// Change is one decoded table stream record about an event, or about the groups of a subject.
type Change struct {
	Type ChangeType
	// Key is the event's. Of a subject that Moved it has the subject, and when the newest entry of Groups
	// begins.
	Key    model.EventKey
	Groups *Memberships // of a subject that Moved, after the change
	// Before and After are the images in the record; nil where the record has none or
	// the image cannot be decoded.
	Before, After *model.Event
	Seq           string // the SequenceNumber: identifies the record in a batch response; never compared
	Source        string // ARN of the table stream
	EventID       string
	// At is the time of the change by the table's clock, in whole seconds at best.
	At model.Time
}
