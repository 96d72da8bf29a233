package query

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// shardReads bounds how many shards of a series are read at once.
const shardReads = 8

// Current reads the latest state of a series by one Get a shard; nil where nothing
// was ever appended. It never expires. The error is ErrNoCurrent where the kind
// keeps none.
func (s *Service) Current(ctx context.Context, series Series, consistent bool) (*model.Current, error) {
	if series.Kind.WithoutCurrent {
		return nil, fmt.Errorf("read current of %s: %w", series, ErrNoCurrent)
	}
	if err := series.check(); err != nil {
		return nil, err
	}
	shards := series.shards()
	found := make([]*model.Current, len(shards))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(shardReads)
	for i, shard := range shards {
		reads.Go(func() (err error) {
			found[i], err = s.Store.Current(ctx, shard, consistent)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return nil, fmt.Errorf("read current of %s: %w", series, err)
	}
	newest := newestOf(found)
	if newest == nil {
		return nil, nil
	}
	merged := *newest
	merged.Series = series.whole()
	return &merged, nil
}

// newestOf picks the current of the newest event; one that only enrichment made
// comes before any that an event made.
func newestOf(found []*model.Current) (newest *model.Current) {
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
