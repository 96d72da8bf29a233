// Package changeover applies the configuration of a table, and takes tiers from deferred to
// immediate in steps that can be interrupted anywhere and repeated.
package changeover

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Table is the table that changes.
type Table interface {
	aggregate.Store
	aggregate.InvalidationStore
	aggregate.QuarantineStore
	tableconfig.Store
	tableconfig.QueueStore
}

// Changer changes the configuration of a table.
type Changer struct {
	Table    Table
	Declare  func() (*catalog.Catalog, error) // returns a new catalog of the declared kinds
	Now      func() model.Time
	MaxAhead time.Duration // how far event times may be ahead
	DryRun   bool
	Retired  []string // kinds to retire, see tableconfig.Applier
	// QueueShards is the declared number of queue shards. Required by ApplyQueue.
	QueueShards int

	// Of the recomputations; the zero values are the defaults of package aggregate.
	Limits aggregate.Limits
	Sleep  func(context.Context, time.Duration) error
	Rand   io.Reader
}

// TooEarlyError says that some process may still leave buckets to a sweep.
type TooEarlyError struct {
	Kind string
	From model.Time // when to try again
}

func (e *TooEarlyError) Error() string {
	return fmt.Sprintf("kind %s: functions may defer rollups until %s, because they read the "+
		"configuration now and then: run the command again after that", e.Kind, e.From)
}

// Apply applies the declared configuration of some kinds to the table; of all, if none is named. If
// a change is refused, it writes nothing and returns tableconfig.ErrRefused.
func (c *Changer) Apply(ctx context.Context, names ...string) ([]tableconfig.Applied, error) {
	kinds, err := c.Declare()
	if err != nil {
		return nil, err
	}
	return c.applier().Apply(ctx, kinds, names...)
}

// ApplyQueue gives the table the declared number of queue shards, and retires those that are empty
// for good.
func (c *Changer) ApplyQueue(ctx context.Context) (tableconfig.AppliedQueue, error) {
	return c.applier().ApplyQueue(ctx, c.QueueShards)
}

func (c *Changer) applier() *tableconfig.Applier {
	var agg *aggregate.Aggregator
	sweep := func(ctx context.Context, shard storage.QueueShard) (err error) {
		if agg == nil {
			if agg, err = c.aggregator(ctx); err != nil {
				return err
			}
		}
		_, err = agg.Sweep(ctx, shard)
		return err
	}
	return &tableconfig.Applier{
		Table: c.Table, Queue: c.Table, Now: c.Now, MaxAhead: c.MaxAhead,
		DryRun: c.DryRun, Retired: c.Retired, Sweep: sweep,
	}
}

// aggregator returns an aggregator by the configuration that the table has now.
func (c *Changer) aggregator(ctx context.Context) (*aggregate.Aggregator, error) {
	kinds, err := c.Declare()
	if err == nil {
		err = tableconfig.Load(ctx, c.Table, kinds, c.Now())
	}
	return &aggregate.Aggregator{Store: c.Table, QuarantineStore: c.Table, Catalog: kinds, Now: c.Now,
		Limits: c.Limits, Sleep: c.Sleep, Rand: c.Rand}, err
}

// EndDeferral lets readers use the rows of all buckets of a kind's tiers that are immediate
// again. It works off their invalidations first, and returns how many there were. The error
// is a *TooEarlyError if a process may still put one.
func (c *Changer) EndDeferral(ctx context.Context, kind string) (worked int, err error) {
	stored, err := c.Table.KindConfig(ctx, kind)
	if err != nil || stored == nil {
		return 0, err
	}
	from, ok := tableconfig.DrainFrom(stored)
	switch {
	case !ok:
		return 0, nil
	case c.Now() < from:
		return 0, &TooEarlyError{kind, from}
	}
	agg, err := c.aggregator(ctx)
	if err != nil {
		return 0, err
	}
	queue, err := c.Table.QueueConfig(ctx)
	if err != nil {
		return 0, err
	}
	for _, shard := range queue.Generations.Swept() {
		n, err := drain(ctx, agg, shard)
		worked += n
		if err != nil {
			return worked, err
		}
	}
	_, err = c.applier().Drained(ctx, kind)
	return worked, err
}

// drain works off a queue shard until it finds nothing: a drained bucket may have been
// recomputed from children that were drained after it.
func drain(ctx context.Context, agg *aggregate.Aggregator, shard storage.QueueShard) (worked int, _ error) {
	for {
		r, err := agg.Drain(ctx, shard)
		worked += r.Swept
		switch {
		case err != nil:
			return worked, err
		case len(r.Failures) > 0:
			return worked, fmt.Errorf("row not written: %w; run the command again", r.Failures[0].Err)
		case r.Swept == 0:
			return worked, nil
		}
	}
}

// CheckMode returns an error if the file declares the tiers otherwise: the file decides.
func CheckMode(kind *catalog.Kind, unit []string, deferred bool) error {
	for _, t := range kind.Retention.Tiers {
		if len(unit) > 0 && t.Unit.String() != unit[0] {
			continue
		}
		if t.Deferred == deferred {
			return nil
		}
		return usererr.Errorf(
			"tidemark.yaml declares tiers.%s of %s %s: change its mode there, deploy, and run this command again",
			t.Unit, kind.Name, map[bool]string{true: "deferred", false: "immediate"}[t.Deferred])
	}
	known := lists.Map(kind.Retention.Tiers, func(t tier.Tier) string { return t.Unit.String() })
	return usererr.Errorf("kind %s has no tier %q: want one of %s%s", kind.Name, unit[0],
		strings.Join(known, ", "),
		names.DidYouMean(unit[0], known))
}
