package aggregate_test

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// These tests use the standard policy: raw 30 d, hour 90 d, day 730 d, month forever.

func TestSealed_FromAnHourBeforeTheFirstChildExpires(t *testing.T) {
	for _, c := range []struct {
		after time.Duration // since the first event was written
		folds bool
	}{
		{30*tier.Day24 - time.Hour - time.Second, true},
		{30*tier.Day24 - time.Hour, false},
		{30 * tier.Day24, false},
	} {
		w := newWorld(t)
		w.put(order(ten, "first"), "1")
		w.process()
		w.advance(c.after)
		w.put(order(ten, "late"), "2")
		w.process()
		if c.folds {
			w.wantRow(tier.Hour, ten, 2, "2", true)
		} else {
			w.wantRow(tier.Hour, ten, 1, "1", false)
		}
	}
}

func TestSealed_RowIsMarkedInexactOnceAndKeepsItsNumbers(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.process()
	before := w.row(tier.Hour, ten)
	w.advance(30 * tier.Day24)
	w.put(order(half, ""), "2")
	late := w.changes()
	if r := w.processAll(late); r.MarkedInexact != 1 || r.Sealed != 1 {
		t.Errorf("%d sealed rows, %d marked inexact; want 1, 1: day and month are not sealed", r.Sealed,
			r.MarkedInexact)
	}
	inexact := w.row(tier.Hour, ten)
	if inexact.ChildrenExpireAt != 0 || inexact.Exact || inexact.Rev == before.Rev ||
		inexact.ExpiresAt != before.ExpiresAt {
		t.Errorf("row marked inexact: children expire at %d, exact %v, expires %d (was %d)",
			inexact.ChildrenExpireAt, inexact.Exact, inexact.ExpiresAt, before.ExpiresAt)
	}
	if inexact.WrittenAt != w.now() || before.WrittenAt == w.now() {
		t.Errorf("marked inexact at %s, written at %s before; want %s", inexact.WrittenAt, before.WrittenAt,
			w.now())
	}
	w.wantRow(tier.Hour, ten, 1, "1", false)
	w.wantRow(tier.Day, ten, 1, "1", false) // folded from the inexact row
	if r := w.processAll(late); r.MarkedInexact != 0 || w.row(tier.Hour, ten).Rev != inexact.Rev {
		t.Errorf("delivered again: %d marked inexact, want the row unchanged", r.MarkedInexact)
	}
}

func TestSealed_DeletionAndCorrectionMarkTheRowInexact(t *testing.T) {
	for _, change := range []func(*world){
		func(w *world) { w.delete(order(half, "")) },
		func(w *world) { w.correct(order(half, ""), "5") },
	} {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		w.advance(2 * time.Hour)
		w.put(order(half, ""), "2")
		w.process()
		w.advance(30*tier.Day24 - 2*time.Hour) // the first event is about to expire, the second is not
		change(w)
		w.process()
		w.wantRow(tier.Hour, ten, 2, "2", false)
	}
}

// Deleting the last child of a sealed row does not empty it.
func TestSealed_RowIsNeverEmptied(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "7")
	w.process()
	w.advance(29*tier.Day24 + 23*time.Hour + 30*time.Minute)
	w.delete(order(ten, ""))
	w.process()
	w.wantRow(tier.Hour, ten, 1, "7", false)
}

func TestSealed_EventAfterItsHourExpiredMarksTheDayInexact(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.process()
	w.advance(91 * tier.Day24)
	w.table.Expire(w.now())
	w.changes()
	if w.row(tier.Hour, ten) != nil {
		t.Fatal("the hour has not expired")
	}
	w.put(order(half, ""), "9")
	r := w.process()
	if r.NotCreated != 1 || r.MarkedInexact != 1 || !w.row(tier.Hour, ten).Placeholder() {
		t.Errorf("%d not created, %d marked inexact; want the hour not created and the day marked inexact",
			r.NotCreated, r.MarkedInexact)
	}
	placeholder := w.row(tier.Hour, ten)
	if placeholder.ExpiresAt != w.now().Add(tier.Day24).Seconds() || placeholder.Exact {
		t.Errorf("the placeholder expires at %d, exact %t; want in a day, false", placeholder.ExpiresAt,
			placeholder.Exact)
	}
	w.put(order(half, "another"), "9")
	if r := w.process(); r.NotCreated != 1 || w.row(tier.Hour, ten).Rev != placeholder.Rev {
		t.Errorf("a further late event: %d not created, want 1 and the placeholder as it was", r.NotCreated)
	}
	w.wantRow(tier.Day, ten, 1, "1", false)
	w.wantRow(tier.Month, ten, 1, "1", false)
}

// A sealed row is only compared with its children. What would be noted of their fold is not so of the row.
func TestSealed_RowThatIsKeptIsNotNoted(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"a", "b", "c"} {
		w.put(order(ten, id), "1")
	}
	changes := w.changes()
	w.processAll(changes)
	w.seal(tier.Hour, ten)
	w.agg.Limits.MaxChildren = 2
	if r := w.processAll(changes); r.Sealed != 1 || len(r.Notes) > 0 {
		t.Errorf("%d sealed rows, notes %v; want one, and no note of a row with too many children", r.Sealed,
			r.Notes)
	}
}

// Rows that are read ahead decide as those that are read one by one: the day exists and is sealed, so that
// neither of two hours is created.
func TestSealed_EventsAfterTheirHoursExpiredCreateNoHour(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.process()
	w.advance(91 * tier.Day24)
	w.table.Expire(w.now())
	w.changes()
	w.on(&batched{store: w.table})
	w.put(order(half, ""), "9")
	w.put(order(eleven, ""), "9")
	if r := w.process(); r.NotCreated != 2 || !w.row(tier.Hour, ten).Placeholder() ||
		!w.row(tier.Hour, eleven).Placeholder() {
		t.Errorf("%d not created, want both hours", r.NotCreated)
	}
}

// Where nothing expires, a row is recomputed at any time.
func TestSealed_NeverWhereNothingExpires(t *testing.T) {
	kind := gauge
	kind.Retention = tier.Policy{Raw: tier.Forever,
		Tiers: []tier.Tier{{Unit: tier.Hour, Retention: tier.Forever}, {Unit: tier.Day, Retention: tier.Forever}}}
	w := newWorldWith(t, kind)
	w.put(order(ten, ""), "1")
	w.process()
	w.advance(20 * 366 * tier.Day24)
	w.put(order(half, ""), "2")
	w.process()
	w.wantRow(tier.Hour, ten, 2, "2", true)
	w.wantRow(tier.Day, ten, 2, "2", true)
}

// An empty row of a day says nothing of its hours: the sealed month decides.
func TestAbsent_AnEmptyDayProvesNothing(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.process()
	w.advance(800 * tier.Day24)
	w.table.Expire(w.now())
	w.changes()
	day := tier.Day.BucketAt(at(ten))
	empty := &rollup.Row{
		Key: rollup.Key{Series: w.series, Tier: tier.Day.String(), Start: day.Start}, Fold: *rollup.NewFold(w.kind.Spec()),
		Rev: rollup.Rev{1}, V: 1, WrittenAt: w.now(), Empty: true, ExpiresAt: w.now().Add(tier.Day24).Seconds(),
	}
	if result, err := w.table.PutRow(w.ctx(), empty, rollup.Rev{}); err != nil || result != storage.Written {
		t.Fatal(result, err)
	}
	w.put(order(half, ""), "2")
	if r := w.process(); r.NotCreated != 2 || !w.row(tier.Hour, ten).Placeholder() {
		t.Errorf("%d not created, want the hour and the day: %+v", r.NotCreated, w.row(tier.Hour, ten))
	}
	w.wantRow(tier.Month, ten, 1, "1", false)
}

func TestAbsent_HistoryOfAnyAgeCanBeLoaded(t *testing.T) {
	for _, age := range []time.Duration{0, 40 * tier.Day24, 200 * tier.Day24, 800 * tier.Day24,
		20 * 366 * tier.Day24} {
		w := newWorld(t)
		w.put(model.Order{At: noon.Add(-age)}, "1")
		w.put(model.Order{At: noon.Add(-age - 5*time.Minute)}, "2")
		w.process()
		w.advance(time.Minute)
		w.put(model.Order{At: noon.Add(-age - 10*time.Minute)}, "3")
		w.process()
		w.wantRecount()
		for name, im := range w.images() {
			if !im.Exact {
				t.Errorf("%s old: %s is not exact", age, name)
			}
		}
	}
}

// A coarser row that is not sealed proves that the finer row never existed, so the row of a
// late event is exact.
func TestAbsent_LateEventOfANewHourIsExactWhileTheDayIsOpen(t *testing.T) {
	w := newWorld(t)
	old := noon.Add(-100 * tier.Day24) // the row of that hour would have expired long ago
	w.put(model.Order{At: old}, "1")
	w.process()
	w.put(model.Order{At: old.Add(3 * time.Hour)}, "2")
	if r := w.process(); r.NotCreated != 0 {
		t.Errorf("%d rows not created, want 0", r.NotCreated)
	}
	w.wantRecount()
}

func TestAbsent_NoRowIsCreatedAfterTheCoarsestRetention(t *testing.T) {
	short := gauge
	short.Retention = tier.Policy{Raw: 30 * tier.Day24, Tiers: []tier.Tier{
		{Unit: tier.Hour, Retention: 90 * tier.Day24},
		{Unit: tier.Day, Retention: 180 * tier.Day24},
	}}
	for _, c := range []struct {
		sinceEnd time.Duration // of the day
		created  bool
	}{
		{180*tier.Day24 - time.Hour - time.Millisecond, true},
		{180*tier.Day24 - time.Hour, false},
		{400 * tier.Day24, false},
	} {
		w := newWorldWith(t, short)
		w.setNow(at("2026-03-11T00:00:00Z").Add(c.sinceEnd))
		w.put(order(ten, ""), "1")
		r := w.process()
		if created := !w.row(tier.Day, ten).Placeholder(); created != c.created ||
			(r.NotCreated == 2) == c.created {
			t.Errorf("%s after the day ended: created %v, %d not created; want created %v", c.sinceEnd, created,
				r.NotCreated, c.created)
		}
	}
}

// Rows written before a retention was raised may have expired by the shorter one.
func TestAbsent_TheLeastRetentionDecides(t *testing.T) {
	raised := gauge
	raised.Retention = tier.Standard()
	raised.Retention.Tiers[0].Retention = 365 * tier.Day24
	for _, c := range []struct {
		least      time.Duration
		notCreated int
	}{{90 * tier.Day24, 1}, {0, 0}} {
		raised.Retention.Tiers[0].Least = c.least
		w := newWorldWith(t, raised)
		w.put(order(ten, ""), "1")
		w.process()
		if err := w.table.DeleteItem(w.ctx(), rowItemKey(w, tier.Hour, ten)); err != nil { // as its expiry would
			t.Fatal(err)
		}
		w.advance(366 * tier.Day24 / 2)
		w.seal(tier.Day, ten)
		w.put(order(half, ""), "2")
		if r := w.process(); r.NotCreated != c.notCreated {
			t.Errorf("least retention %s: %d rows not created, want %d", c.least, r.NotCreated, c.notCreated)
		}
	}
}

// seal changes a stored row into one whose first child is expiring.
func (w *world) seal(u tier.Unit, when string) {
	w.t.Helper()
	row := w.row(u, when)
	prev := row.Rev
	row.ChildrenExpireAt = w.now().Seconds()
	row.Rev = rollup.Rev{1}
	if result, err := w.table.PutRow(w.ctx(), row, prev); err != nil || result != storage.Written {
		w.t.Fatalf("seal %s: %v, %v", u, result, err)
	}
}

func TestAbsent_EmptyRowCountsAsAbsent(t *testing.T) {
	w := newWorld(t)
	old := noon.Add(-100 * tier.Day24)
	w.put(model.Order{At: old}, "1")
	w.process()
	w.put(model.Order{At: old.Add(time.Hour)}, "2")
	w.delete(model.Order{At: old.Add(time.Hour)})
	w.process()
	w.put(model.Order{At: old.Add(time.Hour)}, "3")
	w.process()
	w.wantRecount()
}
