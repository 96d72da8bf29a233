package aggregate_test

import (
	"testing"
	"time"

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

func TestSettle_DeletingTheMaximumCorrectsHourDayAndMonth(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.put(order(half, ""), "99")
	w.put(order(eleven, ""), "2")
	w.settle()
	for i, u := range tiers {
		w.wantRow(u, ten, []int64{2, 3, 3}[i], "99", true)
	}
	w.delete(order(half, ""))
	w.settle()
	for i, u := range tiers {
		w.wantRow(u, ten, []int64{1, 2, 2}[i], []string{"1", "2", "2"}[i], true)
	}
}

func TestSettle_CorrectionReplacesTheValueInEveryTier(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.put(order(half, ""), "99")
	w.settle()
	w.correct(order(half, ""), "3")
	w.settle()
	for _, u := range tiers {
		w.wantRow(u, ten, 2, "3", true)
	}
}

func TestSettle_DeleteAndPutAgainCountsOnceInAnyOrderOfTheRecords(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, "a"), "1")
	w.delete(order(ten, "a"))
	w.put(order(ten, "a"), "5")
	changes := w.changes()
	for _, i := range []int{2, 0, 1, 2, 1} {
		w.settleAll(changes[i : i+1])
		for _, u := range tiers {
			w.wantRow(u, ten, 1, "5", true)
		}
	}
}

func TestSettle_WholeDayDeletedLeavesEmptyRowsThatExpire(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.put(order(eleven, ""), "2")
	w.put(order("2026-03-11T00:00:00Z", ""), "3")
	w.settle()
	w.delete(order(ten, ""))
	w.delete(order(eleven, ""))
	w.settle()
	for _, when := range []string{ten, eleven} {
		if row := w.row(tier.Hour, when); !row.Empty || row.ExpiresAt != w.now().Add(tier.Day24).Seconds() {
			t.Errorf("hour of %s: empty %v, expires %d; want an empty row that expires in a day", when, row.Empty, row.ExpiresAt)
		}
	}
	if row := w.row(tier.Day, ten); !row.Empty {
		t.Errorf("the day has %d events, want an empty row", row.Summary.Events())
	}
	w.wantRow(tier.Month, ten, 1, "3", true)
}

func TestSettle_BucketComesBackAfterItWasEmpty(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.delete(order(ten, ""))
	w.settle()
	w.put(order(half, ""), "4")
	w.settle()
	for _, u := range tiers {
		w.wantRow(u, ten, 1, "4", true)
	}
}

func TestSettle_InsertsAloneLeaveARowThatHoldsThem(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	changes := w.changes()
	w.settleAll(changes)
	rev := w.row(tier.Hour, ten).Rev
	if r := w.settleAll(changes); r.Unchanged != 3 || r.Writes != 0 {
		t.Errorf("delivered again: %d unchanged, %d writes; want 3, 0", r.Unchanged, r.Writes)
	}
	if w.row(tier.Hour, ten).Rev != rev {
		t.Error("the row has another rev, though nothing was written")
	}
}

func TestSettle_InsertOfADeletedEventMakesNoRow(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	inserted := w.changes()
	w.delete(order(ten, ""))
	if r := w.settleAll(inserted); r.Writes != 0 || w.row(tier.Hour, ten) != nil {
		t.Errorf("%d writes; the insert is no longer there, and its deletion comes by itself", r.Writes)
	}
}

func TestSettle_InsertsAloneLeaveAnEmptyRowThatIsRight(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	inserted := w.changes()
	w.delete(order(ten, ""))
	w.settle()
	if r := w.settleAll(inserted); r.Unchanged != 3 || r.Writes != 0 {
		t.Errorf("%d unchanged, %d writes; want 3, 0", r.Unchanged, r.Writes)
	}
}

// A skip leaves no trace for the lock, so all but inserts write.
func TestSettle_AllButInsertsAlwaysWriteANewRev(t *testing.T) {
	for _, what := range []model.What{model.Corrected, model.Deleted} {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		w.settle()
		before := map[tier.Unit]rollup.Rev{}
		for _, u := range tiers {
			before[u] = w.row(u, ten).Rev
		}
		again := []model.Change{{What: model.Inserted, Key: w.key(order(ten, ""))}, {What: what, Key: w.key(order(half, "no such event"))}}
		if r := w.settleAll(again); r.Written != 3 || r.Unchanged != 0 {
			t.Errorf("%s: %d rows written, %d unchanged; want 3, 0", what, r.Written, r.Unchanged)
		}
		for _, u := range tiers {
			if w.row(u, ten).Rev == before[u] {
				t.Errorf("%s: the %s has its old rev", what, u)
			}
		}
	}
}

func TestSettle_DeletionWhereNothingIsWritesEmptyRows(t *testing.T) {
	w := newWorld(t)
	w.settleAll([]model.Change{{What: model.Deleted, Key: w.key(order(ten, ""))}})
	for _, u := range tiers {
		if row := w.row(u, ten); row == nil || !row.Empty || !row.Exact || row.ChildrenUntil != rollup.NoExpiry {
			t.Errorf("%s: %+v, want an empty row, so that a look under way loses its lock", u, row)
		}
	}
}

// The last delivery may have ended after the hour and before the day.
func TestSettle_CoarserTiersAreLookedAtThoughTheFinerIsUnchanged(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	changes := w.changes()
	w.on(&faulty{store: w.Table, refuseFrom: 2})
	if r := w.agg.Settle(w.ctx(), changes); len(r.Failures) == 0 || w.row(tier.Hour, ten) == nil || w.row(tier.Day, ten) != nil {
		t.Fatalf("want a delivery that ended between hour and day, got %+v", r.Failures)
	}
	w.on(w.Table)
	w.settleAll(changes)
	w.wantRow(tier.Day, ten, 1, "1", true)
	w.wantRow(tier.Month, ten, 1, "1", true)
}

func TestSettle_BucketsAreHalfOpen(t *testing.T) {
	w := newWorld(t)
	w.setNow(at("2026-03-31T23:00:00Z"))
	w.put(order(ten, ""), "1")
	w.put(order(dayEnds, ""), "2")
	w.put(order("2026-03-11T00:00:00Z", ""), "3")
	w.put(order("2026-03-31T23:59:59.999Z", ""), "4")
	w.put(order("2026-04-01T00:00:00Z", ""), "5")
	w.settle()
	w.wantRow(tier.Hour, ten, 1, "1", true)
	w.wantRow(tier.Day, ten, 2, "2", true)
	w.wantRow(tier.Day, "2026-03-11T12:00:00Z", 1, "3", true)
	w.wantRow(tier.Month, ten, 4, "4", true)
	w.wantRow(tier.Month, "2026-04-30T00:00:00Z", 1, "5", true)
}

func TestSettle_StreamsAndShardsAreSeriesOfTheirOwn(t *testing.T) {
	spread := gauge
	spread.Shards = 4
	w := newWorldOf(t, spread)
	for i := range 40 {
		o := model.Order{At: noon.Add(-tier.Day24) + model.Time(i)}
		w.series = w.kind.Series("hot", []string{"", "status"}[i%2], o)
		w.put(o, "1")
	}
	w.settle()
	w.wantRecount()
}

func TestSettle_ManyPagesOfChildrenAreAllFolded(t *testing.T) {
	w := newWorld(t)
	w.on(&paged{store: w.Table, limit: 3})
	for i := range 50 {
		w.put(model.Order{At: noon.Add(time.Duration(i) * 40 * time.Minute)}, "1")
	}
	w.settle()
	w.wantRecount()
}
