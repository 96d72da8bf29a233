package tier_test

import (
	"cmp"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var allUnits = []tier.Unit{tier.Minute, tier.Hour, tier.Day, tier.Month}

func anyUnit() *rapid.Generator[tier.Unit] { return rapid.SampledFrom(allUnits) }

func anyTime() *rapid.Generator[model.Time] {
	return rapid.Map(rapid.Int64Range(int64(model.MinTime), int64(model.MaxTime)), func(ms int64) model.Time { return model.Time(ms) })
}

func at(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFiner)
	if err != nil {
		panic(err)
	}
	return t
}

func TestBucketOf_CutsTimeAtUTCEdges(t *testing.T) {
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
	} {
		b := c.unit.BucketOf(at(c.at))
		if b.Label() != c.label || b.End != at(c.end) {
			t.Errorf("%s of %s is %s to %s, want %s to %s", c.unit, c.at, b.Label(), b.End, c.label, c.end)
		}
	}
}

// The year 10000 has no stored form, yet the last buckets end there.
func TestBucketOf_LastBucketsEndJustPastTheLastTime(t *testing.T) {
	for _, u := range allUnits {
		if b := u.BucketOf(model.MaxTime); b.End != model.MaxTime+1 || !b.Contains(model.MaxTime) {
			t.Errorf("the last %s ends at %d, want %d", u, b.End, model.MaxTime+1)
		}
		if b := u.BucketOf(model.MinTime); b.Start != model.MinTime {
			t.Errorf("the first %s starts at %s, want %s", u, b.Start, model.MinTime)
		}
	}
}

func TestBuckets_PartitionTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, when := anyUnit().Draw(t, "unit"), anyTime().Draw(t, "time")
		b := u.BucketOf(when)
		if !b.Contains(when) || b.Contains(b.End) || !b.Contains(b.Start) || b.Contains(b.Start-1) {
			t.Fatalf("%v does not hold %s as a half-open interval", b, when)
		}
		if u.BucketOf(b.Start) != b || u.BucketOf(b.End-1) != b {
			t.Fatalf("the ends of %v lie in other buckets", b)
		}
		if next := u.BucketOf(b.End); b.End <= model.MaxTime && next.Start != b.End {
			t.Fatalf("%v is followed by %v", b, next)
		}
		if span := b.End.Sub(b.Start); span > u.Longest() {
			t.Fatalf("%v lasts %s, longer than the longest %s", b, span, u.Longest())
		}
	})
}

func TestBuckets_OfCoarserUnitsHoldFinerOnesWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		when := anyTime().Draw(t, "time")
		for i := 1; i < len(allUnits); i++ {
			fine, coarse := allUnits[i-1].BucketOf(when), allUnits[i].BucketOf(when)
			if fine.Start < coarse.Start || fine.End > coarse.End {
				t.Fatalf("%v sticks out of %v", fine, coarse)
			}
		}
	})
}

func TestLabels_ReadBackAndSortAsTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := anyUnit().Draw(t, "unit")
		a, b := u.BucketOf(anyTime().Draw(t, "a")), u.BucketOf(anyTime().Draw(t, "b"))
		if back, err := u.ParseLabel(a.Label()); err != nil || back != a {
			t.Fatalf("%v came back as %v, %v", a, back, err)
		}
		if got, want := cmp.Compare(a.Label(), b.Label()), cmp.Compare(a.Start, b.Start); got != want {
			t.Fatalf("labels %s and %s compare as %d, their times as %d", a.Label(), b.Label(), got, want)
		}
		if len(a.Label()) != len(b.Label()) {
			t.Fatalf("labels %s and %s differ in width", a.Label(), b.Label())
		}
	})
}

func TestParseLabel_ReadsOneSpellingOnly(t *testing.T) {
	for unit, labels := range map[tier.Unit][]string{
		tier.Minute: {"", "2026-04-20-14", "2026-04-20-14-5", "2026-04-20-14-60", "2026-04-20-14:05"},
		tier.Hour:   {"", "2026-04-20", "2026-04-20-24", "2026-04-20-4", "2026-04-20-14-00", "2026-04-20T14", " 2026-04-20-14"},
		tier.Day:    {"", "2026-04", "2026-02-29", "2026-4-20", "2026-04-20Z", "0000-01-01", "10000-01-01", "-001-01-01"},
		tier.Month:  {"", "2026", "2026-13", "2026-00", "2026-4", "0000-12", "２026-04"},
	} {
		for _, label := range labels {
			if b, err := unit.ParseLabel(label); err == nil {
				t.Errorf("%s %q was read as %v", unit, label, b)
			}
		}
	}
}

func TestUnits_AreFoundByTheirNames(t *testing.T) {
	for _, u := range allUnits {
		if got, err := tier.ParseUnit(u.String()); err != nil || got != u {
			t.Errorf("%s came back as %s, %v", u, got, err)
		}
	}
	for _, name := range []string{"", "Hour", "hours", "week", "Unit(0)"} {
		if got, err := tier.ParseUnit(name); err == nil {
			t.Errorf("%q was read as %s", name, got)
		}
	}
	if got := tier.Unit(9).String(); got != "Unit(9)" {
		t.Errorf("an unknown unit is called %q", got)
	}
	if got := tier.Hour.BucketOf(at("2026-04-20T14:05:00Z")).String(); got != "hour 2026-04-20-14" {
		t.Errorf("a bucket is called %q", got)
	}
}

func TestLongest_IsTheLongestBucketThereIs(t *testing.T) {
	for unit, want := range map[tier.Unit]time.Duration{
		tier.Minute: time.Minute, tier.Hour: time.Hour, tier.Day: 24 * time.Hour, tier.Month: 31 * 24 * time.Hour,
	} {
		if got := unit.Longest(); got != want {
			t.Errorf("the longest %s lasts %s, want %s", unit, got, want)
		}
	}
}

func TestUnit_BucketsAreThoseThatStartInTheRange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		u := rapid.SampledFrom([]tier.Unit{tier.Minute, tier.Hour, tier.Day, tier.Month}).Draw(t, "unit")
		from := model.Time(rapid.Int64Range(-1e12, 2e12).Draw(t, "from"))
		to := from.Add(time.Duration(rapid.Int64Range(-5, int64(90*u.Longest())).Draw(t, "length")))
		want, first := 0, u.EdgeFrom(from)
		if b := u.BucketOf(from); first != b.Start && first != b.End || first < from {
			t.Fatalf("the first edge from %s is %s", from, first)
		}
		for at := first; at < to; at = u.BucketOf(at).End {
			want++
		}
		if got := u.Buckets(from, to); got != want {
			t.Fatalf("%d %ss start from %s to %s, want %d", got, u, from, to, want)
		}
	})
	if got := tier.Day.Buckets(model.MinTime, model.MaxTime+1); got != 3652059 {
		t.Errorf("%d days in all time, want 3652059", got)
	}
}

// The first whole bucket is the first whose start lies less than the retention back.
func TestTier_WholeFromIsWhereNothingCanHaveExpired(t *testing.T) {
	t.Parallel()
	now := model.TimeOf(time.Date(2026, 4, 20, 14, 30, 0, 0, time.UTC))
	for name, c := range map[string]struct {
		tier tier.Tier
		want string
	}{
		"hours":             {tier.Tier{Unit: tier.Hour, Retention: tier.Day24}, "2026-04-19T15:00:00.000Z"},
		"raised since":      {tier.Tier{Unit: tier.Hour, Retention: 9 * tier.Day24, Least: tier.Day24}, "2026-04-19T15:00:00.000Z"},
		"now for ever":      {tier.Tier{Unit: tier.Hour, Least: tier.Day24}, "2026-04-19T15:00:00.000Z"},
		"always for ever":   {tier.Tier{Unit: tier.Month}, model.MinTime.String()},
		"kept since":        {tier.Tier{Unit: tier.Hour, From: now}, now.String()},
		"kept since before": {tier.Tier{Unit: tier.Hour, Retention: tier.Day24, From: 1}, "2026-04-19T15:00:00.000Z"},
	} {
		if got := c.tier.WholeFrom(now).String(); got != c.want {
			t.Errorf("%s: whole from %s, want %s", name, got, c.want)
		}
	}
	edge := tier.Tier{Unit: tier.Hour, Retention: tier.Day24 + 30*time.Minute}.WholeFrom(now) // 14:00 expires now
	if want := tier.Hour.BucketOf(now.Add(-tier.Day24)).End; edge != want {
		t.Errorf("the hour whose start lies the retention back counts as whole: from %s, want %s", edge, want)
	}
}
