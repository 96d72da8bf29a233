package history

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// flood sends late rows of devices that report once a minute in random order, in batches of a
// hundred, over sixteen minutes with a sweep in each, and returns how often a rollup of each tier is
// written at most, and how many write units a row costs.
func flood(t *testing.T, n, devices int, lateEvery time.Duration) (most map[string]int, units float64) {
	t.Helper()
	kind := iot.Readings
	kind.Latest, kind.Retention = catalog.NoLatest, tier.Standard().Defer()
	kind.Retention.LateEvery = lateEvery
	kinds, err := catalog.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	at := now
	clock := func() model.Time { return at }
	random := rand.New(rand.NewPCG(1, 2))
	l := &late{checker: t, table: &cost.Metered{Table: memory.New(clock)}, writes: map[keys.Key]int{}}
	l.aggregate = &aggregate.Aggregator{Store: l.table, QuarantineStore: l.table, Catalog: kinds, Now: clock,
		Rand: rand.NewChaCha8([32]byte{1}), Limits: aggregate.Limits{Concurrency: 1}}
	service := &ingest.Service{Store: l.table, Limits: config.Default().Limits, Now: clock,
		Rand: rand.NewChaCha8([32]byte{2}), Parallel: 1}
	sweep := func() {
		for _, shard := range storage.FirstGeneration.QueueShards() {
			if report, err := l.aggregate.Sweep(context.Background(), shard); err != nil || len(report.Failures) > 0 {
				t.Fatal(err, report.Failures)
			}
		}
		l.process()
	}
	sweep()
	order := random.Perm(n)
	begin := now.Add(-20 * 24 * time.Hour)
	swept := at
	for i := 0; i < n; i += 100 {
		var batch []ingest.TypedObservation
		for _, row := range order[i:min(i+100, n)] {
			batch = append(batch, ingest.TypedObservation{
				Subject: fmt.Sprintf("sensor_%04d", row%devices), At: begin.Add(time.Duration(row/devices) * time.Minute),
				Attrs: model.Attrs{{Name: "temperature", Value: model.NumberValue(model.NewDecimal(int64(row % 40)))}},
			})
		}
		if _, err := service.AppendEvents(context.Background(), &kinds.Kinds[0], batch); err != nil {
			t.Fatal(err)
		}
		l.process()
		at = at.Add(16 * time.Minute / time.Duration(n/100))
		if at.Sub(swept) >= time.Minute {
			sweep()
			swept = at
		}
	}
	at = at.Add(10 * time.Minute)
	sweep()
	most = map[string]int{}
	for key, writes := range l.writes {
		row, err := keys.ParseRow(key)
		if err != nil {
			t.Fatal(err)
		}
		most[row.Tier] = max(most[row.Tier], writes)
	}
	return most, float64(l.table.WriteUnits()) / float64(n)
}

// However many late rows arrive, and in whatever order, each rollup is recomputed a bounded
// number of times where late changes are coalesced: once a tick, or twice where a part of a sweep
// ends within its bucket.
func TestFlood_OfLateRowsRecomputesEachRollupOnceATick(t *testing.T) {
	t.Parallel()
	n, devices := 20_000, 50
	const ticks = 5 // that sixteen minutes touch
	at, atOnce := flood(t, n, devices, 0)
	coalesced, every := flood(t, n, devices, 5*time.Minute)
	t.Logf("%d rows: a rollup is written at most %v times at once, and %v times coalesced; "+
		"%.2f and %.2f write units a row", n, at, coalesced, atOnce, every)
	if coalesced["hour"] > ticks || coalesced["day"] > 2*ticks {
		t.Errorf("coalesced, a rollup is written %v times, want at most %d and %d", coalesced, ticks, 2*ticks)
	}
	if at["hour"] < 4*ticks || at["day"] < 20*ticks {
		t.Errorf("at once, a rollup is written %v times only: the flood shows nothing", at)
	}
}
