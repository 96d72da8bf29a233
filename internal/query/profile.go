package query

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Profile reads a subject's profile by one Get. It returns nil if there is none, or if
// it has expired.
func (s *Service) Profile(ctx context.Context, subject model.Subject, consistent bool) (*model.Profile, error) {
	if err := keys.Metadata(subject).Check(); err != nil || subject.ID == "" {
		return nil, fmt.Errorf("read profile of %s: %w", subject, ErrSeries)
	}
	p, err := s.Store.Profile(ctx, subject, consistent)
	if err != nil {
		return nil, fmt.Errorf("read profile of %s: %w", subject, err)
	}
	if p == nil || expired(p.ExpiresAt, s.Now()) {
		return nil, nil
	}
	return p, nil
}
