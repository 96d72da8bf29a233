package query

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// shardReads is how many shards of a series are read at once.
const shardReads = 8

// Latest reads the latest item of a series by one Get for each shard; if the item is derived
// from events, by a Query of the newest event too. It returns nil if nothing was ever
// appended. A latest item never expires. The error is ErrNoLatest if the
// kind stores none.
func (s *Service) Latest(ctx context.Context, series Series, consistent bool) (*model.Latest, error) {
	if !series.Kind.HasLatest() {
		return nil, fmt.Errorf("read latest item of %s: %w: read its history instead", series, ErrNoLatest)
	}
	if err := series.check(); err != nil {
		return nil, err
	}
	shards := series.shards()
	found := make([]*model.Latest, len(shards))
	read := s.latestReader(series.Kind)
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(shardReads)
	for i, shard := range shards {
		reads.Go(func() (err error) {
			found[i], err = read(ctx, shard, consistent)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return nil, fmt.Errorf("read latest item of %s: %w", series, err)
	}
	newest := newestItem(found)
	if newest == nil {
		return nil, nil
	}
	merged := *newest
	merged.Series = series.unsharded()
	return &merged, nil
}

// newestItem returns the item with the newest event. An item that holds only enrichment
// is older than any item with an event.
func newestItem(found []*model.Latest) (newest *model.Latest) {
	for _, c := range found {
		switch {
		case c == nil:
		case newest == nil,
			c.Ordered && !newest.Ordered,
			c.Ordered && newest.Before(c.Order):
			newest = c
		}
	}
	return newest
}
