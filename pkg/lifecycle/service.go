package lifecycle

import (
	"context"
	"io"
	"time"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Service changes and reads profiles. Set the fields before the first call; the methods
// are safe for concurrent use.
type Service struct {
	Store Store
	// Profile returns the specification of the profiles of a subject type, as the method
	// Profile of a catalog does.
	Profile func(subjectType string) catalog.Profile
	Limits  config.Limits // the zero value rejects almost every profile; see config.Default
	// Now is the clock for createdAt, updatedAt and deletedAt, and for the expiry of
	// tombstones and versions.
	Now func() model.Time
	// Rand is the source of tokens, generations and the jitter of pauses. It must be safe
	// for concurrent use, as crypto/rand.Reader is.
	Rand io.Reader
	// Sleep waits between requests, or returns the context's error if the context ends
	// first; nil means the wall clock.
	Sleep       func(context.Context, time.Duration) error
	RetryPolicy retry.Policy
}
