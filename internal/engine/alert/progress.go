package alert

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// StreamStates reads how far the table is processed.
type StreamStates interface {
	// StreamState reads what is stored about the table stream.
	StreamState(ctx context.Context) (storage.StreamState, error)
	// Sweeps reads the low watermarks of all queue shards.
	Sweeps(ctx context.Context) (storage.LowWatermarks, error)
}

// progress is how far the series of a table are known.
type progress struct {
	stream model.Time // through which the table stream is processed
	groups model.Time // low watermark of the groups
}

// through returns the time through which a series of a kind is known.
func (p progress) through(kind *catalog.Kind) model.Time {
	if kind != nil && kind.GroupsOf != "" {
		return queue.ClosedThrough(kind.Retention, p.groups)
	}
	return p.stream
}

// progress reads how far the series are known.
func (s *Service) progress(ctx context.Context) (p progress, err error) {
	state, err := s.Stream.StreamState(ctx)
	p.stream = min(state.Through(), s.Now())
	if err != nil || !s.Catalog.HasGroups() {
		return p, err
	}
	marks, err := s.Stream.Sweeps(ctx)
	p.groups = marks.ForShard(storage.GroupShard)
	return p, err
}
