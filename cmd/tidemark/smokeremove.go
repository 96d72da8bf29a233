package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/query"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

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

func (s *smoke) removeItems(ctx context.Context) (removed int, err error) {
	var series []model.Series
	for _, e := range s.plan.events {
		was, err := s.removeEvent(ctx, e.key)
		if err != nil {
			return removed, err
		}
		if was {
			removed++
		}
		if !slices.Contains(series, e.key.Series) {
			series = append(series, e.key.Series)
		}
	}
	for _, one := range series {
		if err := s.table.DeleteItem(ctx, keys.Current(one)); err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// removeEvent reports whether the event was there. An answer that settles nothing is
// asked for again: what is gone already is not gone twice.
func (s *smoke) removeEvent(ctx context.Context, key model.EventKey) (was bool, err error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		answer, err := s.table.DeleteEvent(ctx, key, wallClock())
		if err != nil || answer == model.Written || answer == model.Refused {
			return answer == model.Written, err
		}
		if err := pauseFor(ctx, pause); err != nil {
			return false, err
		}
	}
}
