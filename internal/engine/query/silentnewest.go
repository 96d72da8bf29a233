package query

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// newestEvent returns the newest event of a series, by its latest item or its events; nil if none is stored.
// By a latest item, its fields are the latest ones that events had. known is false if the kind has no events
// in the order of their times: what the list has is known alone, which counts an event that was deleted.
func (s *Service) newestEvent(
	ctx context.Context, q Silent, series model.Series,
) (newest *model.Event, known bool, _ error) {
	kind, err := q.Kinds(ctx, series.Kind)
	if err != nil || kind == nil || !kind.HasEvents() || kind.OrderBy != "" {
		return nil, false, err
	}
	for _, shard := range kind.ShardSeries(series) {
		if kind.LatestInTransaction() {
			latest, err := s.Store.Latest(ctx, shard, false)
			if err != nil {
				return nil, false, err
			}
			if latest != nil && latest.Ordered && (newest == nil || latest.At > newest.At) {
				newest = &model.Event{Series: latest.Series, Order: latest.Order, Attrs: latest.Attrs}
			}
			continue
		}
		page, err := s.Store.Events(ctx, storage.Range{
			Series: shard, From: model.MinTime, To: model.MaxTime + 1, Newest: true, Limit: 1,
		})
		if err != nil {
			return nil, false, err
		}
		if len(page.Events) > 0 && (newest == nil || page.Events[0].At > newest.At) {
			newest = &page.Events[0]
		}
	}
	return newest, true, nil
}
