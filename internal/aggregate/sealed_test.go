package aggregate_test

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The ladder of these tests is the standard one: raw 30 d, hour 90 d, day 730 d,
// month for ever.

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
		w.settle()
		w.advance(c.after)
		w.put(order(ten, "late"), "2")
		w.settle()
		if c.folds {
			w.wantRow(tier.Hour, ten, 2, "2", true)
		} else {
			w.wantRow(tier.Hour, ten, 1, "1", false)
		}
	}
}

func TestSealed_RowIsMarkedOnceAndKeepsItsNumbers(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.settle()
	before := w.row(tier.Hour, ten)
	w.advance(30 * tier.Day24)
	w.put(order(half, ""), "2")
	late := w.changes()
	if r := w.settleAll(late); r.Marked != 1 || r.Sealed != 1 {
		t.Errorf("%d sealed rows met, %d marked; want 1, 1: day and month are open", r.Sealed, r.Marked)
	}
	marked := w.row(tier.Hour, ten)
	if marked.ChildrenUntil != 0 || marked.Exact || marked.Rev == before.Rev || marked.ExpiresAt != before.ExpiresAt {
		t.Errorf("marked row: until %d, exact %v, expires %d (was %d)", marked.ChildrenUntil, marked.Exact, marked.ExpiresAt, before.ExpiresAt)
	}
	w.wantRow(tier.Hour, ten, 1, "1", false)
	w.wantRow(tier.Day, ten, 1, "1", false) // folded again from a row that is not exact
	if r := w.settleAll(late); r.Marked != 0 || w.row(tier.Hour, ten).Rev != marked.Rev {
		t.Errorf("delivered again: %d marked, want the marked row left alone", r.Marked)
	}
}

func TestSealed_DeletionAndCorrectionMarkToo(t *testing.T) {
	for _, change := range []func(*world){
		func(w *world) { w.delete(order(half, "")) },
		func(w *world) { w.correct(order(half, ""), "5") },
	} {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		w.advance(2 * time.Hour)
		w.put(order(half, ""), "2")
		w.settle()
		w.advance(30*tier.Day24 - 2*time.Hour) // the first event is expiring, the second is not
		change(w)
		w.settle()
		w.wantRow(tier.Hour, ten, 2, "2", false)
	}
}

// Deleting the last child of a sealed row does not empty it.
func TestSealed_RowIsNeverEmptied(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "7")
	w.settle()
	w.advance(29*tier.Day24 + 23*time.Hour + 30*time.Minute)
	w.delete(order(ten, ""))
	w.settle()
	w.wantRow(tier.Hour, ten, 1, "7", false)
}

func TestSealed_VeryLateEventAfterTheHourExpiredMarksTheDay(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.settle()
	w.advance(91 * tier.Day24)
	w.Expire(w.now())
	w.changes()
	if w.row(tier.Hour, ten) != nil {
		t.Fatal("the hour has not expired")
	}
	w.put(order(half, ""), "9")
	r := w.settle()
	if r.NotMade != 1 || r.Marked != 1 || w.row(tier.Hour, ten) != nil {
		t.Errorf("%d not made, %d marked; want the hour not made anew and the day marked", r.NotMade, r.Marked)
	}
	w.wantRow(tier.Day, ten, 1, "1", false)
	w.wantRow(tier.Month, ten, 1, "1", false)
}

func TestAbsent_HistoryIsLoadedAtAnyAge(t *testing.T) {
	for _, age := range []time.Duration{0, 40 * tier.Day24, 200 * tier.Day24, 800 * tier.Day24, 20 * 366 * tier.Day24} {
		w := newWorld(t)
		w.put(model.Order{At: noon.Add(-age)}, "1")
		w.put(model.Order{At: noon.Add(-age - 5*time.Minute)}, "2")
		w.settle()
		w.advance(time.Minute)
		w.put(model.Order{At: noon.Add(-age - 10*time.Minute)}, "3")
		w.settle()
		w.wantRecount()
		for name, im := range w.images() {
			if !im.Exact {
				t.Errorf("%s old: %s is not exact", age, name)
			}
		}
	}
}

// An open coarser row proves that the finer one never was: the event of an hour that
// had none is exact, however late.
func TestAbsent_LateEventOfAnHourThatNeverWasIsExactWhileTheDayIsOpen(t *testing.T) {
	w := newWorld(t)
	old := noon.Add(-100 * tier.Day24) // an hour row of then has long expired by its bucket
	w.put(model.Order{At: old}, "1")
	w.settle()
	w.put(model.Order{At: old.Add(3 * time.Hour)}, "2")
	if r := w.settle(); r.NotMade != 0 {
		t.Errorf("%d rows not made, want 0", r.NotMade)
	}
	w.wantRecount()
}

func TestAbsent_BeyondTheCoarsestRetentionNothingIsMade(t *testing.T) {
	short := gauge
	short.Ladder = tier.Ladder{Raw: 30 * tier.Day24, Tiers: []tier.Tier{
		{Unit: tier.Hour, Retention: 90 * tier.Day24},
		{Unit: tier.Day, Retention: 180 * tier.Day24},
	}}
	for _, c := range []struct {
		sinceEnd time.Duration // of the day
		made     bool
	}{
		{180*tier.Day24 - time.Hour - time.Millisecond, true},
		{180*tier.Day24 - time.Hour, false},
		{400 * tier.Day24, false},
	} {
		w := newWorldOf(t, short)
		w.setNow(at("2026-03-11T00:00:00Z").Add(c.sinceEnd))
		w.put(order(ten, ""), "1")
		r := w.settle()
		if made := w.row(tier.Day, ten) != nil; made != c.made || (r.NotMade == 2) == c.made {
			t.Errorf("%s after the day ended: made %v, %d not made; want made %v", c.sinceEnd, made, r.NotMade, c.made)
		}
	}
}

// A retention that was raised does not make a row of the time before look as though it
// should still be there.
func TestAbsent_TheLeastRetentionDecides(t *testing.T) {
	raised := gauge
	raised.Ladder = tier.Standard()
	raised.Ladder.Tiers[0].Retention = 365 * tier.Day24
	for _, c := range []struct {
		least   time.Duration
		notMade int
	}{{90 * tier.Day24, 1}, {0, 0}} {
		raised.Ladder.Tiers[0].Least = c.least
		w := newWorldOf(t, raised)
		w.put(order(ten, ""), "1")
		w.settle()
		if err := w.DeleteItem(w.ctx(), rowItemKey(w, tier.Hour, ten)); err != nil { // as its expiry would have
			t.Fatal(err)
		}
		w.advance(366 * tier.Day24 / 2)
		w.seal(tier.Day, ten)
		w.put(order(half, ""), "2")
		if r := w.settle(); r.NotMade != c.notMade {
			t.Errorf("least retention %s: %d rows not made, want %d", c.least, r.NotMade, c.notMade)
		}
	}
}

// seal marks a stored row as one whose first child is expiring.
func (w *world) seal(u tier.Unit, when string) {
	w.Helper()
	row := w.row(u, when)
	prev := row.Rev
	row.ChildrenUntil = w.now().Seconds()
	row.Rev = rollup.Rev{1}
	if answer, err := w.PutRow(w.ctx(), row, prev); err != nil || answer != model.Written {
		w.Fatalf("seal %s: %v, %v", u, answer, err)
	}
}

// The empty row of a bucket is taken for absent by the rule for absent rows.
func TestAbsent_EmptyRowIsAbsent(t *testing.T) {
	w := newWorld(t)
	old := noon.Add(-100 * tier.Day24)
	w.put(model.Order{At: old}, "1")
	w.settle()
	w.put(model.Order{At: old.Add(time.Hour)}, "2")
	w.delete(model.Order{At: old.Add(time.Hour)})
	w.settle()
	w.put(model.Order{At: old.Add(time.Hour)}, "3")
	w.settle()
	w.wantRecount()
}
