package model

// What tells what happened to an event.
type What int

// What a table stream record can say of an event.
const (
	Inserted  What = iota + 1
	Corrected      // changed in place by somebody
	Deleted        // removed by somebody
	Expired        // removed by TTL
)

var whatNames = [...]string{"unknown", "inserted", "corrected", "deleted", "expired"}

func (w What) String() string { return nameOf(whatNames[:], int(w), "What") }

// Change is one table stream record about an event, decoded.
type Change struct {
	What What
	Key  EventKey
	// Before and After are the images the record carried; nil where it carried none
	// or where an image could not be decoded.
	Before, After *Event
	Seq           string // SequenceNumber: names the record in an answer; never compared
	Source        string // ARN of the table stream
	EventID       string
	// At is when the change was made, by the table's clock (whole seconds at best).
	At Time
}
