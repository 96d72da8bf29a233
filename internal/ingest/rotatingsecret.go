package ingest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/ids"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// RotatingSecretStore stores one secret for each day.
type RotatingSecretStore interface {
	// PutRotatingSecret stores s on condition that its day has no secret yet. When the condition fails, it
	// returns the stored secret. An error is permanent: a retry would fail too.
	PutRotatingSecret(ctx context.Context, s entity.RotatingSecret) (storage.WriteResult, entity.RotatingSecret, error)
}

// RotatingSecrets returns the secret of a day, the same one in every process. Its fields
// are set before the first call. It is safe for concurrent use.
type RotatingSecrets struct {
	Service *Service // its Rand and retry policy are used
	Store   RotatingSecretStore

	mu    sync.Mutex // guards today
	today entity.RotatingSecret
}

const (
	secretBytes = 32
	// secretKept is how long a secret outlives its day, for processes whose clocks differ.
	secretKept = time.Hour
)

// At returns the secret of the UTC day that contains at. The first process to call it creates the secret; for
// all others the failed conditional put returns the stored one. It costs each process one request a day.
func (s *RotatingSecrets) At(ctx context.Context, at model.Time) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	day := tier.Day.BucketOf(at)
	if s.today.Secret != nil && s.today.Day == day.Start {
		return s.today.Secret, nil
	}
	secret, err := ids.Secret(s.Service.Rand, secretBytes)
	if err != nil {
		return nil, fmt.Errorf("secret of %s: %w", day, err)
	}
	fresh := entity.RotatingSecret{Day: day.Start, Secret: secret, ExpiresAt: day.End.Add(secretKept).Seconds()}
	stored, err := s.put(ctx, fresh)
	if err != nil {
		return nil, fmt.Errorf("store the secret of %s: %w", day, err)
	}
	s.today = stored
	return stored.Secret, nil
}

// put stores fresh unless the day has a secret, and returns the stored one. If the response
// to a successful put is lost, the retry fails its condition and returns fresh.
func (s *RotatingSecrets) put(ctx context.Context, fresh entity.RotatingSecret) (entity.RotatingSecret, error) {
	ctx, cancel := retry.WithHeadroom(ctx, s.Service.Headroom)
	defer cancel()
	stored := fresh
	_, err := s.Service.send(ctx, func(ctx context.Context) (StoreResult, error) {
		result, existing, err := s.Store.PutRotatingSecret(ctx, fresh)
		if result == storage.ConditionFailed {
			stored = existing
		}
		return StoreResult{Result: result}, err
	})
	return stored, err
}
