package query

import (
	"context"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// completeThrough returns the least low watermark of the series that have deferred tiers;
// nil if there are none. Buckets that closed until then are stored rows, and later ones
// are folded when they are read.
func (s *Service) completeThrough(ctx context.Context, q Rollups) (through *model.Time, err error) {
	live, ok := s.Store.(*Live)
	if !ok {
		return nil, nil
	}
	for _, series := range q.series() {
		switch kind, err := live.Kind(ctx, series.Kind); {
		case err != nil:
			return nil, err
		case kind == nil || !kind.Retention.HasDeferred():
			continue
		}
		at, err := live.CompleteThrough(ctx, series)
		if err != nil {
			return nil, err
		}
		if through == nil || at < *through {
			through = &at
		}
	}
	return through, nil
}
