package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/lab/loggers"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// units are what the aggregator used for the events.
type units struct {
	events      int
	write, read float64
}

func (u units) String() string {
	n := float64(u.events)
	return fmt.Sprintf("%.3f write and %.3f read units an event in rollups, groups and the list of series",
		u.write/n, u.read/n)
}

// inProcess is the code of the functions on a table in memory. Records of the table stream are delivered
// again, in pieces, and to invocations that are killed between two writes.
type inProcess struct {
	table  *cost.Metered
	kinds  *catalog.Catalog
	ingest *ingest.Service
	agg    *aggregate.Aggregator
	dice   *rand.Rand
	calm   bool // there are no faults
	now    model.Time
	seen   uint64
	stats  stack.Stats
	units  units
	kill   func()
	writes int               // until the invocation is killed; 0: it is not
	again  []json.RawMessage // a batch to deliver again
}

func (f Fleet) newInProcess(settings string) (*inProcess, error) {
	cfg, err := configfile.Parse("tidemark.yaml", []byte(settings), domains.Kinds()...)
	if err != nil {
		return nil, err
	}
	kinds, err := cfg.Catalog()
	if err != nil {
		return nil, err
	}
	p := &inProcess{kinds: kinds, now: firstHour, dice: rand.New(rand.NewPCG(f.Seed, 1))}
	clock := func() model.Time { return p.now }
	p.table = &cost.Metered{Table: memory.New(clock)}
	random := rand.NewChaCha8([32]byte{byte(f.Seed)})
	sleep := func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	p.ingest = &ingest.Service{Store: p.table, Limits: config.Default().Limits, Now: clock, Rand: random,
		Sleep: sleep, Parallel: 1, Queue: queue.NewWriter(p.table, kinds)}
	p.agg = &aggregate.Aggregator{Store: killing{p.table, p}, QuarantineStore: p.table, Catalog: kinds,
		Now: clock, Rand: random, Sleep: sleep, Limits: aggregate.Limits{Concurrency: 1}}
	return p, nil
}

// killing is the table of an invocation that is killed before one of its writes of rows.
type killing struct {
	*cost.Metered
	p *inProcess
}

func (k killing) PutRow(ctx context.Context, r *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	if k.p.killNow() {
		return storage.Unknown, ctx.Err()
	}
	return k.Metered.PutRow(ctx, r, prev)
}

// PutInvalidations is killed, too: between a share and the notice of its group.
func (k killing) PutInvalidations(ctx context.Context, these []storage.Invalidation) (
	[]storage.Invalidation, storage.WriteResult, error) {
	if k.p.killNow() {
		return these, storage.Unknown, ctx.Err()
	}
	return k.Metered.PutInvalidations(ctx, these)
}

// oneIn reports whether one of n has a fault, and this is it.
func (p *inProcess) oneIn(n int) bool { return !p.calm && p.dice.IntN(n) == 0 }

// killNow kills the invocation if this is the write.
func (p *inProcess) killNow() bool {
	if p.writes == 0 {
		return false
	}
	if p.writes--; p.writes > 0 {
		return false
	}
	p.stats.Kills++
	p.kill()
	return true
}

// invoke runs an invocation, of which one in so many is killed, and adds its units. It reports whether the
// invocation was killed.
func (p *inProcess) invoke(ctx context.Context, killed int, run func(context.Context)) bool {
	ctx, meter := model.WithReadMeter(ctx)
	ctx, p.kill = context.WithCancel(ctx)
	defer p.kill()
	if p.writes = 0; p.oneIn(killed) {
		p.writes = 1 + p.dice.IntN(20)
	}
	before := p.table.WriteUnits()
	run(ctx)
	p.writes = 0
	p.units.write += float64(p.table.WriteUnits() - before)
	p.units.read += meter.Cost().Units
	return ctx.Err() != nil
}

// recordInProcess is record without the stack.
func (f Fleet) recordInProcess(ctx context.Context, dir string) (r Result, err error) {
	p, err := f.newInProcess(settings)
	if err != nil {
		return r, err
	}
	if r.Sent, err = f.sendInProcess(ctx, p, dir); err != nil {
		return r, err
	}
	r.Stats, r.Units = p.stats, p.units
	rows, err := loggers.Rows(ctx, p.table)
	if err != nil {
		return r, err
	}
	return r, writeRows(dir, rows)
}

// sendInProcess sends the readings, and lets the day end.
func (f Fleet) sendInProcess(ctx context.Context, p *inProcess, dir string) (sent int, err error) {
	if sent, err = f.send(ctx, p, filepath.Join(dir, "readings.ndjson")); err != nil {
		return sent, err
	}
	return sent, p.moveClock(ctx, firstHour.Add(26*time.Hour).Time())
}

// sweep sweeps a queue shard. A sweep that was killed is followed by the next one.
func (p *inProcess) sweep(ctx context.Context, shard storage.QueueShard) error {
	var failed error
	killed := p.invoke(ctx, sweptOne, func(ctx context.Context) {
		report, err := p.agg.Sweep(ctx, shard)
		if failed = err; err == nil && len(report.Failures) > 0 {
			failed = report.Failures[0].Err
		}
	})
	if killed {
		return nil
	}
	return failed
}
