package aggregate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// withTiers returns the gauge with tiers of these units, each kept long enough.
func withTiers(units ...tier.Unit) catalog.Kind {
	kind := gauge
	kind.Retention.Raw = 30 * tier.Day24
	for _, u := range units {
		kind.Retention.Tiers = append(kind.Retention.Tiers, tier.Tier{Unit: u, Retention: 730 * tier.Day24})
	}
	return kind
}

// A unit is one row of data: with it, every operation of the aggregator works.
func TestTiers_RegisteredUnitIsFoldedLikeAnyOther(t *testing.T) {
	for name, units := range map[string][]tier.Unit{
		"quarter from days":   {tier.Hour, tier.Day, tier.Quarter},
		"week from days":      {tier.Hour, tier.Day, tier.Week},
		"quarter from months": {tier.Hour, tier.Day, tier.Month, tier.Quarter},
		"week from events":    {tier.Week},
		"Sunday week":         {tier.Hour, tier.Day, tier.WeekSunday},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldWith(t, withTiers(units...))
			for i := range 60 { // over the ends of weeks, months and quarters, and a new year
				w.put(model.Order{At: noon.Add(-time.Duration(i) * 37 * time.Hour)}, fmt.Sprint(i))
			}
			w.process()
			w.delete(model.Order{At: noon.Add(-3 * 37 * time.Hour)})
			w.correct(model.Order{At: noon.Add(-40 * 37 * time.Hour)}, "99")
			w.process()
			w.wantRecount()

			w.put(model.Order{At: noon.Add(-time.Hour)}, "7")
			w.lose()
			if report := w.rebuild(w.complete()); report.Changed != len(units) {
				t.Errorf("a rebuild changed %d rows, want %d", report.Changed, len(units))
			}
			w.wantRecount()
		})
	}
}

func TestTiers_RegisteredUnitHasItsOwnBuckets(t *testing.T) {
	w := newWorldWith(t, withTiers(tier.Hour, tier.Day, tier.Quarter))
	w.put(order("2025-12-31T23:59:59.999Z", ""), "1")
	w.put(order("2026-01-01T00:00:00Z", ""), "2")
	w.put(order(ten, ""), "3")
	w.process()
	w.wantRow(tier.Quarter, "2025-10-01T00:00:00Z", 1, "1", true)
	w.wantRow(tier.Quarter, ten, 2, "3", true)
	if row := w.row(tier.Month, ten); row != nil {
		t.Errorf("month row %+v, want none: the kind has no such tier", row)
	}
	r := w.agg.Recompute(w.ctx(), []aggregate.Target{{Series: w.series, At: at(ten), Tier: tier.Quarter}},
		aggregate.RepairOptions{})
	if len(r.Failures) > 0 || r.Recomputed != 1 {
		t.Errorf("%d recomputations from the quarter on, failures %v; want 1", r.Recomputed, r.Failures)
	}
}

func TestTiers_UnitsThatDoNotNestAreRejected(t *testing.T) {
	for _, coarse := range []tier.Unit{tier.Month, tier.Quarter} {
		_, err := catalog.New(withTiers(tier.Hour, tier.Week, coarse))
		if want := fmt.Sprintf("%s after week: ", coarse); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%ss from weeks: %v, want an error with %q", coarse, err, want)
		}
	}
}

func TestTiers_MinutesAreFoldedIntoHours(t *testing.T) {
	withMinutes := gauge
	withMinutes.Retention = tier.Standard()
	withMinutes.Retention.Tiers = append([]tier.Tier{{Unit: tier.Minute, Retention: 34 * tier.Day24}},
		withMinutes.Retention.Tiers...)
	w := newWorldWith(t, withMinutes)
	for i := range 120 {
		w.put(model.Order{At: noon.Add(-time.Duration(i) * 37 * time.Second)}, fmt.Sprint(i))
	}
	w.process()
	w.delete(model.Order{At: noon.Add(-119 * 37 * time.Second)})
	w.process()
	w.wantRecount()
}

// A tier added later has no rows before its From: there, the coarser tier is folded
// without it.
func TestTiers_TierAddedLaterBeginsAtItsFrom(t *testing.T) {
	grown := gauge
	grown.Retention = tier.Standard()
	grown.Retention.Tiers = append(
		[]tier.Tier{{Unit: tier.Minute, Retention: 34 * tier.Day24, From: at(eleven)}}, grown.Retention.Tiers...)
	w := newWorldWith(t, grown)
	w.put(order(ten, ""), "1")
	w.put(order(eleven, ""), "2")
	w.process()
	if w.row(tier.Minute, ten) != nil || w.row(tier.Minute, eleven) == nil {
		t.Error("want a minute row at From, and none before")
	}
	w.wantRow(tier.Hour, ten, 1, "1", true)
	w.wantRow(tier.Hour, eleven, 1, "2", true)
	w.wantRow(tier.Day, ten, 2, "2", true)
}

// A tier is added in the middle: the coarser one is folded from the nearest finer tier that
// has all rows of its bucket.
func TestTiers_MonthsBeforeAnAddedDayTierAreFoldedFromHours(t *testing.T) {
	grown := gauge
	grown.Retention = tier.Standard()
	grown.Retention.Tiers[1].From = at("2026-03-01T00:00:00Z")
	w := newWorldWith(t, grown)
	w.put(order("2026-02-10T10:00:00Z", ""), "1")
	w.put(order(ten, ""), "2")
	w.process()
	if w.row(tier.Day, "2026-02-10T10:00:00Z") != nil {
		t.Error("a day row before From")
	}
	w.wantRow(tier.Month, "2026-02-10T10:00:00Z", 1, "1", true)
	w.wantRow(tier.Month, ten, 1, "2", true)
}
