package timeseries

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/pages"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Rollups reads the rollups of a series in one tier, oldest first by default. A bucket without
// events has none. The error is ErrNoTier if the kind does not have the tier.
func (e *Events[T]) Rollups(ctx context.Context, key Key, unit tier.Unit, opts ...ReadOption) ([]Rollup, error) {
	r, err := e.readOptions(opts, rollupsOptions)
	if err != nil {
		return nil, err
	}
	return pages.Collect(e.query.EachRollup(ctx, r.rollups(e.series(key), unit)))
}

// Chart reads the rollups of a range in the finest tier that still exists for all of it and
// has at most Limit points, and explains the choice. It requires In, and widens the range to
// complete buckets. The error is ErrTooLong if no tier has few enough points.
func (e *Events[T]) Chart(ctx context.Context, key Key, opts ...ReadOption) (Curve, error) {
	r, err := e.readOptions(opts, chartOptions)
	if err != nil {
		return Curve{}, err
	}
	return e.query.Chart(ctx, query.Chart{Rollups: r.rollups(e.series(key), r.unit), Stitched: r.stitched, Gaps: r.gaps})
}
