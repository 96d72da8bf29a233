package smoke

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// removals is how many events are deleted at the same time: ten thousand, one by one,
// would take longer than the command may.
const removals = 16

const (
	firstPause   = 50 * time.Millisecond
	longestPause = 5 * time.Second
)

// Remove deletes the events, waits until no rollup counts them any more, deletes the latest items, and
// reports whether the rollups followed in time. The latest items come last: the fold that a deletion of an
// event starts writes the item, also if the item has no event any more.
func (r *Run) Remove(ctx context.Context) (ok bool, err error) {
	removed, err := r.removeItems(ctx)
	if err != nil {
		return false, fmt.Errorf("remove the events of %s: %w", strings.Join(r.Plan.Subjects, " and "), err)
	}
	none := func(tier.Tier) map[bucket]figure.Figures { return nil }
	took, difference, err := r.await(ctx, none)
	if err := errors.Join(err, r.removeLatest(ctx)); err != nil {
		return false, err
	}
	if difference != "" {
		fmt.Fprintf(r.Out, "removed %d events, but after %s the rollups still count them: %s\n", removed,
			tenths(took), difference)
		return false, nil
	}
	fmt.Fprintf(r.Out, "removed %d events; the rollups followed after %s\n", removed, tenths(took))
	return true, nil
}

func (r *Run) removeItems(ctx context.Context) (int, error) {
	var removed atomic.Int64
	group, each := errgroup.WithContext(ctx)
	group.SetLimit(removals)
	for _, e := range r.Plan.events {
		group.Go(func() error {
			existed, err := r.removeEvent(each, e.key)
			if existed {
				removed.Add(1)
			}
			return err
		})
	}
	err := group.Wait()
	return int(removed.Load()), err
}

// removeLatest deletes the latest items of all series of the plan.
func (r *Run) removeLatest(ctx context.Context) error {
	series := map[model.Series]bool{}
	for _, e := range r.Plan.events {
		series[e.key.Series] = true
	}
	for s := range series {
		if err := r.Table.DeleteItem(ctx, keys.Latest(s)); err != nil {
			return err
		}
	}
	return nil
}

// removeEvent reports whether the event existed. It repeats a request whose effect is not
// known; deleting twice does no harm.
func (r *Run) removeEvent(ctx context.Context, key model.EventKey) (existed bool, err error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		result, err := r.Table.DeleteEvent(ctx, key, r.Now())
		if err != nil || result == storage.Written || result == storage.ConditionFailed {
			return result == storage.Written, err
		}
		if err := retry.Sleep(ctx, pause); err != nil {
			return false, err
		}
	}
}
