package lifecycle

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Service changes and reads profiles. Only Store is required: the zero value of each other field is its
// default. Set the fields before the first call; the methods are safe for concurrent use. A change returns an
// error that wraps model.ErrRejected if the profile is invalid (model.FieldErrors), and model.ErrUndecided
// with its cause if the table did not decide: then read the profile, or repeat the change.
type Service struct {
	Store Store
	// Profile returns the specification of the profiles of a subject type, as the method
	// Profile of a catalog does. nil means catalog.Profile{} for all.
	Profile func(subjectType string) catalog.Profile
	Limits  config.Limits // a limit of zero means the default of the configuration
	// Now is the clock for createdAt, updatedAt and deletedAt, and for the expiry of
	// tombstones and versions; nil means the wall clock.
	Now func() model.Time
	// Rand is the source of tokens, generations and the jitter of pauses. It must be safe
	// for concurrent use, as crypto/rand.Reader is; nil means crypto/rand.
	Rand io.Reader
	// Sleep waits between requests, or returns the context's error if the context ends
	// first; nil means the wall clock.
	Sleep       func(context.Context, time.Duration) error
	RetryPolicy retry.Policy
}

// profile returns the specification of a subject type, with all defaults.
func (s *Service) profile(subjectType string) catalog.Profile {
	if s.Profile == nil {
		return catalog.Profile{}.Complete()
	}
	return s.Profile(subjectType).Complete()
}

func (s *Service) limits() config.Limits { return s.Limits.Complete() }

func (s *Service) now() model.Time { return currentTime(s.Now) }

func (s *Service) random() io.Reader { return randomSource(s.Rand) }

func currentTime(clock func() model.Time) model.Time {
	if clock == nil {
		return model.NewTime(time.Now())
	}
	return clock()
}

func randomSource(source io.Reader) io.Reader {
	if source == nil {
		return rand.Reader
	}
	return source
}

// Outcome is what happened to a requested change. Outcomes are values, not errors.
type Outcome string

// The outcomes. If several apply, the first in this order is returned: Gone; Exists,
// Restorable or NotFound; Conflict; Taken. A rejected profile and a change that the table did
// not decide have no outcome: they are errors, model.ErrRejected and model.ErrUndecided.
const (
	Created   Outcome = "created"
	Updated   Outcome = "updated"
	Unchanged Outcome = "unchanged" // the profile has these values already: nothing was written
	Deleted   Outcome = "deleted"   // replaced by a tombstone; can be restored until it expires
	Restored  Outcome = "restored"
	Removed   Outcome = "removed" // permanently, with its versions and unique values

	Exists     Outcome = "exists"     // the subject has a profile
	Restorable Outcome = "restorable" // the profile was deleted and can be restored
	NotFound   Outcome = "not-found"  // there is no profile to change
	Conflict   Outcome = "conflict"   // the profile has another version than the caller expects
	Taken      Outcome = "taken"      // another subject has a value that must be unique
	Gone       Outcome = "gone"       // the subject is being purged
)

// Result is the result of one change. It is zero if the change returned an error.
type Result struct {
	Outcome Outcome
	// Profile is the profile after a completed change, or the existing profile if the outcome is Exists,
	// Restorable or Conflict; nil otherwise. A deleted profile has a DeletedAt.
	Profile    *model.Profile
	Constraint string // if Taken: the name of the unique constraint
}

// ErrTooManyItems is returned for a change that needs more items than a transaction can
// have. Nothing was sent.
var ErrTooManyItems = errors.New(
	"the change needs more than the 100 items that a transaction can have: declare fewer unique constraints")

// errNoFailedCondition is returned if the table refuses a transaction but names no failed precondition.
var errNoFailedCondition = errors.New("the table refused the change but reported no failed precondition")

// errVersionExists is returned if the version to write exists in the same generation, so
// the profile's version number was changed from outside.
var errVersionExists = errors.New(
	"this version exists already, although the profile has not reached it: correct the profile's " +
		"_version in the table")

// errChanged is returned if a subject changed while it was read: it must be read again.
var errChanged = errors.New("the subject changed in the meantime")
