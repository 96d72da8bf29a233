package tier_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// A unit that only these tests register: one row of data.
var (
	year = tier.Register(tier.Granularity{Name: "year", Adjective: "yearly", Layout: "2006", Months: 12})
)

// A unit that is registered later may be finer than one before it.
func TestUnits_AreSortedFinestFirst(t *testing.T) {
	want := []tier.Unit{tier.Minute, tier.Hour, tier.Day, tier.Week, tier.WeekSunday, tier.Month, tier.Quarter,
		year}
	if got := tier.Units(); !slices.Equal(got, want) {
		t.Errorf("units %v, want %v", got, want)
	}
	if got, want := tier.UnitNames(),
		"minute, hour, day, week, week-sunday, month, quarter or year"; got != want {
		t.Errorf("names %q, want %q", got, want)
	}
	if !tier.Week.FinerThan(tier.Month) || tier.Month.FinerThan(tier.Week) || tier.Week.FinerThan(tier.Week) {
		t.Error("want a week finer than a month, and no unit finer than itself")
	}
}

func TestParseUnit_FindsUnitsByName(t *testing.T) {
	for _, u := range tier.Units() {
		if got, err := tier.ParseUnit(u.String()); err != nil || got != u || !u.Valid() {
			t.Errorf("unit %s parsed as %s, %v", u, got, err)
		}
	}
	for _, name := range []string{"", "Hour", "hours", "decade", "Unit(0)"} {
		if got, err := tier.ParseUnit(name); err == nil {
			t.Errorf("%q parsed as %s, want an error", name, got)
		}
	}
	for unit, want := range map[tier.Unit]string{0: "Unit(0)", 99: "Unit(99)"} {
		if got := unit.String(); got != want || unit.Valid() {
			t.Errorf("an unknown unit is %q, valid %v; want %q, false", got, unit.Valid(), want)
		}
	}
}

func TestRegister_PanicsOnAnInvalidGranularity(t *testing.T) {
	for name, g := range map[string]tier.Granularity{
		"no name":             {Layout: "2006", Months: 12},
		"upper case":          {Name: "Year", Layout: "2006", Months: 12},
		"name taken":          {Name: "hour", Layout: "2006-01-02-15", Length: time.Hour},
		"no length":           {Name: "x", Layout: "2006"},
		"a long offset":       {Name: "x", Layout: "2006-01-02", Length: tier.Day24, Offset: tier.Day24},
		"an offset of months": {Name: "x", Layout: "2006-01", Months: 1, Offset: tier.Day24},
		"two lengths":         {Name: "x", Layout: "2006-01", Months: 1, Length: time.Hour},
		"negative":            {Name: "x", Layout: "2006-01-02", Length: -time.Hour},
		"part of a ms":        {Name: "x", Layout: "2006-01-02", Length: time.Microsecond},
		"months off the year": {Name: "x", Layout: "2006-01", Months: 5},
		"label too coarse":    {Name: "x", Layout: "2006-01", Length: time.Hour},
		"label out of order":  {Name: "x", Layout: "02-01-2006", Length: tier.Day24},
		"no layout":           {Name: "x", Months: 1},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(tier.Units())
			defer func() {
				if recover() == nil || len(tier.Units()) != before {
					t.Errorf("registered %+v, want a panic", g)
				}
			}()
			tier.Register(g)
		})
	}
}

func TestLongest_IsTheLengthOfTheLongestBucket(t *testing.T) {
	for unit, want := range map[tier.Unit]time.Duration{
		tier.Minute: time.Minute, tier.Hour: time.Hour, tier.Day: 24 * time.Hour, tier.Month: 31 * 24 * time.Hour,
		tier.Week: 7 * 24 * time.Hour, tier.Quarter: 92 * 24 * time.Hour, year: 366 * 24 * time.Hour,
	} {
		if got := unit.Longest(); got != want {
			t.Errorf("the longest %s lasts %s, want %s", unit, got, want)
		}
	}
}

// NestsIn is decided by the data of two rows; here it is compared with the buckets of
// eight years, in which every month begins on every weekday.
func TestNestsIn_AgreesWithTheBucketsOfEightYears(t *testing.T) {
	t.Parallel()
	from, to := at("2020-01-01T00:00:00Z"), at("2028-01-01T00:00:00Z")
	for _, fine := range tier.Units() {
		for _, coarse := range tier.Units() {
			if want := startsAtChildren(fine, coarse, from, to); fine.NestsIn(coarse) != want {
				t.Errorf("%s nests in %s: %v, want %v", fine, coarse, !want, want)
			}
		}
	}
	if !tier.Day.NestsIn(tier.Week) || tier.Week.NestsIn(tier.Month) || tier.Week.NestsIn(tier.Quarter) ||
		!tier.Month.NestsIn(tier.Quarter) {
		t.Error("want days in weeks, months in quarters, and no weeks in months or quarters")
	}
}

// startsAtChildren reports whether every bucket of coarse starts where one of fine does.
func startsAtChildren(fine, coarse tier.Unit, from, to model.Time) bool {
	for start := coarse.FirstStart(from); start < to; start = coarse.BucketAt(start).End {
		if fine.BucketAt(start).Start != start {
			return false
		}
	}
	return true
}
