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
	for _, kind := range kinds {
		if kind.GroupsOf == "" {
			continue
		}
		closed, known, err := s.groupsClosed(ctx, kind)
		if err != nil {
			return through, err
		}
		if !known {
			continue
		}
		if closed > model.MinTime {
			closed = kind.Retention.Finest().Unit.BucketAt(closed - 1).Start
		}
		through = min(through, closed)
	}
	return through, nil
}

// groupsClosed returns the end of the last bucket of the finest tier of a kind of groups that has closed;
// known is false if the store does not tell.
func (s *Service) groupsClosed(
	ctx context.Context, kind *catalog.Kind,
) (end model.Time, known bool, err error) {
	live, ok := s.Store.(*Live)
	if !ok {
		return 0, false, nil
	}
	marks, err := live.swept.get(ctx, live.Now(), live.Watermarks.Sweeps)
	return queue.ClosedThrough(kind.Retention, marks.ForShard(storage.GroupShard)), err == nil, err
}
