package tier_test

import (
	"cmp"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func anyUnit() *rapid.Generator[tier.Unit] { return rapid.SampledFrom(tier.Units()) }

func anyTime() *rapid.Generator[model.Time] {
	return rapid.Map(rapid.Int64Range(int64(model.MinTime), int64(model.MaxTime)), func(ms int64) model.Time {
		return model.Time(ms)
	})
}

func at(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return t
}

func TestBucketOf_StartsAndEndsInUTC(t *testing.T) {
	for _, c := range []struct {
		unit       tier.Unit
		at         string
		label, end string
	}{
		{tier.Minute, "2026-04-20T14:05:59.999Z", "2026-04-20-14-05", "2026-04-20T14:06:00Z"},
		{tier.Hour, "2026-04-20T14:05:59.999Z", "2026-04-20-14", "2026-04-20T15:00:00Z"},
		{tier.Hour, "2026-04-20T14:00:00Z", "2026-04-20-14", "2026-04-20T15:00:00Z"},
		{tier.Hour, "2026-04-20T13:59:59.999Z", "2026-04-20-13", "2026-04-20T14:00:00Z"},
		{tier.Hour, "2026-04-20T00:30:00+02:00", "2026-04-19-22", "2026-04-19T23:00:00Z"},
		{tier.Day, "2026-04-30T23:59:59.999Z", "2026-04-30", "2026-05-01T00:00:00Z"},
		{tier.Day, "2024-02-28T12:00:00Z", "2024-02-28", "2024-02-29T00:00:00Z"},
		{tier.Day, "2024-02-29T12:00:00Z", "2024-02-29", "2024-03-01T00:00:00Z"},
		{tier.Day, "2023-02-28T12:00:00Z", "2023-02-28", "2023-03-01T00:00:00Z"},
		{tier.Day, "2025-12-31T23:59:59.999Z", "2025-12-31", "2026-01-01T00:00:00Z"},
		{tier.Month, "2026-01-31T23:59:59.999Z", "2026-01", "2026-02-01T00:00:00Z"},
		{tier.Month, "2024-02-29T00:00:00Z", "2024-02", "2024-03-01T00:00:00Z"},
		{tier.Month, "2025-12-31T23:59:59.999Z", "2025-12", "2026-01-01T00:00:00Z"},
		{tier.Hour, "1969-12-31T23:59:59.999Z", "1969-12-31-23", "1970-01-01T00:00:00Z"},
		{tier.Month, "1970-01-01T00:00:00Z", "1970-01", "1970-02-01T00:00:00Z"},
		{tier.Minute, "0001-01-01T00:00:00Z", "0001-01-01-00-00", "0001-01-01T00:01:00Z"},
		{tier.Month, "0001-01-01T00:00:00Z", "0001-01", "0001-02-01T00:00:00Z"},
		{tier.Week, "2026-04-20T00:00:00Z", "2026-04-20", "2026-04-27T00:00:00Z"},
		{tier.Week, "2026-01-01T12:00:00Z", "2025-12-29", "2026-01-05T00:00:00Z"},
		{tier.Week, "2021-01-03T23:59:59.999Z", "2020-12-28", "2021-01-04T00:00:00Z"},
		{tier.WeekSunday, "2026-04-20T00:00:00Z", "2026-04-19", "2026-04-26T00:00:00Z"},
		{tier.WeekSunday, "2026-04-18T23:59:59.999Z", "2026-04-12", "2026-04-19T00:00:00Z"},
		{tier.WeekSunday, "0001-01-01T00:00:00Z", "0001-01-01", "0001-01-07T00:00:00Z"},
		{tier.Quarter, "2024-02-29T12:00:00Z", "2024-01", "2024-04-01T00:00:00Z"},
		{tier.Quarter, "2025-12-31T23:59:59.999Z", "2025-10", "2026-01-01T00:00:00Z"},
		{year, "2024-12-31T23:59:59.999Z", "2024", "2025-01-01T00:00:00Z"},
	} {
		b := c.unit.BucketAt(at(c.at))
		if b.Label() != c.label || b.End != at(c.end) {
			t.Errorf("%s of %s is %s to %s, want %s to %s", c.unit, c.at, b.Label(), b.End, c.label, c.end)
		}
	}
}

// The year 10000 has no stored form, but the last buckets end in it.
func TestBucketOf_FirstAndLastBucketsContainTheFirstAndLastTime(t *testing.T) {
	for _, u := range tier.Units() {
		if b := u.BucketAt(model.MaxTime); b.End <= model.MaxTime || !b.Contains(model.MaxTime) {
			t.Errorf("the last %s ends at %d, want after %d", u, b.End, model.MaxTime)
		}
		if b := u.BucketAt(model.MinTime); b.Start != model.MinTime {
			t.Errorf("the first %s starts at %s, want %s", u, b.Start, model.MinTime)
		}
	}
}

func TestBuckets_PartitionTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, when := anyUnit().Draw(t, "unit"), anyTime().Draw(t, "time")
		b := u.BucketAt(when)
		if !b.Contains(when) || b.Contains(b.End) || !b.Contains(b.Start) || b.Contains(b.Start-1) {
			t.Fatalf("%v does not contain %s as a half-open interval", b, when)
		}
		if u.BucketAt(b.Start) != b || u.BucketAt(b.End-1) != b {
			t.Fatalf("the first or last time of %v lies in another bucket", b)
		}
		if next := u.BucketAt(b.End); b.End <= model.MaxTime && next.Start != b.End {
			t.Fatalf("%v is followed by %v", b, next)
		}
		if span := b.End.Sub(b.Start); span > u.Longest() {
			t.Fatalf("%v lasts %s, longer than the longest %s", b, span, u.Longest())
		}
	})
}

func TestBuckets_ContainCompleteBucketsOfUnitsThatNest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		when := anyTime().Draw(t, "time")
		fine, coarse := anyUnit().Draw(t, "fine"), anyUnit().Draw(t, "coarse")
		child, parent := fine.BucketAt(when), coarse.BucketAt(when)
		if fine.NestsIn(coarse) && (child.Start < parent.Start || child.End > parent.End) {
			t.Fatalf("%v is not inside %v", child, parent)
		}
	})
}

func TestLabels_AreParsedAndSortAsTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := anyUnit().Draw(t, "unit")
		a, b := u.BucketAt(anyTime().Draw(t, "a")), u.BucketAt(anyTime().Draw(t, "b"))
		if back, err := u.ParseLabel(a.Label()); err != nil || back != a {
			t.Fatalf("%v was parsed as %v, %v", a, back, err)
		}
		if got, want := cmp.Compare(a.Label(), b.Label()), cmp.Compare(a.Start, b.Start); got != want {
			t.Fatalf("labels %s and %s compare as %d, their times as %d", a.Label(), b.Label(), got, want)
		}
		if len(a.Label()) != len(b.Label()) {
			t.Fatalf("labels %s and %s differ in width", a.Label(), b.Label())
		}
	})
}

func TestParseLabel_AcceptsOneSpellingOnly(t *testing.T) {
	for unit, labels := range map[tier.Unit][]string{
		tier.Minute: {"", "2026-04-20-14", "2026-04-20-14-5", "2026-04-20-14-60", "2026-04-20-14:05"},
		tier.Hour: {"", "2026-04-20", "2026-04-20-24", "2026-04-20-4", "2026-04-20-14-00", "2026-04-20T14",
			" 2026-04-20-14"},
		tier.Day: {"", "2026-04", "2026-02-29", "2026-4-20", "2026-04-20Z", "0000-01-01", "10000-01-01",
			"-001-01-01"},
		tier.Month: {"", "2026", "2026-13", "2026-00", "2026-4", "0000-12", "２026-04"},
		tier.Week:  {"", "2026-04-21", "2026-04-19", "2026-W17"},

		tier.WeekSunday: {"", "2026-04-20", "0000-12-31"},
		tier.Quarter:    {"", "2026-02", "2026-12"},
	} {
		for _, label := range labels {
			if b, err := unit.ParseLabel(label); err == nil {
				t.Errorf("%s %q was parsed as %v", unit, label, b)
			}
		}
	}
}

func TestCountStarts_CountsTheBucketsThatStartInTheRange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		u := anyUnit().Draw(t, "unit")
		from := model.Time(rapid.Int64Range(-1e12, 2e12).Draw(t, "from"))
		to := from.Add(time.Duration(rapid.Int64Range(-5, int64(90*u.Longest())).Draw(t, "length")))
		want, first := 0, u.FirstStart(from)
		if b := u.BucketAt(from); first != b.Start && first != b.End || first < from {
			t.Fatalf("the first start from %s is %s", from, first)
		}
		for at := first; at < to; at = u.BucketAt(at).End {
			want++
		}
		if got := u.CountStarts(from, to); got != want {
			t.Fatalf("%d %ss start from %s to %s, want %d", got, u, from, to, want)
		}
	})
	if got := tier.Day.CountStarts(model.MinTime, model.MaxTime+1); got != 3652059 {
		t.Errorf("%d days in all time, want 3652059", got)
	}
}

// The first complete bucket is the first that started less than the retention ago.
func TestCompleteFrom_IsTheFirstBucketThatCannotHaveExpired(t *testing.T) {
	t.Parallel()
	now := model.NewTime(time.Date(2026, 4, 20, 14, 30, 0, 0, time.UTC))
	for name, c := range map[string]struct {
		tier tier.Tier
		want string
	}{
		"hours":          {tier.Tier{Unit: tier.Hour, Retention: tier.Day24}, "2026-04-19T15:00:00.000Z"},
		"raised later":   {tier.Tier{Unit: tier.Hour, Retention: 9 * tier.Day24, Least: tier.Day24}, "2026-04-19T15:00:00.000Z"},
		"now forever":    {tier.Tier{Unit: tier.Hour, Retention: tier.Forever, Least: tier.Day24}, "2026-04-19T15:00:00.000Z"},
		"always forever": {tier.Tier{Unit: tier.Month, Retention: tier.Forever}, model.MinTime.String()},
		"added later":    {tier.Tier{Unit: tier.Hour, Retention: tier.Forever, From: now}, now.String()},
		"added long ago": {tier.Tier{Unit: tier.Hour, Retention: tier.Day24, From: 1}, "2026-04-19T15:00:00.000Z"},
	} {
		if got := c.tier.CompleteFrom(now).String(); got != c.want {
			t.Errorf("%s: complete from %s, want %s", name, got, c.want)
		}
	}
	// 14:00 expires now
	edge := tier.Tier{Unit: tier.Hour, Retention: tier.Day24 + 30*time.Minute}.CompleteFrom(now)
	if want := tier.Hour.BucketAt(now.Add(-tier.Day24)).End; edge != want {
		t.Errorf("complete from %s, want %s: the hour that started just the retention ago may have expired", edge,
			want)
	}
}

// Weeks are as in ISO 8601: they begin on Monday and may lie in two years, and some years have 53.
// Each week, month and quarter is made of whole days, and each quarter of whole months.
func TestBuckets_OfWeeksAndQuartersAgreeWithTheCalendar(t *testing.T) {
	weeks := map[int]bool{}
	for when := at("2019-12-20T00:00:00Z"); when < at("2027-02-01T00:00:00Z"); when = when.Add(7 * time.Hour) {
		iso, sunday := tier.Week.BucketAt(when), tier.WeekSunday.BucketAt(when)
		year, week := when.Time().ISOWeek()
		startYear, startWeek := iso.Start.Time().ISOWeek()
		if iso.Start.Time().Weekday() != time.Monday || year != startYear || week != startWeek {
			t.Fatalf("%s is in the week from %s, want week %d of %d", when, iso.Start, week, year)
		}
		if sunday.Start.Time().Weekday() != time.Sunday || !sunday.Contains(when) {
			t.Fatalf("%s is in the Sunday week %s to %s", when, sunday.Start, sunday.End)
		}
		if week == 53 {
			weeks[year] = true
		}
		quarter := tier.Quarter.BucketAt(when)
		ofYear := func(t model.Time) int { return t.Time().Year()*4 + int(t.Time().Month()-1)/3 }
		if ofYear(quarter.Start) != ofYear(when) || quarter.Start.Time().Day() != 1 {
			t.Fatalf("%s is in the quarter from %s", when, quarter.Start)
		}
	}
	if len(weeks) != 2 || !weeks[2020] || !weeks[2026] {
		t.Errorf("years of 53 weeks: %v, want 2020 and 2026", weeks)
	}
	for _, unit := range []tier.Unit{tier.Week, tier.WeekSunday, tier.Month, tier.Quarter} {
		if !tier.Day.NestsIn(unit) || !tier.Hour.NestsIn(unit) {
			t.Errorf("want a %s of whole days and hours", unit)
		}
	}
	if tier.Week.NestsIn(tier.WeekSunday) || tier.WeekSunday.NestsIn(tier.Month) ||
		tier.Quarter.NestsIn(tier.Month) {
		t.Error("want no week in another week or a month, and no quarter in a month")
	}
}
