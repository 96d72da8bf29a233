package model

// Quarantined is what could not be taken in and has no caller to be told: an
// observation rejected at an asynchronous door, or a table stream record from which
// not even its bucket could be read. Nothing is lost silently.
type Quarantined struct {
	// ID is its own name for good, so that a thing set aside again is kept once: at the
	// ingest doors a hash of what came in, of a table stream record its time and event id.
	ID        string
	Door      string  // where it came in: iot, sqs, kinesis, stream
	Subject   Subject // zero where not known
	Reason    string  // one sentence for people
	Errors    []FieldError
	Payload   []byte // whole, as it came
	ArrivedAt Time
	ExpiresAt int64 // epoch seconds
}
