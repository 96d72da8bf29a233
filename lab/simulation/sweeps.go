package simulation

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var _ aggregate.InvalidationStore = (*store)(nil)

// deferSome defers the tiers from a drawn level on, in most histories.
func (w *world) deferSome(p *tier.Policy, d simstream.Dice) {
	from := d.Pick("first deferred tier", 3)
	if w.variant.byProfile {
		from = 0
	} else if d.Chance("all tiers are immediate", .4) || from >= len(p.Tiers) {
		return
	}
	grace := d.Span("grace", 10*time.Minute).Truncate(time.Second)
	for level := from; level < len(p.Tiers); level++ {
		p.Tiers[level].Deferred, p.Tiers[level].Grace = true, grace*time.Duration(1+level-from)
	}
	p.Jitter = d.Span("jitter", 5*time.Minute).Truncate(time.Second)
	p.LateEvery = lateEvery(d)
	if p.Validate() != nil { // raw is too short for it
		for level := range p.Tiers {
			p.Tiers[level].Deferred, p.Tiers[level].Grace = false, 0
		}
		p.Jitter, p.LateEvery = 0, 0
	}
}

// lateEvery draws whether late changes are coalesced.
func lateEvery(d simstream.Dice) time.Duration {
	if d.Chance("late changes are coalesced", .4) {
		return 5 * time.Minute
	}
	return 0
}

// StoredInvalidations returns which invalidations are stored, or were some seconds ago.
func (s *store) StoredInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (stored map[storage.Invalidation]bool, err error) {
	from := s.replica.tableFor(ctx, false)
	err = s.read(ctx, request("reads invalidations", tablekeys.Invalidation(these[0])), func() (err error) {
		stored, err = from.StoredInvalidations(context.Background(), these)
		return err
	})
	return stored, err
}

// PutInvalidations stores invalidations, and schedules sweeps around their due times.
func (s *store) PutInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	return s.writeInvalidations(ctx, "puts", these,
		func(some []storage.Invalidation) (storage.WriteResult, error) {
			for _, i := range some {
				s.scheduleSweeps(i)
			}
			_, result, err := s.table.PutInvalidations(context.Background(), some)
			return result, err
		})
}

// writeInvalidations carries out a batch. The table may process only some of it, whether or not the response
// arrives.
func (s *store) writeInvalidations(
	ctx context.Context, verb string, these []storage.Invalidation,
	do func(some []storage.Invalidation) (storage.WriteResult, error),
) (left []storage.Invalidation, result storage.WriteResult, err error) {
	processed := len(these)
	if d := s.DiceFrom(ctx); processed > 1 && d.Chance("a batch is processed in part", .2) {
		processed = d.Pick("processed", processed)
	}
	result, err = s.write(ctx, request(verb, tablekeys.Invalidation(these[0])),
		func() (storage.WriteResult, error) {
			if processed == 0 {
				return storage.Written, nil
			}
			return do(these[:processed])
		})
	if err != nil || result != storage.Written {
		return these, result, err
	}
	if processed < len(these) {
		s.Count(processedInPart)
	}
	return these[processed:], storage.Written, nil
}

// Invalidations reads one page of the queue.
func (s *store) Invalidations(
	ctx context.Context, shard storage.QueueShard, due model.Time, after string,
) (page storage.InvalidationPage, err error) {
	r := simstream.Request{Verb: "reads the queue", Keys: []string{tablekeys.InvalidationPartition(shard)}}
	err = s.Read(ctx, r, func() (err error) {
		page, err = s.table.Invalidations(context.Background(), shard, due, after)
		return err
	})
	return page, err
}

// DeleteInvalidations deletes invalidations.
func (s *store) DeleteInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	return s.writeInvalidations(ctx, "deletes", these,
		func(some []storage.Invalidation) (storage.WriteResult, error) {
			_, result, err := s.table.DeleteInvalidations(context.Background(), some)
			return result, err
		})
}

// AdvanceSweep stores a low watermark.
func (s *store) AdvanceSweep(
	ctx context.Context, shard storage.QueueShard, through model.Time,
) (storage.WriteResult, error) {
	return s.write(ctx, request("advances", tablekeys.LowWatermark(shard)), func() (storage.WriteResult, error) {
		return s.table.AdvanceSweep(context.Background(), shard, through)
	})
}

// Sweeps reads the low watermarks.
func (s *store) Sweeps(ctx context.Context) (all storage.LowWatermarks, err error) {
	r := simstream.Request{Verb: "reads low watermarks", Keys: []string{tablekeys.JobSweep}}
	err = s.Read(ctx, r, func() (err error) {
		all, err = s.table.Sweeps(context.Background())
		return err
	})
	return all, err
}

// QueueConfig reads the generations of the queue.
func (s *store) QueueConfig(ctx context.Context) (c storage.QueueConfig, err error) {
	r := simstream.Request{Verb: "reads generations", Keys: []string{tablekeys.JobSweep}}
	err = s.Read(ctx, r, func() (err error) {
		c, err = s.table.QueueConfig(context.Background())
		return err
	})
	return c, err
}

// PutQueueConfig replaces the generations of the queue.
func (s *store) PutQueueConfig(
	ctx context.Context, c storage.QueueConfig, prev [16]byte,
) (storage.WriteResult, error) {
	r := request("changes generations", tablekeys.QueueConfig())
	return s.write(ctx, r, func() (storage.WriteResult, error) {
		return s.table.PutQueueConfig(context.Background(), c, prev)
	})
}

// scheduleSweeps schedules the sweeps that may find an invalidation: some around its due
// time, at the same time or not, and one that finds it at last. Sweeps may have been dead
// for days, or for longer than the events live.
func (w *world) scheduleSweeps(i storage.Invalidation) {
	d := w.dice.Part("sweeps " + tablekeys.Invalidation(i).SK)
	if w.swept[i] {
		return
	}
	w.swept[i] = true
	w.readSoon("reader at a closing", d.Part("reader"),
		i.Due.Add(d.Span("read at", 4*time.Minute)), i.Key.Start)
	later := aggregate.ClockMargin + 4*time.Minute + d.Span("read later", time.Hour)
	w.readSoon("reader after a closing", d.Part("later reader"), i.Due.Add(later), i.Key.Start)
	dead := time.Duration(0)
	if d.Chance("dead", .25) {
		dead = d.Span("dead for",
			[]time.Duration{6 * time.Hour, 3 * tier.Day24, w.kind().Retention.Raw + tier.Day24}[d.Pick("dead", 3)])
	}
	for n := range 3 {
		if dead == 0 && d.Chance(fmt.Sprint("sweep", n), .5) {
			w.At(i.Due.Add(aggregate.ClockMargin+d.Span(fmt.Sprint("at", n), 4*time.Minute)-2*time.Minute), func() {
				w.sweep(i.Key.Series, d.Part("early", n), 0)
			})
		}
	}
	w.At(i.Due.Add(aggregate.ClockMargin+3*time.Minute+dead),
		func() { w.sweep(i.Key.Series, d.Part("last"), 40) })
}

// sweep sweeps the queue shards of a series in all generations, or in those before the newest. If the sweep
// fails or leaves something, it is repeated so often at most.
func (w *world) sweep(series model.Series, d simstream.Dice, repeats int) {
	name := "sweep of the queue shards of " + seriesName(series)
	w.Count("sweeps")
	w.Go(name, d, func(ctx context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if repeats == 0 && d.Chance("dies", .3) {
			w.After(d.Span("dies after", 10*time.Second), cancel)
		}
		skew := d.Span("sweep clock", aggregate.ClockMargin) - aggregate.ClockMargin/2
		agg := w.aggregator(&simstream.Process{Now: func() model.Time {
			return w.Now().Add(skew)
		}, Sleep: w.Sleep, Rand: d.Part("sweep").Rand()})
		again := false
		for _, shard := range w.sweptShards(series, repeats == 0 && d.Chance("knows no newer generation", .3)) {
			report, err := agg.Sweep(ctx, shard)
			w.countReport(&report.Report)
			w.Add("invalidations worked off", report.Swept)
			w.Logf(name, "shard %v: worked off %d, left %d, through %s: %v %v",
				shard, report.Swept, report.Left, report.Through, err, report.Failures)
			again = again || err != nil || report.Left > 0
		}
		if again && repeats > 0 {
			w.After(10*time.Minute, func() { w.sweep(series, d.Part("again", repeats), repeats-1) })
		}
	})
}

// sweptShards returns the queue shards of a series. Of a group, these are the shards of all members, and
// then the groups' own.
func (w *world) sweptShards(series model.Series, butNewest bool) (all []storage.QueueShard) {
	for _, g := range w.sweptGenerations(butNewest) {
		if shard := g.Shard(series); shard != storage.GroupShard {
			all = append(all, shard)
			continue
		}
		all = append(all, g.QueueShards()...)
	}
	if storage.FirstGeneration.Shard(series) == storage.GroupShard {
		all = append(all, storage.GroupShard)
	}
	return all
}

// sweptGenerations returns the generations that are not retired.
func (w *world) sweptGenerations(butNewest bool) (some []storage.Generation) {
	c, _ := w.table.QueueConfig(context.Background()) // a table in memory does not fail
	for n, g := range c.Generations {
		if g.RetiredAt == 0 && !(butNewest && n > 0 && n == len(c.Generations)-1) {
			some = append(some, g)
		}
	}
	return some
}

// Counts of changes of the number of queue shards.
const (
	generationsAdded   = "generations of queue shards added"
	generationsRetired = "generations of queue shards retired"
)

// changeQueue declares another number of queue shards, and applies it now and some hours later.
func (w *world) changeQueue(name string, d simstream.Dice, _ model.Time) {
	shards := 1 + d.Pick("queue shards", 6)
	apply := func(d simstream.Dice) {
		w.Go(name, d, func(ctx context.Context) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			if d.Chance("dies", .3) {
				w.After(d.Span("dies after", 2*time.Second), cancel)
			}
			c := w.changer(w.declared[len(w.declared)-1], d)
			c.QueueShards = shards
			done, err := c.ApplyQueue(ctx)
			w.Logf(name, "%+v: %v", done, err)
			if done.Added && err == nil {
				w.Count(generationsAdded)
			}
			w.Add(generationsRetired, len(done.Retired))
		})
	}
	apply(d.Part("apply"))
	for n := range 3 {
		w.After(d.Span(fmt.Sprint("applied again", n), 12*time.Hour), func() { apply(d.Part("again", n)) })
	}
}

// deferredClock is the clock of a process, at most a minute wrong where a tier may be
// deferred.
func (w *world) deferredClock(now func() model.Time) func() model.Time {
	if !w.mayDefer {
		return now
	}
	return func() model.Time { return w.Now().Add(now().Sub(w.Now()) / 5) }
}

// settled reports whether readers use the row of a bucket.
func (c *checking) settled(key rollup.Key) bool {
	policy := c.kind().Retention
	_, level, ok := policy.Find(keyUnit(key))
	if !ok {
		return true
	}
	closes := policy.ClosesAt(level, keyUnit(key).BucketAt(key.Start), key.Series)
	return closes <= max(c.watermarks.For(key.Series), model.MinTime)
}
