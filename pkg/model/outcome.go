package model

import (
	"errors"
	"strings"
)

// Outcome is what happened to one observation. Outcomes are values, not errors.
type Outcome string

// The outcomes. If several apply, the first in this order is returned: Rejected, Gone,
// Collision, Duplicate, Conflict, then Late or Stale.
const (
	Applied   Outcome = "applied"   // newer than the latest item: both were written in one transaction
	Late      Outcome = "late"      // older than the latest item, policy keep: only the event was written
	Stale     Outcome = "stale"     // older than the latest item, policy drop: nothing was written
	Duplicate Outcome = "duplicate" // the same event is already stored
	// an event with the same identity and other fields is stored: nothing was written
	Collision Outcome = "collision"
	Conflict  Outcome = "conflict" // the caller's own condition failed
	Gone      Outcome = "gone"     // the subject is being purged
	Rejected  Outcome = "rejected" // failed validation; Errors say why
	Unknown   Outcome = "unknown"  // not decided because of a transient failure; sending it again is safe
)

// AppendResult is the result of appending one observation.
type AppendResult struct {
	Outcome Outcome
	Key     EventKey // zero if the observation was rejected before its identity was known
	// Latest is the latest item that decided the outcome: as written if Applied, else as the failed condition
	// returned it. It is nil if Rejected, if the kind has no latest item, and if no comparison was needed.
	Latest *Latest
	// Invalid names the measures of the event that are not numbers. Rollups count them as invalid.
	Invalid []string
	// NotStored are the parts of the observation that are not stored as they were sent, and why: the rest is.
	NotStored []FieldError
	// Undeclared are the stored fields that the kind does not declare, if it declares any.
	Undeclared []UndeclaredField
	Errors     []FieldError // if Rejected
	Err        error        // if Unknown: why
}

// UndeclaredField is a field that a kind does not declare.
type UndeclaredField struct {
	Field string `json:"field"`
	// DidYouMean is the declared field with a similar name; "" if there is none.
	DidYouMean string `json:"didYouMean,omitempty"`
}

// Errors of a write that stored nothing, or may have stored nothing. An error wraps one of them at most.
// Outcomes are values: they say what the table decided.
var (
	// ErrRejected reports that a value is invalid and was not sent. errors.As with FieldErrors
	// finds all of its fields.
	ErrRejected = errors.New("the value is rejected")
	// ErrUndecided reports that the attempts or the time ran out before the table decided. The
	// error also wraps the cause, such as the context's error. The write may be stored or not.
	ErrUndecided = errors.New("the table did not decide")
	// ErrPermanent reports that repeating the request does not help: the table does not exist in the Region,
	// a permission or the credentials are missing, or the configuration is wrong. The error also says what
	// to do.
	ErrPermanent = errors.New("repeating the request does not help")
)

// FieldErrors is the error of a rejected value. It wraps ErrRejected and each of its fields.
type FieldErrors []FieldError

// Error returns all fields and messages in one line.
func (e FieldErrors) Error() string {
	texts := make([]string, len(e))
	for i := range e {
		texts[i] = e[i].Error()
	}
	return ErrRejected.Error() + ": " + strings.Join(texts, "; ")
}

// Unwrap returns ErrRejected and the errors of the fields.
func (e FieldErrors) Unwrap() []error {
	all := []error{ErrRejected}
	for _, one := range e {
		all = append(all, one)
	}
	return all
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
