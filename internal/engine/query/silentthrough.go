package query

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// SilentThrough returns the time through which the silence of the subjects of kinds is known. For groups,
// this is the start of the last bucket that has closed: their last event is known to the bucket.
func (s *Service) SilentThrough(
	ctx context.Context, kinds []*catalog.Kind, p Progress,
) (model.Time, error) {
	through := p.KnownThrough(s.Now())
	live, ok := s.Store.(*Live)
	for _, kind := range kinds {
		if kind.GroupsOf == "" || !ok {
			continue
		}
		marks, err := live.swept.get(ctx, live.Now(), live.Watermarks.Sweeps)
		if err != nil {
			return through, err
		}
		closed := queue.ClosedThrough(kind.Retention, marks.OfShard(storage.GroupShard))
		if closed > model.MinTime {
			closed = kind.Retention.Finest().Unit.BucketAt(closed - 1).Start
		}
		through = min(through, closed)
	}
	return through, nil
}
