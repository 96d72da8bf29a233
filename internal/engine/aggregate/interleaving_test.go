package aggregate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func (t *turn) StoredInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (map[storage.Invalidation]bool, error) {
	if err := t.wait(); err != nil {
		return nil, err
	}
	return t.store.StoredInvalidations(ctx, these)
}

func (t *turn) PutInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	if err := t.wait(); err != nil {
		return these, storage.Unknown, err
	}
	return t.store.PutInvalidations(ctx, these)
}

func (t *turn) Invalidations(
	ctx context.Context, shard storage.QueueShard, due model.Time, after string,
) (storage.InvalidationPage, error) {
	if err := t.wait(); err != nil {
		return storage.InvalidationPage{}, err
	}
	return t.store.Invalidations(ctx, shard, due, after)
}

func (t *turn) DeleteInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	if err := t.wait(); err != nil {
		return these, storage.Unknown, err
	}
	return t.store.DeleteInvalidations(ctx, these)
}

func (t *turn) AdvanceSweep(
	ctx context.Context, shard storage.QueueShard, through model.Time,
) (storage.WriteResult, error) {
	if err := t.wait(); err != nil {
		return 0, err
	}
	return t.store.AdvanceSweep(ctx, shard, through)
}

func (t *turn) ReadItems(
	ctx context.Context, these []keys.Key, consistent bool,
) (map[keys.Key]item.Item, error) {
	if err := t.wait(); err != nil {
		return nil, err
	}
	return t.store.ReadItems(ctx, these, consistent)
}

func (t *turn) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	if err := t.wait(); err != nil {
		return 0, err
	}
	return t.store.PutAll(ctx, puts)
}

// closing is a history around the closing of two hours and their day: processes and sweeps
// take turns, request by request, and each may die. Each reading of a clock is wrong by up
// to a minute.
type closing struct {
	*world
	draw    *rand.Rand
	queued  []storage.Change // records that are not acknowledged
	acked   map[model.Time]int
	running []*running
}

type running struct {
	*turn
	ended func() // called when it ends
}

// skewed returns a process with a clock of its own.
func (c *closing) skewed(on store) *aggregate.Aggregator {
	agg := c.process2(0, on)
	agg.Now = func() model.Time {
		return c.now().Add(time.Duration(c.draw.IntN(120_001)-60_000) * time.Millisecond)
	}
	agg.Rand, agg.Limits.Concurrency = seeded(byte(c.draw.IntN(256))), 1
	return agg
}

func (c *closing) start(process func(ctx context.Context, on store) bool, succeeded func()) {
	interrupt := -1
	if c.draw.IntN(3) == 0 {
		interrupt = c.draw.IntN(15)
	}
	done := false
	t := newTurn(c.table, interrupt, func(ctx context.Context, on store) {
		done = process(ctx, on) && ctx.Err() == nil
	})
	c.running = append(c.running, &running{t, func() {
		if done {
			succeeded()
		}
	}})
}

// deliver starts a process with some records, which stay queued until they are
// acknowledged.
func (c *closing) deliver() {
	if len(c.queued) == 0 {
		return
	}
	batch := append([]storage.Change(nil), c.queued[:1+c.draw.IntN(len(c.queued))]...)
	c.start(func(ctx context.Context, on store) bool {
		return len(c.skewed(on).Process(ctx, batch).Failures) == 0
	}, func() {
		for _, change := range batch {
			for i, queued := range c.queued {
				if queued.Seq == change.Seq {
					c.queued = append(c.queued[:i:i], c.queued[i+1:]...)
					c.acked[change.Key.At]++
					break
				}
			}
		}
	})
}

func (c *closing) startSweep() {
	c.start(func(ctx context.Context, on store) bool {
		_, err := c.skewed(on).Sweep(ctx, storage.FirstGeneration.Shard(c.series))
		return err == nil
	}, func() {})
}

// check fails where a settled row misses an acknowledged insert.
func (c *closing) check() error {
	all, err := c.table.Sweeps(context.Background())
	if err != nil {
		return err
	}
	through := all.For(c.series)
	for level, t := range c.kind.Retention.Tiers {
		want := map[model.Time]int64{}
		for when, n := range c.acked {
			want[t.Unit.BucketAt(when).Start] += int64(n)
		}
		for start, n := range want {
			if c.kind.Retention.ClosesAt(level, t.Unit.BucketAt(start), c.series) > through {
				continue
			}
			row, err := c.table.Row(context.Background(),
				rollup.Key{Series: c.series, Tier: t.Unit.String(), Start: start})
			if err != nil || row == nil || row.Empty || row.Summary.Events() < n {
				return fmt.Errorf("%s %s is settled by %s without %d acknowledged events: %v, %v", t.Unit, start, through,
					n, row, err)
			}
		}
	}
	return nil
}

// Whatever the interleaving, a settled row has every acknowledged change, the queue drains,
// and every row equals a recount in the end.
func TestDeferred_AnyInterleavingAroundTheClosingIsExact(t *testing.T) {
	histories := uint64(1500)
	if testing.Short() {
		histories = 200
	}
	for seed := range histories {
		c := &closing{draw: rand.New(rand.NewPCG(seed, 1)), acked: map[model.Time]int{}}
		kind := deferred(gauge, c.draw.IntN(2))
		grace := time.Duration(c.draw.IntN(2)) * time.Minute
		for level := range kind.Retention.Tiers {
			kind.Retention.Tiers[level].Grace = grace * time.Duration(level)
		}
		c.world = newWorldWith(t, kind)
		c.setNow(at("2026-03-10T23:57:00Z").Add(time.Duration(c.draw.IntN(120)) * time.Second))
		c.run()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func (c *closing) run() {
	times := []string{"2026-03-10T23:10:00Z", "2026-03-10T22:10:00Z", "2026-03-10T23:50:00Z"}
	for n := range 60 + c.draw.IntN(60) {
		switch what := c.draw.IntN(12); {
		case what == 0 && n < 60:
			c.put(order(times[c.draw.IntN(3)], fmt.Sprint(n)), fmt.Sprint(n))
			c.queued = append(c.queued, c.changes()...)
		case what == 1:
			c.deliver()
		case what == 2 && len(c.running) < 3:
			c.startSweep()
		case what == 3:
			c.advance(time.Duration(c.draw.IntN(30)) * time.Second)
		case what == 4 && c.draw.IntN(3) == 0: // all are suspended
			c.advance(time.Duration(c.draw.IntN(240)) * time.Second)
		case len(c.running) > 0:
			i := c.draw.IntN(len(c.running))
			if p := c.running[i]; !p.step() {
				c.running = append(c.running[:i], c.running[i+1:]...)
				p.ended()
			}
		}
		if err := c.check(); err != nil {
			c.t.Error(err)
			return
		}
	}
	c.finish()
}

// finish ends what is running, delivers what is left, and sweeps after the last bucket
// has closed.
func (c *closing) finish() {
	for len(c.running) > 0 || len(c.queued) > 0 {
		if len(c.running) == 0 {
			c.deliver()
			continue
		}
		if p := c.running[0]; !p.step() {
			c.running = c.running[1:]
			p.ended()
		}
	}
	for _, when := range []string{"2026-03-11T01:00:00Z", "2026-04-01T01:00:00Z"} {
		c.sweepAt(when)
		if err := c.check(); err != nil {
			c.t.Error(err)
		}
	}
	c.wantQueue()
	c.wantRecount()
	if row := c.row(tier.Month, ten); row != nil && !row.Empty && !row.Exact {
		c.t.Error("the month is inexact")
	}
}
