package faults

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Removals by TTL have its identity, except on a replica, and may be late.
func TestExpiry_OfEventsNeverChangesARollup(t *testing.T) {
	for _, signed := range []bool{true, false} {
		for _, late := range []time.Duration{0, 3 * tier.Day24, 20 * tier.Day24} {
			w := newWorld(t)
			w.put(ten, "", "1")
			w.put(eleven, "", "9")
			w.settle()
			want := w.rows()
			w.advance(30*tier.Day24 + late)
			if gone := w.Expire(w.now()); gone != 2 {
				t.Fatalf("%d items expired, want both events", gone)
			}
			records := w.Records(w.seen)
			for i := range records {
				records[i].Service = signed
			}
			report := w.settleAll(w.changes(records...))
			if report.Expired != 2 || report.Recomputed != 0 {
				t.Errorf("2 removals by TTL: %d processed as expiries, %d recomputed; want 2, 0", report.Expired,
					report.Recomputed)
			}
			w.wantRows(want)
		}
	}
}

// Deleting an event shortly before TTL removes it has the same result as its expiry.
func TestExpiry_DeletionOfAnExpiredEventChangesNoRollup(t *testing.T) {
	for _, left := range []time.Duration{5 * time.Minute, time.Minute, 0, -20 * tier.Day24} {
		w := newWorld(t)
		w.put(ten, "", "1")
		w.put(half, "", "9")
		w.settle()
		want := w.rows()
		w.advance(30*tier.Day24 - left)
		if result, err := w.DeleteEvent(w.ctx(), w.key("d", ten, ""), w.now()); result != storage.ConditionFailed ||
			err != nil {
			t.Errorf("%s before its expiry, a deletion returned %s, %v; want a failed condition", left, result, err)
		}
		if err := w.DeleteItem(w.ctx(), keys.Event(w.key("d", ten, ""))); err != nil { // in the console
			t.Fatal(err)
		}
		w.settle()
		w.wantRows(want)
	}
}

// TTL may be days late. Until then the row is stored, expired and sealed.
func TestExpiry_ChangeOfAnExpiredStoredRowOnlyMakesItInexact(t *testing.T) {
	w := newWorld(t)
	w.put(ten, "", "1")
	w.settle()
	w.advance(91 * tier.Day24)
	w.ExpireWhere(w.now(), func(k keys.Key) bool { return k == keys.Event(w.key("d", ten, "")) })
	if row := w.row(tier.Hour, ten); row == nil || row.ExpiresAt > w.now().Seconds() {
		t.Fatalf("the hour is %+v, want an expired row that is still stored", row)
	}
	w.fresh()
	w.put(half, "", "9")
	w.settle()
	w.wantRow(tier.Hour, ten, 1, "1", false)
	w.wantRow(tier.Day, ten, 1, "1", false)
	w.Expire(w.now()) // TTL removes it; the late event came after
	w.fresh()
	w.put(half, "later still", "9")
	w.settle()
	if !w.row(tier.Hour, ten).Placeholder() {
		t.Error("the hour was recomputed from the remaining events")
	}
	w.wantRow(tier.Day, ten, 1, "1", false)
}

// Expired items that are still stored are hidden from readers only. A bucket that was never folded
// is computed from all its stored events.
func TestExpired_StoredEventsAreFoldedAndHiddenFromReaders(t *testing.T) {
	w := newWorld(t)
	w.put(ten, "", "1")
	w.advance(2 * tier.Day24)
	w.put(half, "", "9")
	w.fresh() // never processed
	w.advance(29 * tier.Day24)
	w.rebuild(at(ten), at(eleven))
	for _, u := range tiers {
		w.wantRow(u, ten, 2, "9", true)
	}
	reader := query.Service{Store: w.Table, Now: w.now}
	series := query.Series{Kind: w.kind, Subject: "d"}
	shown := 0
	for _, err := range reader.EachEvent(w.ctx(), query.History{Series: series, From: at(ten), To: at(noon)}) {
		if err != nil {
			t.Fatal(err)
		}
		shown++
	}
	if shown != 1 {
		t.Errorf("readers see %d events, want the one that has not expired", shown)
	}
}

// An event that is put again after its removal is a new event, also when the record of the removal
// is delivered again.
func TestDeletion_RedeliveredAfterTheNextPutChangesNoByte(t *testing.T) {
	w := newWorld(t)
	w.put(ten, "a", "1")
	w.settle()
	w.delete(ten, "a")
	removal := w.fresh()
	w.settleAll(removal)
	w.put(ten, "a", "5")
	w.settle()
	for range 2 {
		w.settleAll(removal)
		w.wantRow(tier.Hour, ten, 1, "5", true)
		w.wantRecount()
	}
}
