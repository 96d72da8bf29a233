package faults

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The clock of the function is five minutes slow or fast, when the first event of an hour is about
// to expire or has just expired. An exact row has all events that ever existed.
func TestClock_SkewAroundTheSealNeverHidesALostEvent(t *testing.T) {
	first := at(noon).Add(30 * tier.Day24) // expires then
	for _, skew := range []time.Duration{-5 * time.Minute, 0, 5 * time.Minute} {
		for before := 2 * time.Hour; before >= -time.Hour; before -= 5 * time.Minute {
			w := newWorld(t)
			w.put(ten, "first", "1")
			w.settle()
			w.setNow(first.Add(-before))
			w.Expire(w.now())
			w.put(half, "late", "9")
			agg := w.aggregator(w.Table)
			agg.Now = func() model.Time { return w.now().Add(skew) }
			if r := agg.Process(w.ctx(), w.fresh()); len(r.Failures) > 0 {
				t.Fatal(r.Failures)
			}
			exact := before > time.Hour+skew // sealed an hour before, by the clock of the function
			count, most := int64(1), "1"
			if exact {
				count, most = 2, "9"
			}
			w.wantRow(tier.Hour, ten, count, most, exact)
		}
	}
}

// The first and last possible times behave as all others.
func TestClock_EventsOf1970AndOf9999AreExact(t *testing.T) {
	for _, when := range []string{"0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z",
		"9999-12-31T23:59:59.999Z"} {
		w := newWorld(t)
		w.put(when, "a", "1")
		w.put(when, "b", "9")
		w.settle()
		w.delete(when, "a")
		w.settle()
		for _, u := range tiers {
			w.wantRow(u, when, 1, "9", true)
		}
		w.wantRecount()
	}
}

func TestClock_MonthEndsAndTheLeapDaySeparateBuckets(t *testing.T) {
	edges := []string{
		"2027-12-31T23:59:59.999Z", "2028-01-01T00:00:00Z", // a year
		"2028-02-28T23:59:59.999Z", "2028-02-29T00:00:00Z", "2028-02-29T23:59:59.999Z", "2028-03-01T00:00:00Z", // a leap day
		"2027-02-28T23:59:59.999Z", "2027-03-01T00:00:00Z", // none
		"2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z", // daylight saving time changes
	}
	w := newWorld(t)
	for _, edge := range edges {
		w.put(edge, "", "1")
	}
	w.settle()
	for _, edge := range edges {
		w.wantRow(tier.Hour, edge, 1, "1", true)
	}
	for when, count := range map[string]int64{
		"2028-02-29T12:00:00Z": 2, "2028-02-28T12:00:00Z": 1, "2027-02-28T12:00:00Z": 1, "2027-12-31T12:00:00Z": 1,
	} {
		w.wantRow(tier.Day, when, count, "1", true)
	}
	for when, count := range map[string]int64{
		"2028-02-10T00:00:00Z": 3, "2028-03-10T00:00:00Z": 1, "2027-02-10T00:00:00Z": 1, "2027-03-10T00:00:00Z": 1,
		"2027-12-10T00:00:00Z": 1, "2028-01-10T00:00:00Z": 1,
	} {
		w.wantRow(tier.Month, when, count, "1", true)
	}
	w.wantRecount()
}

// TTL has just removed an hour, and the clock of the function is slow: the row must not be
// recomputed from the remaining events.
func TestClock_ExpiredHourIsNotRecomputedFromPartOfItsEvents(t *testing.T) {
	for behind := time.Duration(0); behind < time.Hour; behind += 5 * time.Minute {
		w := newWorld(t)
		w.setNow(at(half))
		w.put(ten, "first", "1")
		w.settle()
		w.setNow(at(eleven).Add(90 * tier.Day24))
		w.Expire(w.now())
		w.fresh()
		if w.row(tier.Hour, ten) != nil || w.row(tier.Day, ten) == nil {
			t.Fatal("want the hour expired and the day not")
		}
		w.put(half, "late", "9")
		agg := w.aggregator(w.Table)
		agg.Now = func() model.Time { return w.now().Add(-behind) }
		if r := agg.Process(w.ctx(), w.fresh()); len(r.Failures) > 0 {
			t.Fatal(r.Failures)
		}
		if !w.row(tier.Hour, ten).Placeholder() {
			t.Errorf("%s behind: the hour was recomputed from the remaining events", behind)
		}
		w.wantRow(tier.Day, ten, 1, "1", false)
	}
}
