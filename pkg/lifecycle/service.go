package lifecycle

import (
	"context"
	"crypto/rand"
	"io"
	"time"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Service changes and reads profiles. Only Store is required: the zero value of each other
// field is its default. Set the fields before the first call; the methods are safe for
// concurrent use. A change returns an error that wraps model.ErrRejected if the profile is
// invalid (model.FieldErrors), and model.ErrUndecided with its cause if the table did not
// decide: then read the profile, or repeat the change.
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

func (s *Service) now() model.Time { return nowOf(s.Now) }

func (s *Service) random() io.Reader { return randomOf(s.Rand) }

func nowOf(clock func() model.Time) model.Time {
	if clock == nil {
		return model.TimeOf(time.Now())
	}
	return clock()
}

func randomOf(source io.Reader) io.Reader {
	if source == nil {
		return rand.Reader
	}
	return source
}
