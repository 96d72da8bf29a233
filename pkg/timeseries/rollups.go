package timeseries

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Rollup is what the table says of one bucket: its measures, whether it is still
// open, and whether it is exact.
type Rollup = query.Rollup

// Curve is the rollups of a chart, in which tier they are, and why.
type Curve = query.Curve

// Rollups reads the rollups of a series in one tier, oldest first unless told
// otherwise. A bucket without events has none. The error is query.ErrNoTier where
// the kind's ladder lacks the unit.
func (e *Events[T]) Rollups(ctx context.Context, key Key, unit tier.Unit, opts ...ReadOption) ([]Rollup, error) {
	r, err := e.reading(opts, rollupsTakes)
	if err != nil {
		return nil, err
	}
	var found []Rollup
	for rollup, err := range e.out.EachRollup(ctx, r.rollups(e.series(key), unit)) {
		if err != nil {
			return nil, err
		}
		found = append(found, rollup)
	}
	return found, nil
}

// Chart reads the rollups of a range in the finest tier that still exists for all of
// it and gives at most Limit points, and says why it is that one. It needs In, which
// is widened to whole buckets. The error is query.ErrTooLong where no tier gives few
// enough points.
func (e *Events[T]) Chart(ctx context.Context, key Key, opts ...ReadOption) (Curve, error) {
	r, err := e.reading(opts, chartTakes)
	if err != nil {
		return Curve{}, err
	}
	return e.out.Chart(ctx, query.Chart{Rollups: r.rollups(e.series(key), r.unit), Stitched: r.stitched, Gaps: r.gaps})
}
