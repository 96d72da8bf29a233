package query

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// newestEvent returns the newest event of a series, by its latest item or its events; nil if none is stored.
// By a latest item, its fields are the latest ones that events had. known is false if the kind has no events
// in the order of their times: what the list has is known alone, which counts an event that was deleted. Of a
// group it is the start of the newest bucket with events.
func (s *Service) newestEvent(
	ctx context.Context, q Silent, listed storage.ListedSeries,
) (newest *model.Event, known bool, _ error) {
	kind, err := q.Kinds(ctx, listed.Series.Kind)
	switch {
	case err != nil || kind == nil || kind.OrderBy != "":
		return nil, false, err
	case kind.GroupsOf != "" && !listed.NewestInLast():
		newest, err = s.newestBucket(ctx, kind, listed.Series)
		return newest, newest == nil, err
	case !kind.HasEvents():
		return nil, false, nil
	}
	for _, shard := range kind.ShardSeries(listed.Series) {
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

// newestBucket returns the place of the newest bucket of the finest tier with events; nil if none is stored.
func (s *Service) newestBucket(
	ctx context.Context, kind *catalog.Kind, series model.Series,
) (*model.Event, error) {
	finest, now := kind.Retention.Finest(), s.Now()
	span := storage.Range{Series: series, From: model.MinTime, To: model.MaxTime + 1, Newest: true, Limit: 4}
	read := func(after string) ([]rollup.Row, string, error) {
		span.After = after
		page, err := s.Store.Rows(ctx, finest.Unit, span)
		return page.Rows, page.Next, err
	}
	for row, err := range paging.Items(read) {
		switch {
		case err != nil:
			return nil, err
		case visible(&row, finest, now):
			return &model.Event{Series: series, Order: model.Order{At: row.Key.Start}}, nil
		}
	}
	return nil, nil
}
