// Package timeseriestest is for the tests of programs that use package timeseries: a table in
// memory whose clock the test moves, whose rollups the test brings up to date, and whose
// requests can fail. It runs the code that is deployed, so outcomes and rollups are the same.
//
// A test of a program with several kinds begins with New and Configure. Each Advance then does what the
// deployed functions do in that time: it folds what was written and sweeps the buckets of deferred tiers as
// they close, the groups after their members. A test that checks the moments between uses Fold and Sweep.
package timeseriestest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

type store = storetest.FaultyStore

// Table is a table in memory: a timeseries.Store and a lifecycle.Store. Create it with New. It
// is safe for concurrent use.
type Table struct {
	*store
	tb     testing.TB
	memory *memory.Table
	random *seeded

	mu     sync.Mutex
	now    time.Time      // guarded by mu
	kinds  []catalog.Kind // of Configure; guarded by mu
	faults map[string]int // how many of the next requests have it; guarded by mu

	// reading is not mu: the table in memory asks for the time, which mu guards, while it writes a record.
	reading sync.Mutex
	folded  uint64 // records of the table that Fold has processed; guarded by reading
	sent    uint64 // records that StreamBatch has returned; guarded by reading
}

var _ timeseries.Store = (*Table)(nil)

// New returns an empty table whose clock stands at start.
func New(tb testing.TB, start time.Time) *Table {
	t := &Table{tb: tb, now: start, faults: map[string]int{},
		random: &seeded{source: rand.NewChaCha8([32]byte{})}}
	t.memory = memory.New(t.stored)
	t.store = &store{Store: t.memory, Writes: t.nextWrite, Reads: t.nextRead}
	return t
}

// Options returns options for timeseries.Open: the clock of the table, ids that are the same in
// each run, and no pauses between attempts. All options of a table share its random source, so that
// no two programs on it send the same token.
func (t *Table) Options() *timeseries.Options {
	return &timeseries.Options{
		Now: t.Now, Rand: t.random,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
}

// Configure applies the kinds to the table, as a deployment does: a program whose kind differs from them, or
// is none of them, then gets timeseries.ErrTableConfig. Fold, Sweep and Advance then know the kinds. A kind
// that the table cannot take ends the test.
func (t *Table) Configure(kinds ...catalog.Kind) {
	t.tb.Helper()
	declared, err := catalog.New(kinds...)
	if err == nil {
		applier := tableconfig.Applier{
			Table: t.memory, Queue: t.memory, Now: t.stored,
			Sweep: func(ctx context.Context, shard storage.QueueShard) error {
				_, err := t.with(declared).Sweep(ctx, shard)
				return err
			},
		}
		_, err = applier.Apply(context.Background(), declared)
	}
	if err != nil {
		t.tb.Fatalf("timeseriestest: configure the table: %v", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kinds = slices.Clone(kinds)
}

// configured returns the kinds of Configure, or others if there are some.
func (t *Table) configured(others []catalog.Kind) []catalog.Kind {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(others) == 0 {
		return t.kinds
	}
	return others
}

// Now returns the time of the table's clock.
func (t *Table) Now() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now
}

func (t *Table) stored() model.Time { return model.NewTime(t.Now()) }

// sweepEvery is the longest time between two sweeps while the clock advances.
const sweepEvery = time.Hour

// Advance moves the clock forward and removes what has expired by then. If the table was configured, it also
// does what the deployed functions do meanwhile: it folds what was written before, and sweeps the buckets
// that close, hour by hour, so that a raw event expires only after its buckets have it.
func (t *Table) Advance(d time.Duration) {
	t.tb.Helper()
	until := t.Now().Add(d)
	configured := len(t.configured(nil)) > 0
	if configured {
		t.Fold()
		for t.hasQueue() && t.Now().Add(sweepEvery).Before(until) {
			t.setNow(t.Now().Add(sweepEvery))
			t.Sweep()
		}
	}
	t.setNow(until)
	if configured {
		t.Sweep()
	}
	t.memory.Expire(t.stored())
}

func (t *Table) setNow(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = now
}

// hasQueue reports whether a bucket that has changed is still to be swept.
func (t *Table) hasQueue() bool {
	t.tb.Helper()
	return slices.ContainsFunc(t.queueShards(t.aggregator(nil)), func(s aggregate.SweptShard) bool {
		page, err := t.memory.Invalidations(context.Background(), s.QueueShard, model.MaxTime, "")
		if err != nil {
			t.tb.Fatalf("timeseriestest: read the queue: %v", err)
		}
		return len(page.Invalidations) > 0
	})
}

// Fold recomputes the rollups of everything that was written since the last Fold, as the
// deployed function does moments after each write. Latest items, groups and alerts follow, too. kinds are all
// kinds that the test writes, as Events.Kind returns them; without any, Fold uses the kinds of Configure. A
// failure ends the test.
func (t *Table) Fold(kinds ...catalog.Kind) {
	t.tb.Helper()
	a := t.aggregator(kinds)
	batch, err := new(tablestream.Decoder).Decode(t.batch(t.unread(&t.folded)))
	if err != nil || len(batch.Poison) > 0 {
		t.tb.Fatalf("timeseriestest: read the stream: %v, %+v", err, batch.Poison)
	}
	if report := a.Process(context.Background(), batch.Changes); len(report.Failures) > 0 {
		t.tb.Fatalf("timeseriestest: fold: %+v", report.Failures)
	}
	if failed := t.evaluate(a.Catalog, batch.Changes); len(failed) > 0 {
		t.tb.Fatalf("timeseriestest: evaluate alert rules: %v", failed)
	}
}

// StreamBatch returns everything that changed since the last StreamBatch as Lambda gets it from the table's
// stream, in one batch: pass it to the handler of package changes, or to one of your own.
func (t *Table) StreamBatch() []byte {
	return t.batch(t.unread(&t.sent))
}

// unread returns the records that a reader has not read, and moves it behind them.
func (t *Table) unread(position *uint64) []memory.Record {
	t.reading.Lock()
	defer t.reading.Unlock()
	records := t.memory.Records(*position)
	*position += uint64(len(records))
	return records
}

// batch returns records as Lambda gets them from the table's stream.
func (t *Table) batch(records []memory.Record) []byte {
	bodies := make([]json.RawMessage, len(records))
	for i, r := range records {
		key := item.Item{
			keys.AttrPK: item.Value{Type: item.S, S: r.Keys.PK}, keys.AttrSK: item.Value{Type: item.S, S: r.Keys.SK},
		}
		change := simstream.Change{Keys: key, Old: r.Old, New: r.New, Expired: r.Service}
		bodies[i] = simstream.Body(&change, r.At, "arn:aws:dynamodb:eu-west-1:000000000000:table/test/stream/1",
			strconv.FormatUint(r.Seq, 10))
	}
	payload, err := json.Marshal(map[string]any{"Records": bodies})
	if err != nil {
		t.tb.Fatalf("timeseriestest: encode the stream: %v", err)
	}
	return payload
}

// Sweep writes the rollups of deferred tiers whose buckets have closed by the table's clock, as the
// deployed function does each minute. Fold only notes their buckets, and reads compute them from
// the events until then. It raises the alerts of groups and of silence that are due. kinds are the same
// as for Fold. A failure ends the test.
func (t *Table) Sweep(kinds ...catalog.Kind) {
	t.tb.Helper()
	a := t.aggregator(kinds)
	for _, shard := range t.queueShards(a) {
		report, err := a.Sweep(context.Background(), shard.QueueShard)
		if err != nil || len(report.Failures) > 0 {
			t.tb.Fatalf("timeseriestest: sweep: %v, %+v", err, report.Failures)
		}
	}
	if err := t.alerts(a.Catalog).FindSilent(context.Background()); err != nil {
		t.tb.Fatalf("timeseriestest: evaluate rules of silence: %v", err)
	}
}

// queueShards returns the queue shards that sweeps work off, the one of groups last.
func (t *Table) queueShards(a *aggregate.Aggregator) []aggregate.SweptShard {
	t.tb.Helper()
	all, err := a.QueueShards(context.Background())
	if err != nil {
		t.tb.Fatalf("timeseriestest: %v", err)
	}
	return all
}

// Sweeps is for package timeseries: how far rows of deferred tiers are complete.
func (t *Table) Sweeps(ctx context.Context) (storage.LowWatermarks, error) {
	return t.memory.Sweeps(ctx)
}

func (t *Table) aggregator(kinds []catalog.Kind) *aggregate.Aggregator {
	t.tb.Helper()
	kinds = t.configured(kinds)
	if len(kinds) == 0 {
		t.tb.Fatal("timeseriestest: no kinds: pass those that the test writes, or call Configure first")
	}
	declared, err := catalog.New(kinds...)
	if err != nil {
		t.tb.Fatalf("timeseriestest: %v", err)
	}
	if err := tableconfig.Load(context.Background(), t.memory, declared, t.stored()); err != nil {
		t.tb.Fatalf("timeseriestest: %v", err)
	}
	return t.with(declared)
}

func (t *Table) with(kinds *catalog.Catalog) *aggregate.Aggregator {
	return &aggregate.Aggregator{Store: t.memory, QuarantineStore: t.memory, Catalog: kinds, Now: t.stored,
		OnGroups: func(_ context.Context, buckets []storage.Change) map[model.Series]error {
			return t.evaluate(kinds, buckets)
		}}
}

// seeded is a random source for concurrent use.
type seeded struct {
	mu     sync.Mutex
	source *rand.ChaCha8 // guarded by mu
}

// Read fills b.
func (s *seeded) Read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.source.Read(b)
	if err != nil {
		return n, fmt.Errorf("timeseriestest: %w", err)
	}
	return n, nil
}
