package lifecycle_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// An aggregate function remembers the invalidations that it has put. If a purge deleted one, a
// change of the bucket after it would be in no row, and no sweep would find the bucket. So a purge
// leaves the queue alone, and the sweep of the purged subject's buckets writes no event.
func TestPurge_LeavesInvalidationsToTheSweep(t *testing.T) {
	w := newFixture(t, employee)
	policy := tier.Standard()
	for i := range policy.Tiers {
		policy.Tiers[i].Deferred = true
	}
	cat, err := catalog.New(catalog.Kind{Name: "READING", Subject: catalog.SubjectType{Name: alice.Type}, Measures: []rollup.MeasureSpec{{Name: "n"}}, Retention: policy})
	if err != nil {
		t.Fatal(err)
	}
	agg := &aggregate.Aggregator{Store: w.table, QuarantineStore: w.table, Catalog: cat, Now: w.now, Rand: seeded(3), Sleep: w.sleep}
	event := func(who model.Subject) model.Event {
		attrs := model.Attrs{{Name: "n", Value: model.NumberValue(model.DecimalOf(1))}}
		return model.Event{Series: model.Series{Subject: who, Kind: "READING"}, Order: model.Order{At: w.now()}, Attrs: attrs, Hash: model.HashOf(attrs), ArrivedAt: w.now()}
	}
	for _, who := range []model.Subject{alice, bob} {
		e := event(who)
		w.store(item.FromEvent(&e))
		if report := agg.Process(t.Context(), []storage.Change{{Type: storage.Inserted, Key: e.Key(), After: &e, At: w.now()}}); report.Invalidations != 1 {
			t.Fatalf("%+v, want the invalidation of the open hour", report)
		}
	}
	if _, err := w.purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	waiting := map[model.Subject]bool{}
	for _, i := range w.invalidations() {
		waiting[i.Key.Series.Subject] = true
	}
	if !waiting[alice] || !waiting[bob] || len(waiting) != 2 {
		t.Fatalf("invalidations of %v wait after the purge, want those of both subjects", waiting)
	}
	w.advance(40 * tier.Day24)
	for range policy.Tiers { // a parent closes after its child was swept
		for shard := range tablekeys.QueueShards {
			if report, err := agg.Sweep(t.Context(), shard); err != nil || report.Left > 0 {
				t.Fatal(report, err)
			}
		}
	}
	rows := map[model.Subject]int64{}
	for _, it := range w.items() {
		if row, err := item.Row(it); err == nil {
			rows[row.Key.Series.Subject] += row.Summary.Events()
		}
	}
	if rows[alice] != 0 || rows[bob] != int64(len(policy.Tiers)) || len(w.invalidations()) != 0 {
		t.Errorf("rows have %v events and %d invalidations wait, want none of alice, one in each tier of bob, and no invalidation", rows, len(w.invalidations()))
	}
}

// invalidations returns the queue.
func (w *fixture) invalidations() (all []entity.Invalidation) {
	for shard := range tablekeys.QueueShards {
		page, err := w.table.Invalidations(w.Context(), shard, model.MaxTime, "")
		if err != nil {
			w.Fatal(err)
		}
		all = append(all, page.Invalidations...)
	}
	return all
}
