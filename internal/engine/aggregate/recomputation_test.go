package aggregate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const (
	ten     = "2026-03-10T10:00:00Z"
	half    = "2026-03-10T10:30:00Z"
	eleven  = "2026-03-10T11:00:00Z"
	dayEnds = "2026-03-10T23:59:59.999Z"
)

var tiers = []tier.Unit{tier.Hour, tier.Day, tier.Month}

func TestProcess_DeletingTheMaximumCorrectsHourDayAndMonth(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.put(order(half, ""), "99")
	w.put(order(eleven, ""), "2")
	w.process()
	for i, u := range tiers {
		w.wantRow(u, ten, []int64{2, 3, 3}[i], "99", true)
	}
	w.delete(order(half, ""))
	w.process()
	for i, u := range tiers {
		w.wantRow(u, ten, []int64{1, 2, 2}[i], []string{"1", "2", "2"}[i], true)
	}
}

func TestProcess_CorrectionReplacesTheValueInEveryTier(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.put(order(half, ""), "99")
	w.process()
	w.correct(order(half, ""), "3")
	w.process()
	for _, u := range tiers {
		w.wantRow(u, ten, 2, "3", true)
	}
}

func TestProcess_EventDeletedAndPutAgainCountsOnceInAnyOrderOfTheRecords(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, "a"), "1")
	w.delete(order(ten, "a"))
	w.put(order(ten, "a"), "5")
	changes := w.changes()
	for _, i := range []int{2, 0, 1, 2, 1} {
		w.processAll(changes[i : i+1])
		for _, u := range tiers {
			w.wantRow(u, ten, 1, "5", true)
		}
	}
}

func TestProcess_DeletingADayLeavesEmptyRowsThatExpire(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.put(order(eleven, ""), "2")
	w.put(order("2026-03-11T00:00:00Z", ""), "3")
	w.process()
	w.delete(order(ten, ""))
	w.delete(order(eleven, ""))
	w.process()
	for _, when := range []string{ten, eleven} {
		if row := w.row(tier.Hour, when); !row.Empty || row.ExpiresAt != w.now().Add(tier.Day24).Seconds() {
			t.Errorf("hour of %s: empty %v, expires %d; want an empty row that expires in a day", when, row.Empty,
				row.ExpiresAt)
		}
	}
	if row := w.row(tier.Day, ten); !row.Empty {
		t.Errorf("the day has %d events, want an empty row", row.Summary.Events())
	}
	w.wantRow(tier.Month, ten, 1, "3", true)
}

func TestProcess_EmptyBucketCanHaveEventsAgain(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.delete(order(ten, ""))
	w.process()
	w.put(order(half, ""), "4")
	w.process()
	for _, u := range tiers {
		w.wantRow(u, ten, 1, "4", true)
	}
}

func TestProcess_InsertsDoNotRewriteARowThatHasThem(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	changes := w.changes()
	w.processAll(changes)
	rev := w.row(tier.Hour, ten).Rev
	if r := w.processAll(changes); r.Unchanged != 3 || r.Writes != 0 {
		t.Errorf("delivered again: %d unchanged, %d writes; want 3, 0", r.Unchanged, r.Writes)
	}
	if w.row(tier.Hour, ten).Rev != rev {
		t.Error("the row has another revision, but nothing was written")
	}
}

func TestProcess_InsertOfADeletedEventCreatesNoRow(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	inserted := w.changes()
	w.delete(order(ten, ""))
	if r := w.processAll(inserted); r.Writes != 0 || w.row(tier.Hour, ten) != nil {
		t.Errorf("%d writes; want none: the event is deleted, and its deletion is delivered separately", r.Writes)
	}
}

func TestProcess_InsertsDoNotRewriteACorrectEmptyRow(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	inserted := w.changes()
	w.delete(order(ten, ""))
	w.process()
	if r := w.processAll(inserted); r.Unchanged != 3 || r.Writes != 0 {
		t.Errorf("%d unchanged, %d writes; want 3, 0", r.Unchanged, r.Writes)
	}
}

// A skipped write does not change the revision, so only inserts may be skipped. One other change
// of the batch suffices, whether it is the first or the last.
func TestProcess_DeletionsAndCorrectionsAlwaysWriteANewRevision(t *testing.T) {
	for _, what := range []storage.ChangeType{storage.Corrected, storage.Deleted} {
		for position := range 3 {
			w := newWorld(t)
			w.put(order(ten, ""), "1")
			w.process()
			before := map[tier.Unit]rollup.Rev{}
			for _, u := range tiers {
				before[u] = w.row(u, ten).Rev
			}
			insert := storage.Change{Type: storage.Inserted, Key: w.key(order(ten, ""))}
			again := slices.Insert([]storage.Change{insert, insert}, position,
				storage.Change{Type: what, Key: w.key(order(half, "no such event"))})
			if r := w.processAll(again); r.Written != 3 || r.Unchanged != 0 {
				t.Errorf("%s at %d: %d rows written, %d unchanged; want 3, 0", what, position, r.Written, r.Unchanged)
			}
			for _, u := range tiers {
				if w.row(u, ten).Rev == before[u] {
					t.Errorf("%s at %d: the %s has its old revision", what, position, u)
				}
			}
		}
	}
}

func TestProcess_DeletionInAnAbsentBucketWritesEmptyRows(t *testing.T) {
	w := newWorld(t)
	w.processAll([]storage.Change{{Type: storage.Deleted, Key: w.key(order(ten, ""))}})
	for _, u := range tiers {
		if row := w.row(u, ten); row == nil || !row.Empty || !row.Exact || row.ChildrenExpireAt != rollup.NoExpiry {
			t.Errorf("%s: %+v, want an empty row, so that a concurrent recomputation loses its lock", u, row)
		}
	}
}

// The last delivery may have ended between the hour and the day.
func TestProcess_CoarserTiersAreRecomputedWhereTheFinerRowIsUnchanged(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	changes := w.changes()
	w.on(&faulty{store: w.table, denyFrom: 2})
	if r := w.agg.Process(w.ctx(), changes); len(r.Failures) == 0 || w.row(tier.Hour, ten) == nil ||
		w.row(tier.Day, ten) != nil {
		t.Fatalf("want a delivery that ended between hour and day, got %+v", r.Failures)
	}
	w.on(w.table)
	w.processAll(changes)
	w.wantRow(tier.Day, ten, 1, "1", true)
	w.wantRow(tier.Month, ten, 1, "1", true)
}

func TestProcess_BucketsAreHalfOpen(t *testing.T) {
	w := newWorld(t)
	w.setNow(at("2026-03-31T23:00:00Z"))
	w.put(order(ten, ""), "1")
	w.put(order(dayEnds, ""), "2")
	w.put(order("2026-03-11T00:00:00Z", ""), "3")
	w.put(order("2026-03-31T23:59:59.999Z", ""), "4")
	w.put(order("2026-04-01T00:00:00Z", ""), "5")
	w.process()
	w.wantRow(tier.Hour, ten, 1, "1", true)
	w.wantRow(tier.Day, ten, 2, "2", true)
	w.wantRow(tier.Day, "2026-03-11T12:00:00Z", 1, "3", true)
	w.wantRow(tier.Month, ten, 4, "4", true)
	w.wantRow(tier.Month, "2026-04-30T00:00:00Z", 1, "5", true)
}

// The events of a stream are in several shards, and each of its buckets has one row.
func TestProcess_AStreamHasOneRowWhateverItsShards(t *testing.T) {
	spread := gauge
	spread.Shards = 4
	w := newWorldWith(t, spread)
	for i := range 40 {
		o := model.Order{At: noon.Add(-tier.Day24) + model.Time(i)}
		w.series = w.kind.Series("hot", []string{"", "status"}[i%2], o)
		w.put(o, "1")
	}
	w.process()
	w.wantRecount()
}

func TestProcess_FoldsAllPagesOfChildren(t *testing.T) {
	w := newWorld(t)
	w.on(&paged{store: w.table, limit: 3})
	for i := range 50 {
		w.put(model.Order{At: noon.Add(time.Duration(i) * 40 * time.Minute)}, "1")
	}
	w.process()
	w.wantRecount()
}
