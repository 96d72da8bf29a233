package aggregate_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// An hour nobody was told of, whose events have expired before anybody looked, has
// nothing left to fold. Its row says so, and the day over it, which stands without
// that hour, says so too.
func TestRevisit_WhatExpiredUnseenIsToldByTheDayOverIt(t *testing.T) {
	w := newWorld(t)
	w.put(order("2026-03-10T08:00:00Z", ""), "1")
	w.settle()
	w.put(order(ten, ""), "2")
	lost := w.changes() // given up, and looked at too late
	w.advance(31 * tier.Day24)
	w.Expire(w.now())

	places := []aggregate.Place{{Series: w.series, At: lost[0].Key.At}}
	if r := w.agg.Revisit(w.ctx(), places, aggregate.Terms{Manner: aggregate.MarkEvery}); len(r.Failures) > 0 {
		t.Fatal(r.Failures[0].Err)
	}
	hour := w.row(tier.Hour, ten)
	if hour == nil || hour.Empty || hour.Exact || hour.Summary.Events() != 0 {
		t.Errorf("hour of what was lost: %+v, want a row of no events that says it is not exact", hour)
	}
	w.wantRow(tier.Hour, "2026-03-10T08:00:00Z", 1, "1", true)
	w.wantRow(tier.Day, ten, 1, "1", false)
	w.wantRow(tier.Month, ten, 1, "1", false)
}

// Where a finer tier was added later, the finest row of an earlier bucket is another.
func TestRevisit_MarksTheFinestRowThatABucketHas(t *testing.T) {
	kind := gauge
	kind.Ladder = tier.Standard()
	minute := tier.Tier{Unit: tier.Minute, Retention: kind.Ladder.Raw + 4*tier.Day24, From: at("2026-03-11T00:00:00Z")}
	kind.Ladder.Tiers = append([]tier.Tier{minute}, kind.Ladder.Tiers...)
	w := newWorldOf(t, kind)
	w.put(order(ten, ""), "1")
	w.settle()
	places := []aggregate.Place{{Series: w.series, At: at(ten)}}
	if r := w.agg.Revisit(w.ctx(), places, aggregate.Terms{Manner: aggregate.MarkEvery}); len(r.Failures) > 0 {
		t.Fatal(r.Failures[0].Err)
	}
	w.wantRow(tier.Hour, ten, 1, "1", false)

	r := w.whole()
	r.Manner, r.From = aggregate.MarkEvery, at(eleven)
	w.put(order(eleven, ""), "2")
	w.settle()
	w.rebuild(r)
	w.wantRow(tier.Hour, eleven, 1, "2", false)
}
