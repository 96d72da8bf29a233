package verify

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// fixture is a table in memory at a fixed time, and an aggregator on it.
type fixture struct {
	*testing.T
	*memory.Table
	catalog *catalog.Catalog
	now     func() model.Time
	agg     *aggregate.Aggregator
}

func newFixture(t *testing.T, kind *catalog.Kind) *fixture {
	t.Helper()
	f := &fixture{T: t, now: func() model.Time { return eventAt(soon, 0).At }}
	f.Table = memory.New(f.now)
	var err error
	if f.catalog, err = catalog.New(*kind); err != nil {
		t.Fatal(err)
	}
	f.agg = &aggregate.Aggregator{Store: f.Table, QuarantineStore: f.Table, Catalog: f.catalog, Now: f.now,
		Rand:  rand.NewChaCha8([32]byte{1}),
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	return f
}

// store stores events without processing them.
func (f *fixture) store(events ...model.Event) (changes []storage.Change) {
	f.Helper()
	for _, e := range events {
		e = f.inShard(e)
		if written, err := f.Put(f.Context(), e); err != nil || written.Result != storage.Written {
			f.Fatal(written.Result, err)
		}
		changes = append(changes, storage.Change{Type: storage.Inserted, Key: e.Key()})
	}
	return changes
}

// inShard returns an event in the shard that ingestion stores it in.
func (f *fixture) inShard(e model.Event) model.Event {
	if kind, declared := f.catalog.Kind(e.Series.Kind); declared {
		e.Series = kind.Series(e.Series.Subject.ID, e.Series.Stream, e.Order)
	}
	return e
}

// process stores events and computes their rows.
func (f *fixture) process(events ...model.Event) {
	f.Helper()
	if report := f.agg.Process(f.Context(), f.store(events...)); len(report.Failures) > 0 {
		f.Fatal(report.Failures[0].Err)
	}
}

// changeRow changes a stored row behind aggregate's back.
func (f *fixture) changeRow(u tier.Unit, when string, change func(*rollup.Row)) {
	f.Helper()
	key := rollup.Key{Series: tested, Tier: u.String(), Start: u.BucketAt(eventAt(when, 0).At).Start}
	row, err := f.Row(f.Context(), key)
	if err != nil || row == nil {
		f.Fatalf("row %v: %v, %v", key, row, err)
	}
	change(row)
	stored, err := item.FromRow(row)
	if err == nil {
		err = f.PutItem(f.Context(), stored)
	}
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) verify(v Verifier, s Scope) *Report {
	f.Helper()
	v.Store = f.Table
	v.Catalog = f.catalog
	v.Now = f.now
	report, err := v.Verify(f.Context(), s)
	if err != nil {
		f.Fatal(err)
	}
	return report
}
