package aggregate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// finish returns why an invalidation cannot be deleted, nil if its buckets were recomputed or left. One that
// can never be worked off is quarantined, so that it does not hold back the low watermark.
func (s *sweep) finish(ctx context.Context, i storage.Invalidation, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case permanent(ctx, err):
		if err := s.agg.Quarantine(ctx, unsweepable(i, err)); err != nil {
			return err
		}
		s.all.count(Counts{Quarantined: 1})
		return nil
	}
	return err
}

// deleteAll deletes the invalidations that were worked off.
func (s *sweep) deleteAll(ctx context.Context, queue InvalidationStore, worked []storage.Invalidation) {
	var group errgroup.Group
	group.SetLimit(s.limits.Concurrency)
	for some := range slices.Chunk(worked, itemop.MaxBatchWrites) {
		group.Go(func() error {
			left := some
			err := s.agg.untilWritten(ctx, func(ctx context.Context) (result storage.WriteResult, err error) {
				left, result, err = queue.DeleteInvalidations(ctx, left)
				if err == nil && result == storage.Written && len(left) > 0 {
					result = storage.Throttled
				}
				return result, err
			})
			for _, i := range some {
				if slices.Contains(left, i) {
					s.done(i, err)
				} else {
					s.done(i, nil)
				}
			}
			return nil
		})
	}
	_ = group.Wait() // errors are in the results
}

// permanent reports whether a recomputation failed with an error that a later sweep would meet again. A row
// of a newer version waits for the program that knows it, and a bucket whose recomputation panics for the
// release that mends it: a fault of a release may concern every bucket, and must not empty the queue.
func permanent(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil {
		return false
	}
	for _, passing := range []error{errTransient, retry.ErrUndecided, item.ErrNewer, errPanic} {
		if errors.Is(err, passing) {
			return false
		}
	}
	return true
}

// unsweepable returns the quarantined form of an invalidation that cannot be worked off.
func unsweepable(i storage.Invalidation, reason error) storage.Quarantined {
	return quarantined(tablekeys.Invalidation(i).SK, reason.Error(), i.Key.Series, map[string]string{
		"what": "invalidation", "tier": i.Key.Tier, "start": i.Key.Start.String(),
	})
}

// findTier returns the kind of an invalidation, and the level of its tier.
func (s *sweep) findTier(i storage.Invalidation) (*catalog.Kind, int, error) {
	kind, found := s.agg.Catalog.Kind(i.Key.Series.Kind)
	if !found {
		return nil, 0, fmt.Errorf(
			"kind %q is not in the catalog: declare it in tidemark.yaml, deploy, and rebuild the range",
			i.Key.Series.Kind)
	}
	unit, err := tier.ParseUnit(i.Key.Tier)
	if err != nil {
		return nil, 0, err
	}
	level, err := levelIndex(kind.Retention, unit)
	return kind, level, err
}

// ended reports whether the tier of an invalidation was deferred and is not any more: no
// process puts or remembers the invalidation again.
func (s *sweep) ended(i storage.Invalidation) bool {
	kind, level, err := s.findTier(i)
	return err == nil &&
		(!kind.Retention.Tiers[level].Deferred || kind.Retention.Tiers[level].DeferredFrom == model.MaxTime)
}
