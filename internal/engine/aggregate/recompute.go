package aggregate

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Target selects buckets to recompute: those that contain a time of a series.
type Target struct {
	Series model.Series
	At     model.Time
	// Tier is the finest tier to recompute; finer rows are used as they are stored. Zero
	// means the finest tier of the kind.
	Tier tier.Unit
}

// Recompute recomputes the buckets of the targets, each tier before the next coarser one,
// as if each target had seen a change that is no insert. Like Process it is safe at any
// time, repeatedly, and during live traffic. Failure.Change is the index of a target; no
// target at or after the first failure counts as recomputed.
func (a *Aggregator) Recompute(ctx context.Context, targets []Target, options RepairOptions) Report {
	all := &results{}
	limits := a.Limits.withDefaults()
	done := 0
	for batch := range slices.Chunk(targets, limits.Buckets) {
		c := chunk{known: map[rollup.Key]*dirtyBucket{}}
		for i, target := range batch {
			c.end = done + i
			if err := c.addTarget(a, target, options); err != nil {
				all.fail(c.end, err)
				return all.finish(a.Now())
			}
		}
		a.walkLate(ctx, &c, all)
		if !options.DryRun {
			a.listAll(ctx, c.seen, limits, all)
		}
		for _, buckets := range c.levels {
			a.recomputeAll(ctx, buckets, limits, all)
		}
		if all.failed() {
			break
		}
		done += len(batch)
	}
	return all.finish(a.Now())
}

func (c *chunk) addTarget(a *Aggregator, target Target, options RepairOptions) error {
	kind, found := a.Catalog.Kind(target.Series.Kind)
	if !found {
		return fmt.Errorf("recompute %s: kind %q is not in the catalog", target.Series, target.Series.Kind)
	}
	lowest, err := levelIndex(kind.Retention, target.Tier)
	if err != nil {
		return fmt.Errorf("recompute %s: %w", target.Series, err)
	}
	c.see(kind, target.Series, target.At)
	c.repair(c.end, kind, target.Series, target.At, lowest, options)
	for _, sessions := range a.Catalog.SessionKinds(kind.Name) {
		series := sessions.SessionSeries(target.Series)
		c.repair(c.end, sessions, series, target.At, 0, options)
		c.sources = append(c.sources, sourceChange{sessions: sessions, series: series, at: target.At, index: c.end,
			options: &options, other: sessions.Sessions.Of != kind.Name})
	}
	return nil
}

// repair adds the buckets that contain a time, to recompute them with options.
func (c *chunk) repair(index int, kind *catalog.Kind, s model.Series, at model.Time, lowest int,
	options RepairOptions) {
	for _, b := range c.addBuckets(index, kind, s, at, lowest) {
		own := options.forBucket(kind.Retention, b.level, lowest, b.interval)
		if !b.alwaysWrite || own.Mark > b.options.Mark { // the bucket's first target, or a stricter one
			b.alwaysWrite = true
			b.repair = true
			b.options = own
		}
	}
}

// levelIndex returns the level of unit u, the finest where u is zero.
func levelIndex(p tier.Policy, u tier.Unit) (int, error) {
	if u == 0 {
		return 0, nil
	}
	_, level, ok := p.Find(u)
	if !ok {
		return 0, fmt.Errorf("the kind has no tier %s", u)
	}
	return level, nil
}
