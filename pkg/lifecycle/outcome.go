package lifecycle

import (
	"errors"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Verdict is what became of a change that was asked for. Verdicts are values, never
// errors.
type Verdict string

// The verdicts. Where several would fit, the precedence is Rejected, Gone, then Exists,
// InBin or NotFound, then Conflict, then Taken.
const (
	Created   Verdict = "created"
	Updated   Verdict = "updated"
	Unchanged Verdict = "unchanged" // the profile says so already: nothing was written
	Deleted   Verdict = "deleted"   // out of sight; it can be restored until it expires
	Restored  Verdict = "restored"
	Removed   Verdict = "removed" // for good, versions and unique values with it

	Exists   Verdict = "exists"    // there is a profile already
	InBin    Verdict = "in-bin"    // it was deleted, and can be restored
	NotFound Verdict = "not-found" // there is nothing to change
	Conflict Verdict = "conflict"  // it has another version than the caller expects
	Taken    Verdict = "taken"     // another subject has a value that must be unique
	Gone     Verdict = "gone"      // the subject is being purged
	Rejected Verdict = "rejected"  // it cannot be stored as it is; Errors say why
	Unknown  Verdict = "unknown"   // a transient failure came first: look, or ask again
)

// Outcome is the verdict on one change.
type Outcome struct {
	Verdict Verdict
	// Profile is what now stands where the verdict is of something done, and what stood
	// in the way where it is Exists, InBin or Conflict; nil otherwise. A deleted one has
	// a DeletedAt.
	Profile    *model.Profile
	Constraint string             // of Taken: the name of the unique constraint
	Errors     []model.FieldError // of Rejected
}

// ErrTooManyItems says that a change would take more items than one transaction holds.
// Nothing was sent.
var ErrTooManyItems = errors.New("the change takes more items than the 100 that a transaction holds: declare fewer unique constraints")

// errUnreasoned says that the table refused a request for no reason that could be.
var errUnreasoned = errors.New("the table refused the change, but every condition it names holds")

// errVersion says that somebody counted a profile's versions otherwise than we do.
var errVersion = errors.New("it is kept already, though the profile has not come so far: correct the profile's _version by hand")

// errMoved says that a subject changed while it was looked at: it is to be looked at
// again.
var errMoved = errors.New("the subject changed meanwhile")
