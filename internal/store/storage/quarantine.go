package storage

import "github.com/tidemark-db/tidemark/pkg/model"

// Quarantined is a payload that could not be processed and has no caller to return an
// error to: an observation that was rejected at an asynchronous source, or a table
// stream record without a readable bucket.
type Quarantined struct {
	// ID is the same for each delivery of the same payload, so a repeat is stored once. For an observation it
	// is a hash of the delivery, for a table stream record its time and event id.
	ID        string
	Source    string        // iot, sqs, kinesis or stream
	Subject   model.Subject // zero if not known
	Sender    Sender        // of an observation
	Reason    string        // one sentence for people
	Errors    []model.FieldError
	Payload   []byte // complete, as received
	ArrivedAt model.Time
	ExpiresAt int64 // epoch seconds
}

// Sender is who sent an observation, as its source decided it: the payload is not asked. What is kept for
// later keeps it, and a repair writes for no other subject or kind. The zero value is a sender that may write
// for every subject, as senders to the queue and the data stream may.
type Sender struct {
	Subject string `json:"subject,omitempty"` // id of the only subject that the sender may write
	Kind    string `json:"kind,omitempty"`    // name of the only kind
}

// Sentinel reserves a value of a unique constraint: while it exists, no other subject
// can take that value. Only its owner removes it.
type Sentinel struct {
	Partition  string // its partition key
	Owner      model.Subject
	Generation model.Generation
}

// ListedSeries is an entry of the list of series. A series without a kind says that the
// subject has a profile; it has no times.
type ListedSeries struct {
	Series model.Series // without a shard
	// First and Last are the beginnings of the hours, or days, in which the earliest and
	// the newest event of the series are.
	First, Last model.Time
	// Removed is the beginning of the hour, or day, of the newest event that was deleted when it was in Last;
	// 0 if none was. If it is before Last, the newest event is in Last. Else Last may have no event any more.
	Removed model.Time
	Name    string // of a profile: its field name, cut
}

// NewestInLast reports whether the newest event of the series is in Last. If not, it may be earlier, because
// events of Last were deleted.
func (l ListedSeries) NewestInLast() bool { return l.Removed < l.Last }
