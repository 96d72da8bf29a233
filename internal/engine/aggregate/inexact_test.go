package aggregate_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The record of an hour was lost, and its events expired before they were folded. The hour's row is
// then inexact, and so is its day's row, which misses the hour.
func TestRecompute_EventsThatExpiredBeforeFoldingMakeTheirDayInexact(t *testing.T) {
	w := newWorld(t)
	w.put(order("2026-03-10T08:00:00Z", ""), "1")
	w.process()
	w.put(order(ten, ""), "2")
	lost := w.changes() // given up, and recomputed too late
	w.advance(31 * tier.Day24)
	w.table.Expire(w.now())

	targets := []aggregate.Target{{Series: w.series, At: lost[0].Key.At}}
	if r := w.agg.Recompute(w.ctx(), targets,
		aggregate.RepairOptions{Mark: aggregate.MarkAll}); len(r.Failures) > 0 {
		t.Fatal(r.Failures[0].Err)
	}
	hour := w.row(tier.Hour, ten)
	if hour == nil || hour.Empty || hour.Exact || hour.Summary.Events() != 0 {
		t.Errorf("hour of the lost record: %+v, want an inexact row without events", hour)
	}
	w.wantRow(tier.Hour, "2026-03-10T08:00:00Z", 1, "1", true)
	w.wantRow(tier.Day, ten, 1, "1", false)
	w.wantRow(tier.Month, ten, 1, "1", false)
}

// Before the From of a tier that was added later, the finest row is one of the next tier.
func TestRecompute_MarkAllMarksTheFinestRowOfABucket(t *testing.T) {
	kind := gauge
	kind.Retention = tier.Standard()
	minute := tier.Tier{Unit: tier.Minute, Retention: kind.Retention.Raw + 4*tier.Day24,
		From: at("2026-03-11T00:00:00Z")}
	kind.Retention.Tiers = append([]tier.Tier{minute}, kind.Retention.Tiers...)
	w := newWorldWith(t, kind)
	w.put(order(ten, ""), "1")
	w.process()
	targets := []aggregate.Target{{Series: w.series, At: at(ten)}}
	if r := w.agg.Recompute(w.ctx(), targets,
		aggregate.RepairOptions{Mark: aggregate.MarkAll}); len(r.Failures) > 0 {
		t.Fatal(r.Failures[0].Err)
	}
	w.wantRow(tier.Hour, ten, 1, "1", false)

	r := w.complete()
	r.Mark, r.From = aggregate.MarkAll, at(eleven)
	w.put(order(eleven, ""), "2")
	w.process()
	w.rebuild(r)
	w.wantRow(tier.Hour, eleven, 1, "2", false)
}
