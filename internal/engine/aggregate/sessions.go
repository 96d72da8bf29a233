package aggregate

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/engine/sessions"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// foldsSessions reports whether the bucket is folded from events of another kind.
func (b *dirtyBucket) foldsSessions() bool {
	return b.kind.Sessions != nil && b.kind.Retention.ChildLevel(b.level, b.interval) < 0
}

// foldSessions folds the sessions that begin in the bucket. The clock is read after the
// neighbours' rows and before the sources: none of these expires while they are read.
func (r *recomputation) foldSessions(ctx context.Context) (*rollup.Fold, error) {
	near, err := r.readNeighbours(ctx)
	if err != nil {
		return nil, err
	}
	b, now := r.bucket, r.agg.Now()
	f := sessions.New(b.kind, b.key.Series, b.level, b.interval.Start, b.interval.End)
	if err := f.Read(ctx, countedReads{r}, b.kind.SourceSeries(b.key.Series), true); err != nil {
		return nil, readError("read sources of sessions", err)
	}
	folds := f.Folds() // at most one: the bucket's
	if len(folds) == 0 {
		return rollup.NewFold(b.kind.Spec()), nil
	}
	fold := folds[0].Fold
	if b.lostOverEdge(near, fold, now) {
		fold.Exact, fold.ChildrenExpireAt = false, 0
	}
	return fold, nil
}

// countedReads counts the pages that are read.
type countedReads struct{ *recomputation }

func (c countedReads) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	c.counts.Reads++
	return c.agg.Store.Events(ctx, r)
}

// readNeighbours reads the rows of the bucket before, and of the buckets that sessions may
// reach: of the sessions, and of the other kinds whose events may meet goals. None is needed
// while no source that the fold depends on can have expired.
func (r *recomputation) readNeighbours(ctx context.Context) (all []rollup.Row, err error) {
	if !r.childrenMayExpire() {
		return nil, nil
	}
	series := []model.Series{r.bucket.key.Series}
	for _, s := range r.bucket.kind.SourceSeries(r.bucket.key.Series) {
		if s = s.WithoutShard(); s.Kind != r.bucket.kind.Sessions.Of && !slices.Contains(series, s) {
			series = append(series, s)
		}
	}
	for _, s := range series {
		rows, err := r.readRowsAround(ctx, s)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

func (r *recomputation) readRowsAround(ctx context.Context, s model.Series) ([]rollup.Row, error) {
	b, unit := r.bucket, r.bucket.tier().Unit
	span := storage.Range{Series: s, From: unit.BucketAt(b.interval.Start - 1).Start,
		To: b.interval.End.Add(b.kind.Sessions.Follow), Consistent: true}
	return paging.Collect(paging.Items(func(after string) ([]rollup.Row, string, error) {
		r.counts.Reads++
		span.After = after
		page, err := r.agg.Store.Rows(ctx, unit, span)
		if err != nil {
			return nil, "", readError("read rows of neighbours", err)
		}
		return page.Rows, page.Next, nil
	}))
}

// lostOverEdge reports whether a neighbour may have had a source over the edge of the bucket
// that has expired, or a row of another kind an event that met a goal.
func (b *dirtyBucket) lostOverEdge(near []rollup.Row, fold *rollup.Fold, now model.Time) bool {
	for i := range near {
		n := &near[i]
		if n.Key == b.key || n.Empty || n.Exact && !item.SealedRow(n, now) {
			continue
		}
		if other := n.Key.Series != b.key.Series; other && n.Key.Start >= b.interval.Start &&
			n.Key.Start <= fold.Continuation.Reach {
			return true
		} else if other {
			continue
		}
		before := n.Key.Start < b.interval.Start &&
			(!n.Exact || n.Continuation.Last.Add(b.kind.Sessions.Gap) >= b.interval.Start)
		if after := n.Key.Start > b.interval.Start && n.Key.Start <= fold.Continuation.Reach; before || after {
			return true
		}
	}
	return false
}

// ensureSettling puts an invalidation for the time when the sessions of a fold have ended, if
// the clock read less before the fold. Only if that time has not passed after the put may
// the fold be written: the sweep that finds the invalidation begins later.
func (r *recomputation) ensureSettling(ctx context.Context, fold *rollup.Fold, readAt model.Time) error {
	b, c := r.bucket, fold.Continuation
	if !b.foldsSessions() || c.Reach == 0 || readAt >= c.Settles || b.options.DryRun {
		return nil
	}
	result, err := r.agg.putInvalidation(ctx, storage.Invalidation{Due: c.Settles, Key: b.key},
		func(n Counts) { r.counts.Add(&n) })
	switch {
	case err != nil:
		return err
	case result != storage.Written:
		return fmt.Errorf("%w: put the invalidation of sessions that go on: %s", errTransient, result)
	case r.agg.Now() >= c.Settles:
		return fmt.Errorf("%w: sessions ended while they were folded", errTransient)
	}
	return nil
}
