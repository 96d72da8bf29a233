package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const removersAt = 16 // requests in flight

// remove deletes the events as somebody does, and current, and waits until the rollups
// say nothing of them.
func (s *smoke) remove(ctx context.Context) (gone bool, err error) {
	removed, err := s.removeItems(ctx)
	if err != nil {
		return false, fmt.Errorf("remove the events of %s: %w", strings.Join(s.plan.subjects, " and "), err)
	}
	none := func(tier.Tier) map[smokeBucket]query.Figures { return nil }
	took, amiss, err := s.await(ctx, none)
	if err != nil {
		return false, err
	}
	if amiss != "" {
		fmt.Fprintf(s.out, "removed %d events, and after %s the rollups still tell of them: %s\n", removed, tenths(took), amiss)
		return false, nil
	}
	fmt.Fprintf(s.out, "removed %d events; the rollups said so after %s\n", removed, tenths(took))
	return true, nil
}

// removeItems removes the events side by side: one after the other, ten thousand would
// outlast the time there is.
func (s *smoke) removeItems(ctx context.Context) (int, error) {
	var removed atomic.Int64
	group, each := errgroup.WithContext(ctx)
	group.SetLimit(removersAt)
	for _, e := range s.plan.events {
		group.Go(func() error {
			was, err := s.removeEvent(each, e.key)
			if was {
				removed.Add(1)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return int(removed.Load()), err
	}
	series := map[model.Series]bool{}
	for _, e := range s.plan.events {
		series[e.key.Series] = true
	}
	for one := range series {
		if err := s.table.DeleteItem(ctx, keys.Current(one)); err != nil {
			return int(removed.Load()), err
		}
	}
	return int(removed.Load()), nil
}

// removeEvent reports whether the event was there. An answer that settles nothing is
// asked for again: what is gone already is not gone twice.
func (s *smoke) removeEvent(ctx context.Context, key model.EventKey) (was bool, err error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		answer, err := s.table.DeleteEvent(ctx, key, wallClock())
		if err != nil || answer == model.Written || answer == model.Refused {
			return answer == model.Written, err
		}
		if err := retry.Sleep(ctx, pause); err != nil {
			return false, err
		}
	}
}
