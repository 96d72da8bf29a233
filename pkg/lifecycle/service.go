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

// Service changes profiles and reads them. Its fields are set once, before the first
// call; its methods are safe for concurrent use.
type Service struct {
	Store Store
	// Profile is what the profiles of a subject type promise: Profile of a catalog.
	Profile func(subjectType string) catalog.Profile
	Limits  config.Limits // the zero value admits next to nothing; see config.Default
	// Now is the clock of createdAt, updatedAt and deletedAt, and by which tombstones
	// and versions expire.
	Now func() model.Time
	// Rand makes tokens, the nonces of lives and the jitter of pauses; safe for
	// concurrent use, as crypto/rand.Reader is.
	Rand io.Reader
	// Sleep pauses between requests, or answers the context's error when that ends
	// first; nil means the wall clock's.
	Sleep    func(context.Context, time.Duration) error
	Patience retry.Patience
}
