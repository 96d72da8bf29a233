package storage

import "github.com/tidemark-db/tidemark/pkg/model"

// ChangeType is what happened to an event.
type ChangeType int

// The changes that a table stream record can report about an event.
const (
	Inserted  ChangeType = iota + 1
	Corrected            // a user changed the stored event in place
	Deleted              // a user deleted it
	Expired              // TTL deleted it
)

var changeTypeNames = [...]string{"unknown", "inserted", "corrected", "deleted", "expired"}

// String returns the type in words.
func (c ChangeType) String() string { return nameAt(changeTypeNames[:], int(c), "ChangeType") }

// Change is one decoded table stream record about an event.
type Change struct {
	Type ChangeType
	Key  model.EventKey
	// Before and After are the images in the record; nil where the record has none or
	// the image cannot be decoded.
	Before, After *model.Event
	Seq           string // the SequenceNumber: identifies the record in a batch response; never compared
	Source        string // ARN of the table stream
	EventID       string
	// At is the time of the change by the table's clock, in whole seconds at best.
	At model.Time
}
