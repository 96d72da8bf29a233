package aggregate

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// reportGroups calls OnGroups with the finest buckets of groups that were recomputed. Their invalidations are
// stored until it has returned, so no row is missed.
func (s *sweep) reportGroups(ctx context.Context, c *chunk) {
	if s.agg.OnGroups == nil || len(c.levels) == 0 {
		return
	}
	var buckets []storage.Change
	for _, b := range c.levels[0] {
		if b.kind.GroupsOf == "" || b.err != nil {
			continue
		}
		at := model.EventKey{Series: b.key.Series, Order: model.Order{At: b.interval.Start}}
		buckets = append(buckets, storage.Change{Type: storage.Corrected, Key: at, After: &model.Event{
			Series: at.Series, Order: at.Order, ExpiresAt: b.tier().ExpiresAt(b.interval, b.interval.End),
		}})
	}
	if len(buckets) == 0 {
		return
	}
	for series, err := range s.agg.OnGroups(ctx, buckets) {
		c.failSeries(series, fmt.Errorf("%w: %w", errTransient, err))
	}
}

// emptiedGroups returns the groups whose bucket has no events any more: their entries in the list say so.
func (c *chunk) emptiedGroups() []*seen {
	var emptied chunk
	for _, buckets := range c.levels {
		for _, b := range buckets {
			if b.emptied && b.level == 0 && b.kind.GroupsOf != "" {
				emptied.seeRemoved(b.kind, b.key.Series, b.key.Start)
			}
		}
	}
	return emptied.seen
}
