package timeseries

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Rollups reads the rollups of a series in one tier, oldest first by default. A bucket without
// events has none, and one in a part of the range that Missing names is not known. Next is "": all pages are
// read, up to Limit rollups. The error is ErrNoTier if the kind does not have the tier.
func (e *Events[T]) Rollups(ctx context.Context, key Key, unit tier.Unit,
	opts ...RollupOption) (RollupList, error) {
	return e.rollups(ctx, key, unit, opts, (*query.Service).AllRollups)
}

// RollupPage reads one page of what Rollups reads. It may be shorter than its limit, even
// empty, before the last page: check Next, and continue with After.
func (e *Events[T]) RollupPage(ctx context.Context, key Key, unit tier.Unit,
	opts ...RollupOption) (RollupList, error) {
	return e.rollups(ctx, key, unit, opts, (*query.Service).Rollups)
}

// rollups reads one page, or all.
func (e *Events[T]) rollups(ctx context.Context, key Key, unit tier.Unit, opts []RollupOption,
	read func(*query.Service, context.Context, query.Rollups) (query.RollupPage, error)) (RollupList, error) {
	r, err := newReadOptions(e.layout, opts)
	if err != nil {
		return RollupList{}, err
	}
	series, err := e.seriesOfTable(ctx, key)
	if err != nil {
		return RollupList{}, err
	}
	found, err := read(e.query, ctx, r.rollups(series, unit))
	if err != nil {
		return RollupList{}, err
	}
	return found, nil
}

// Chart reads the rollups of a range in the finest tier that still exists for all of it and
// has at most Limit points, and explains the choice. It requires In, and widens the range to
// complete buckets. The error is ErrTooLong if no tier has few enough points.
func (e *Events[T]) Chart(ctx context.Context, key Key, opts ...ChartOption) (Curve, error) {
	r, err := newReadOptions(e.layout, opts)
	if err != nil {
		return Curve{}, err
	}
	series, err := e.seriesOfTable(ctx, key)
	if err != nil {
		return Curve{}, err
	}
	return e.query.Chart(ctx,
		query.Chart{Rollups: r.rollups(series, r.unit), Stitched: r.stitched, Gaps: r.gaps})
}

// Total reads one summary of exactly the events of a range, or of all events without In.
// Complete buckets of the coarsest tiers are read, and at the ends finer tiers and raw
// events. Missing has the parts of the range where those have expired.
func (e *Events[T]) Total(ctx context.Context, key Key, opts ...TotalOption) (RangeTotal, error) {
	r, err := newReadOptions(e.layout, opts)
	if err != nil {
		return RangeTotal{}, err
	}
	series, err := e.seriesOfTable(ctx, key)
	if err != nil {
		return RangeTotal{}, err
	}
	return e.query.RangeTotal(ctx, r.rollups(series, 0))
}

// Pauses between the reads of WaitRollup: the first, and the longest.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = time.Second
)

// WaitRollup reads the rollup of the bucket that contains a time, again and again until the bucket has at
// least a number of events. Rollups follow an append by moments, so this is for programs and tests that need
// one now. Give ctx a deadline: the error then wraps the context's.
func (e *Events[T]) WaitRollup(ctx context.Context, key Key, unit tier.Unit, at time.Time, events int64,
	opts ...MergeOption) (Rollup, error) {
	read := []RollupOption{In(at, at.Add(time.Millisecond))}
	for _, opt := range opts {
		read = append(read, opt)
	}
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		list, err := e.Rollups(ctx, key, unit, read...)
		found := list.Rollups
		switch {
		case err != nil && ctx.Err() != nil:
			return Rollup{}, errors.Join(err, ctx.Err())
		case err != nil:
			return Rollup{}, err
		case len(found) > 0 && found[0].Summary.Events() >= events:
			return found[0], nil
		}
		if err := retry.Sleep(ctx, pause); err != nil {
			return Rollup{}, fmt.Errorf("wait for the %s of %s of %s to have %d events: %w", unit,
				at.UTC().Format(time.RFC3339), key.Subject, events, errors.Join(err, notKnown(list.Missing)))
		}
	}
}

// notKnown returns why a bucket that has no rollup may never get one; nil if nothing of it is missing.
func notKnown(missing []Segment) error {
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("whether it had events is not known: %s", missing[0].Reason())
}
