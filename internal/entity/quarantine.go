package entity

import "github.com/tidemark-db/tidemark/pkg/model"

// Quarantined is a payload that could not be processed and has no caller to return an
// error to: an observation that was rejected at an asynchronous source, or a table
// stream record without a readable bucket.
type Quarantined struct {
	// ID is the same for each delivery of the same payload, so a repeat is stored once.
	// For an observation it is a hash of the delivery, for a table stream record its time
	// and event id.
	ID        string
	Source    string        // iot, sqs, kinesis or stream
	Subject   model.Subject // zero if not known
	Reason    string        // one sentence for people
	Errors    []model.FieldError
	Payload   []byte // complete, as received
	ArrivedAt model.Time
	ExpiresAt int64 // epoch seconds
}
