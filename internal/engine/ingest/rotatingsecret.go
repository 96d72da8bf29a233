package ingest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// RotatingSecretStore stores one secret for each day.
type RotatingSecretStore interface {
	// PutRotatingSecret stores s on condition that its day has no secret yet. When the condition fails, it
	// returns the stored secret. An error is permanent: a retry would fail too.
	PutRotatingSecret(ctx context.Context, s storage.RotatingSecret) (storage.WriteResult,
		storage.RotatingSecret, error)
}

// RotatingSecrets returns the secret of a day, the same one in every process. Its fields
// are set before the first call. It is safe for concurrent use.
type RotatingSecrets struct {
	Service *Service // its Rand and retry policy are used
	Store   RotatingSecretStore

	mu   sync.Mutex                // guards days
	days [2]storage.RotatingSecret // today's and yesterday's, in either order
}

const (
	secretBytes = 32
	// secretKept is how long a secret outlives its day: for what goes on over midnight, and for processes
	// whose clocks differ.
	secretKept = OverMidnight + time.Hour
)

// OverMidnight is how long after the end of a day its secret is still used for what began on it.
const OverMidnight = 2 * time.Hour

// At returns the secret of the UTC day that contains at. The first process to call it creates the secret; for
// all others the failed conditional put returns the stored one. It costs each process one request a day.
func (s *RotatingSecrets) At(ctx context.Context, at model.Time) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	day := tier.Day.BucketAt(at)
	kept := &s.days[day.Start.Time().Unix()/int64(tier.Day24.Seconds())%int64(len(s.days))]
	if kept.Secret != nil && kept.Day == day.Start {
		return kept.Secret, nil
	}
	secret, err := ids.Secret(s.Service.Rand, secretBytes)
	if err != nil {
		return nil, fmt.Errorf("secret of %s: %w", day, err)
	}
	fresh := storage.RotatingSecret{Day: day.Start, Secret: secret, ExpiresAt: day.End.Add(secretKept).Seconds()}
	stored, err := s.put(ctx, fresh)
	if err != nil {
		return nil, fmt.Errorf("store the secret of %s: %w", day, err)
	}
	*kept = stored
	return stored.Secret, nil
}

// put stores fresh unless the day has a secret, and returns the stored one. If the response
// to a successful put is lost, the retry fails its condition and returns fresh.
func (s *RotatingSecrets) put(ctx context.Context,
	fresh storage.RotatingSecret) (storage.RotatingSecret, error) {
	ctx, cancel := retry.WithHeadroom(ctx, s.Service.Headroom)
	defer cancel()
	stored := fresh
	_, err := s.Service.send(ctx, func(ctx context.Context) (storage.StoreResult, error) {
		result, existing, err := s.Store.PutRotatingSecret(ctx, fresh)
		if result == storage.ConditionFailed {
			stored = existing
		}
		return storage.StoreResult{Result: result}, err
	})
	return stored, err
}
