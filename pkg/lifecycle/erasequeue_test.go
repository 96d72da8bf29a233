package lifecycle_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// erasing is a table that notes the requests of an erasure in their order.
type erasing struct {
	*memory.Table
	requests []string
	refuses  bool // invalidations
}

func (s *erasing) StoredInvalidations(ctx context.Context,
	these []storage.Invalidation) (map[storage.Invalidation]bool, error) {
	s.requests = append(s.requests, "read")
	return s.Table.StoredInvalidations(ctx, these)
}

func (s *erasing) PutInvalidations(ctx context.Context,
	these []storage.Invalidation) ([]storage.Invalidation, storage.WriteResult, error) {
	s.requests = append(s.requests, "put")
	if s.refuses {
		return these, storage.Throttled, nil
	}
	return s.Table.PutInvalidations(ctx, these)
}

func (s *erasing) DeleteEvent(ctx context.Context, k model.EventKey, now model.Time) (storage.WriteResult,
	error) {
	s.requests = append(s.requests, "delete")
	return s.Table.DeleteEvent(ctx, k, now)
}

// readingsIn returns READING with deferred tiers.
func readingsIn(t *testing.T, since model.Time) *catalog.Catalog {
	t.Helper()
	policy := tier.Standard()
	for i := range policy.Tiers {
		policy.Tiers[i].Deferred, policy.Tiers[i].DeferredFrom = true, since
	}
	kinds, err := catalog.New(catalog.Kind{Name: "READING", Subject: catalog.SubjectType{Name: alice.Type},
		Measures: []rollup.MeasureSpec{{Name: "n"}}, Latest: catalog.NoLatest, Retention: policy})
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

// storeReading stores an event and returns the record of it.
func (w *fixture) storeReading(at model.Time) storage.Change {
	attrs := model.Attrs{{Name: "n", Value: model.NumberValue(model.NewDecimal(1))}}
	e := model.Event{Series: model.Series{Subject: alice, Kind: "READING"}, Order: model.Order{At: at},
		Attrs: attrs, Hash: model.HashAttrs(attrs), ArrivedAt: w.now(),
		ExpiresAt: w.now().Add(tier.Day24).Seconds()}
	w.store(item.FromEvent(&e))
	return storage.Change{Type: storage.Inserted, Key: e.Key(), After: &e, At: w.now()}
}

// Each open bucket is queued once, before the first of its events is deleted. A closed bucket and a dry run
// need no request.
func TestEraseEvents_QueuesOpenBucketsBeforeItDeletes(t *testing.T) {
	queued := []string{"read", "put", "delete", "delete"}
	refused := []string{"read", "put", "read", "put", "read", "put", "read", "put", "delete"}
	for name, c := range map[string]struct {
		refuses, dry   bool
		want           []string
		queued, failed int
	}{
		"stored":  {want: slices.Concat([]string{"delete"}, queued, queued), queued: 2},
		"refused": {refuses: true, want: append([]string{"delete"}, slices.Repeat(refused, 4)...), failed: 4},
		"dry run": {dry: true},
	} {
		w := newFixture(t, catalog.Profile{})
		for _, after := range []time.Duration{-72 * time.Hour, 0, time.Minute, time.Hour, 61 * time.Minute} {
			w.storeReading(noon.Add(after))
		}
		store := &erasing{Table: w.table, refuses: c.refuses}
		failed, kinds := 0, readingsIn(t, 0)
		done, err := w.purger.EraseEvents(t.Context(), store, lifecycle.EventSelection{
			Series: model.Series{Subject: alice, Kind: "READING"}, From: model.MinTime, To: model.MaxTime + 1,
			Catalog: kinds, Queue: queue.NewWriter(store, kinds), DryRun: c.dry,
			OnUnqueued: func(events []model.EventKey, _ error) { failed += len(events) },
		})
		if err != nil || done.Deleted != 5 || failed != c.failed || len(w.invalidations()) != c.queued ||
			!slices.Equal(store.requests, c.want) {
			t.Errorf("%s: %+v, %v with %v; %d invalidations are stored, %d events reported; want %v, %d, %d",
				name, done, err, store.requests, len(w.invalidations()), failed, c.want, c.queued, c.failed)
		}
	}
}

// An hour was immediate when its events arrived, and is deferred when one of them is erased: no sweep has its
// invalidation. The records of the deletion are lost.
func TestEraseEvents_AnOpenRowFollowsWithoutTheTableStream(t *testing.T) {
	w := newFixture(t, catalog.Profile{})
	kinds := readingsIn(t, noon.Add(10*time.Minute))
	agg := &aggregate.Aggregator{Store: w.table, QuarantineStore: w.table, Catalog: kinds, Now: w.now,
		Rand: seeded(3), Sleep: w.sleep}
	changes := []storage.Change{w.storeReading(noon), w.storeReading(noon.Add(time.Minute))}
	if report := agg.Process(t.Context(), changes); len(w.invalidations()) > 0 {
		t.Fatalf("%+v, want the row of the hour and no invalidation", report)
	}
	w.advance(30 * time.Minute)
	done, err := w.purger.EraseEvents(t.Context(), w.table, lifecycle.EventSelection{
		Series: changes[0].Key.Series, From: noon, To: noon + 1,
		Catalog: kinds, Queue: queue.NewWriter(w.table, kinds)})
	if err != nil || done.Deleted != 1 {
		t.Fatal(done, err)
	}
	w.advance(3 * time.Hour)
	for _, shard := range storage.FirstGeneration.QueueShards() {
		if report, err := agg.Sweep(t.Context(), shard); err != nil || report.Left > 0 {
			t.Fatal(report, err)
		}
	}
	hour := rollup.Key{Series: changes[0].Key.Series, Tier: tier.Hour.String(), Start: noon}
	row, err := w.table.Row(t.Context(), hour)
	if err != nil || row == nil || row.Summary.Events() != 1 {
		t.Errorf("the hour is %+v, %v; want the one event that is left", row, err)
	}
}
