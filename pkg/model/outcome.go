package model

// Outcome is what happened to one observation. Outcomes are values, not errors.
type Outcome string

// The outcomes. If several apply, the first in this order is returned: Rejected, Gone,
// Collision, Duplicate, Conflict, then Late or Stale.
const (
	Applied   Outcome = "applied"   // newer than the latest item: both were written in one transaction
	Late      Outcome = "late"      // older than the latest item, policy keep: only the event was written
	Stale     Outcome = "stale"     // older than the latest item, policy drop: nothing was written
	Duplicate Outcome = "duplicate" // the same event is already stored
	Collision Outcome = "collision" // an event with the same identity and other fields is stored: nothing was written
	Conflict  Outcome = "conflict"  // the caller's own condition failed
	Gone      Outcome = "gone"      // the subject is being purged
	Rejected  Outcome = "rejected"  // failed validation; Errors say why
	Unknown   Outcome = "unknown"   // not decided because of a transient failure; sending it again is safe
)

// AppendResult is the result of appending one observation.
type AppendResult struct {
	Outcome Outcome
	Key     EventKey // zero if the observation was rejected before its identity was known
	// Latest is the latest item that decided the outcome: as written if Applied, else as
	// the failed condition returned it. It is nil if Rejected, if the kind has no latest
	// item, and if no comparison was needed.
	Latest *Latest
	Errors []FieldError // if Rejected
}

// FieldError is an error in one field of an observation.
type FieldError struct {
	Field   string `json:"field"`   // its name, or "" for the complete observation
	Code    string `json:"code"`    // stable, kebab-case
	Message string `json:"message"` // what is wrong, why, and what to do
}

// Error returns the field and the message.
func (e FieldError) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}
