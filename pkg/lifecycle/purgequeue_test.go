package lifecycle_test

import (
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// An invalidation names the subject. An aggregate function that remembers one leaves changes of its bucket to
// the sweep: so a purge removes invalidations only because its lock outlives every bucket that is open.
func TestPurge_RemovesInvalidationsUnderALockThatOutlivesTheirBuckets(t *testing.T) {
	w := newFixture(t, employee)
	policy := tier.Standard()
	for i := range policy.Tiers {
		policy.Tiers[i].Deferred = true
	}
	cat, err := catalog.New(catalog.Kind{Name: "READING", Subject: catalog.SubjectType{Name: alice.Type},
		Measures: []rollup.MeasureSpec{{Name: "n"}}, Retention: policy})
	if err != nil {
		t.Fatal(err)
	}
	agg := &aggregate.Aggregator{Store: w.table, QuarantineStore: w.table, Catalog: cat, Now: w.now,
		Rand: seeded(3), Sleep: w.sleep}
	event := func(who model.Subject) model.Event {
		attrs := model.Attrs{{Name: "n", Value: model.NumberValue(model.NewDecimal(1))}}
		return model.Event{Series: model.Series{Subject: who, Kind: "READING"}, Order: model.Order{At: w.now()},
			Attrs: attrs, Hash: model.HashAttrs(attrs), ArrivedAt: w.now()}
	}
	for _, who := range []model.Subject{alice, bob} {
		e := event(who)
		w.store(item.FromEvent(&e))
		if report := agg.Process(t.Context(), []storage.Change{{Type: storage.Inserted, Key: e.Key(), After: &e,
			At: w.now()}}); report.Invalidations != 1 {
			t.Fatalf("%+v, want the invalidation of the open hour", report)
		}
	}
	receipt, err := w.purge(t.Context())
	if err != nil || !slices.Contains(receipt.Removed,
		storage.PurgeCount{Class: "queue of sweeps", Items: 1, Bytes: classBytes(receipt, "queue of sweeps")}) {
		t.Fatalf("removed %+v, %v; want one invalidation", receipt.Removed, err)
	}
	waiting := map[model.Subject]bool{}
	for _, i := range w.invalidations() {
		waiting[i.Key.Series.Subject] = true
	}
	if !waiting[bob] || len(waiting) != 1 {
		t.Fatalf("invalidations of %v wait after the purge, want the invalidation of bob alone", waiting)
	}
	for _, b := range policy.Tiers {
		if open := b.Unit.BucketAt(w.now()); open.End.Add(b.Grace+policy.Jitter) >= w.now().Add(lockDuration) {
			t.Errorf("the lock ends before the %s of the purge closes", b.Unit)
		}
	}
	w.advance(40 * tier.Day24)
	for range policy.Tiers { // a parent closes after its child was swept
		for _, shard := range storage.FirstGeneration.QueueShards() {
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
		t.Errorf("rows have %v events and %d invalidations wait, want none of alice, one in each tier of "+
			"bob, and no invalidation", rows, len(w.invalidations()))
	}
}

func classBytes(r lifecycle.Receipt, class string) int64 {
	i := slices.IndexFunc(r.Removed, func(c storage.PurgeCount) bool { return c.Class == class })
	if i < 0 {
		return -1
	}
	return r.Removed[i].Bytes
}

// invalidations returns the queue.
func (w *fixture) invalidations() (all []storage.Invalidation) {
	for _, shard := range storage.FirstGeneration.QueueShards() {
		page, err := w.table.Invalidations(w.Context(), shard, model.MaxTime, "")
		if err != nil {
			w.Fatal(err)
		}
		all = append(all, page.Invalidations...)
	}
	return all
}
