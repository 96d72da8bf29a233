package model

import "fmt"

// Verdict is what became of one observation. Verdicts are values, never errors.
type Verdict string

// The verdicts. Where several would fit, the precedence is Rejected, Gone,
// Collision, Duplicate, Conflict, then Late or Stale.
const (
	Applied   Verdict = "applied"   // newer than current: current and event written in one transaction
	Late      Verdict = "late"      // older than current, policy keep: event written, current untouched
	Stale     Verdict = "stale"     // older than current, policy drop: nothing written
	Duplicate Verdict = "duplicate" // this very event is stored already
	Collision Verdict = "collision" // same identity, another payload: nothing written
	Conflict  Verdict = "conflict"  // the caller's own condition failed
	Gone      Verdict = "gone"      // the subject is being purged
	Rejected  Verdict = "rejected"  // failed admission; Errors say why
	Unknown   Verdict = "unknown"   // a transient failure came first: send it again, that is safe
)

// Outcome is the verdict on one observation.
type Outcome struct {
	Verdict Verdict
	Key     EventKey // zero where Rejected before the identity was known
	// Current is what the verdict was decided by: as written where Applied, as the
	// failed condition returned it otherwise; nil where Rejected, where the kind
	// keeps no current, and where nothing had to be compared.
	Current *Current
	Errors  []FieldError // where Rejected
}

// FieldError says what is wrong with one field of an observation.
type FieldError struct {
	Field   string `json:"field"`   // its name, or "" for the whole
	Code    string `json:"code"`    // stable, kebab-case
	Message string `json:"message"` // what, why and what to do
}

func (e FieldError) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}

// Answer is what the server said to one write request, before anybody draws a
// conclusion from it.
type Answer int

// The answers to a write.
const (
	Written     Answer = iota // it is stored
	Refused                   // a condition failed; nothing of the request is stored
	Throttled                 // nothing is stored; try again later
	Conflicting               // another transaction was under way; nothing is stored; try again
	Uncertain                 // no answer, or a server error: stored or not, only a look can tell
)

var answerNames = [...]string{"written", "refused", "throttled", "conflicting", "uncertain"}

func (a Answer) String() string { return nameOf(answerNames[:], int(a), "Answer") }

// nameOf is the name at place i, or something to find the mistake by.
func nameOf(names []string, i int, typeName string) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("%s(%d)", typeName, i)
	}
	return names[i]
}
