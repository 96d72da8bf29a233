package query

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// latestReader reads the latest item of one series; nil if there is none.
type latestReader func(ctx context.Context, series model.Series, consistent bool) (*model.Latest, error)

// latestReader returns how the latest items of a kind are read.
func (s *Service) latestReader(kind *catalog.Kind) latestReader {
	if kind.LatestInTransaction() {
		return s.Store.Latest
	}
	return func(ctx context.Context, series model.Series, consistent bool) (*model.Latest, error) {
		return s.derivedLatest(ctx, kind, series, consistent)
	}
}

// derivedLatest returns the later of the newest event and the event of the latest item. The
// newest event is read first, strongly consistent: an event that expires before the read was
// folded into the item long ago.
func (s *Service) derivedLatest(ctx context.Context, kind *catalog.Kind, series model.Series, consistent bool) (*model.Latest, error) {
	newest, err := storage.NewestEvent(ctx, s.Store, series)
	if err != nil {
		return nil, err
	}
	stored, err := s.Store.Latest(ctx, series, consistent)
	switch {
	case err != nil:
		return nil, err
	case newest == nil && stored != nil && !stored.Ordered && len(stored.Attrs) == 0:
		return nil, nil // its events were deleted
	case newest == nil || stored != nil && stored.Ordered && newest.Before(stored.Order):
		return stored, nil
	}
	return latestOf(kind, newest, stored), nil
}

// latestOf returns the latest item with event e and the enrichment that is stored.
func latestOf(kind *catalog.Kind, e *model.Event, stored *model.Latest) *model.Latest {
	l := &model.Latest{Series: e.Series, Ordered: true, Order: e.Order, Hash: e.Hash, Attrs: e.Attrs, CreatedAt: e.ArrivedAt}
	if stored == nil {
		return l
	}
	var enrichment model.Attrs
	for _, a := range stored.Attrs {
		if kind.IsEnrichment(a.Name) {
			enrichment = append(enrichment, a)
		}
	}
	l.Attrs, l.PurgeLocked = enrichment.Union(e.Attrs), stored.PurgeLocked
	if stored.CreatedAt != 0 {
		l.CreatedAt = stored.CreatedAt
	}
	return l
}
