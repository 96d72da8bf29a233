package query_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// chart requests a chart of a kind with the standard tiers. The clock of the tests says
// 20 April 2026, 14:30.
func (w *fixture) chart(from, to string) query.Chart {
	return query.Chart{Rollups: query.Rollups{Series: w.series(), From: at(from), To: at(to)}}
}

func TestChart_ChoosesTheFinestTierThatStillExistsAndFits(t *testing.T) {
	t.Parallel()
	days := func(policy tier.Policy, units ...tier.Unit) tier.Policy {
		kept := tier.Policy{Raw: policy.Raw}
		for _, u := range units {
			found, _, _ := policy.Find(u)
			kept.Tiers = append(kept.Tiers, found)
		}
		return kept
	}
	short := tier.Policy{Raw: 3 * tier.Day24, Tiers: []tier.Tier{{Unit: tier.Day, Retention: 60 * tier.Day24}}}
	young := tier.Standard()
	young.Tiers[0].From = at("2026-04-01T00:00:00Z")
	for name, c := range map[string]struct {
		policy   tier.Policy
		from, to string
		change   func(*query.Chart)
		covers   string
		reason   string
	}{
		"a day of hours": {
			from: "2026-04-19T00:00:00Z", to: "2026-04-20T00:00:00Z",
			covers: "2026-04-19T00:00:00.000Z 2026-04-20T00:00:00.000Z", reason: "hourly: the finest tier",
		},
		"widened to whole hours": {
			from: "2026-04-19T10:30:00Z", to: "2026-04-19T12:00:00.001Z",
			covers: "2026-04-19T10:00:00.000Z 2026-04-19T13:00:00.000Z", reason: "hourly: the finest tier",
		},
		"raw events have expired": {
			from: "2026-03-10T00:00:00Z", to: "2026-03-12T00:00:00Z",
			covers: "2026-03-10T00:00:00.000Z 2026-03-12T00:00:00.000Z", reason: "hourly: raw events before 21 Mar 2026 14:35 have expired",
		},
		"a kind without hours": {
			policy: days(tier.Standard(), tier.Day, tier.Month), from: "2026-03-10T00:00:00Z", to: "2026-03-12T00:00:00Z",
			covers: "2026-03-10T00:00:00.000Z 2026-03-12T00:00:00.000Z", reason: "daily: raw events before 21 Mar 2026 14:35 have expired",
		},
		"the first hour that is complete": {
			from: "2026-01-20T15:00:00Z", to: "2026-01-21T00:00:00Z",
			covers: "2026-01-20T15:00:00.000Z 2026-01-21T00:00:00.000Z", reason: "hourly: raw events before 21 Mar 2026 14:35 have expired",
		},
		"a moment before it": {
			from: "2026-01-20T14:59:59.999Z", to: "2026-01-21T00:00:00Z",
			covers: "2026-01-20T00:00:00.000Z 2026-01-21T00:00:00.000Z", reason: "daily: hourly rollups before 20 Jan 2026 15:00 have expired",
		},
		"a year": {
			from: "2025-04-20T00:00:00Z", to: "2026-04-20T00:00:00Z",
			covers: "2025-04-20T00:00:00.000Z 2026-04-20T00:00:00.000Z", reason: "daily: the hourly chart would have 8760 points; at most 1500 are shown",
		},
		"a quarter with few points": {
			from: "2026-03-01T00:00:00Z", to: "2026-04-01T00:00:00Z", change: func(q *query.Chart) { q.Limit = 31 },
			covers: "2026-03-01T00:00:00.000Z 2026-04-01T00:00:00.000Z", reason: "daily: the hourly chart would have 744 points; at most 31 are shown",
		},
		"as many months as points": {
			from: "2022-05-01T00:00:00Z", to: "2023-05-01T00:00:00Z", change: func(q *query.Chart) { q.Limit = 12 },
			covers: "2022-05-01T00:00:00.000Z 2023-05-01T00:00:00.000Z", reason: "monthly: the daily chart would have 365 points; at most 12 are shown",
		},
		"hours with a longer retention than days": {
			policy: tier.Policy{Raw: 3 * tier.Day24, Tiers: []tier.Tier{{Unit: tier.Hour, Retention: 100 * tier.Day24}, {Unit: tier.Day, Retention: 40 * tier.Day24}, {Unit: tier.Month, Retention: tier.Forever}}},
			from:   "2025-12-01T00:00:00Z", to: "2026-04-20T00:00:00Z", change: func(q *query.Chart) { q.Stitched = true },
			covers: "2025-12-01T00:00:00.000Z 2026-04-20T00:00:00.000Z",
			reason: "monthly to 1 Apr 2026 and then hourly: hourly rollups before 10 Jan 2026 15:00 have expired",
		},
		"raw events never expire": {
			policy: tier.Policy{Raw: tier.Forever, Tiers: []tier.Tier{{Unit: tier.Hour, Retention: tier.Forever}}}, from: "2025-12-01T00:00:00Z", to: "2025-12-02T00:00:00Z",
			covers: "2025-12-01T00:00:00.000Z 2025-12-02T00:00:00.000Z", reason: "hourly: the finest tier",
		},
		"buckets that have not begun are not counted": {
			from: "2026-04-20T00:00:00Z", to: "2027-04-20T00:00:00Z", change: func(q *query.Chart) { q.Limit = 15 },
			covers: "2026-04-20T00:00:00.000Z 2027-04-20T00:00:00.000Z", reason: "hourly: the finest tier",
		},
		"three years": {
			from: "2023-04-20T00:00:00Z", to: "2026-04-20T00:00:00Z",
			covers: "2023-04-01T00:00:00.000Z 2026-05-01T00:00:00.000Z", reason: "monthly: daily rollups before 21 Apr 2024 have expired",
		},
		"no tier reaches back": {
			policy: short, from: "2026-01-01T00:00:00Z", to: "2026-04-01T00:00:00Z",
			covers: "2026-01-01T00:00:00.000Z 2026-04-01T00:00:00.000Z", reason: "daily: nothing before 20 Feb 2026 is kept",
		},
		"a tier that was added": {
			policy: young, from: "2026-03-25T00:00:00Z", to: "2026-04-02T00:00:00Z",
			covers: "2026-03-25T00:00:00.000Z 2026-04-02T00:00:00.000Z", reason: "daily: hourly rollups are kept since 1 Apr 2026",
		},
		"a requested tier": {
			from: "2026-04-19T00:00:00Z", to: "2026-04-20T00:00:00Z", change: func(q *query.Chart) { q.Unit = tier.Day },
			covers: "2026-04-19T00:00:00.000Z 2026-04-20T00:00:00.000Z", reason: "daily: as requested",
		},
		"a requested tier that has expired": {
			from: "2026-01-19T00:00:00Z", to: "2026-01-22T00:00:00Z", change: func(q *query.Chart) { q.Unit = tier.Hour },
			covers: "2026-01-19T00:00:00.000Z 2026-01-22T00:00:00.000Z", reason: "hourly: nothing before 20 Jan 2026 15:00 is kept",
		},
		"stitched at a day's edge": {
			from: "2026-01-10T12:00:00Z", to: "2026-02-01T00:00:00Z", change: func(q *query.Chart) { q.Stitched = true },
			covers: "2026-01-10T00:00:00.000Z 2026-02-01T00:00:00.000Z",
			reason: "daily to 21 Jan 2026 and then hourly: hourly rollups before 20 Jan 2026 15:00 have expired",
		},
		"stitched twice": {
			from: "2024-01-10T00:00:00Z", to: "2026-01-22T00:00:00Z", change: func(q *query.Chart) { q.Stitched = true },
			covers: "2024-01-01T00:00:00.000Z 2026-01-22T00:00:00.000Z",
			reason: "monthly to 1 May 2024 and then daily to 21 Jan 2026 and then hourly: daily rollups before 21 Apr 2024 have expired, and hourly rollups before 20 Jan 2026 15:00 have expired",
		},
		"stitched with too many hours": {
			from: "2024-01-10T00:00:00Z", to: "2026-04-20T00:00:00Z", change: func(q *query.Chart) { q.Stitched = true },
			covers: "2024-01-01T00:00:00.000Z 2026-04-20T00:00:00.000Z",
			reason: "monthly to 1 May 2024 and then daily: daily rollups before 21 Apr 2024 have expired, and 2770 points, the newest of them hourly, are more than 1500",
		},
		"stitched with nothing to stitch": {
			from: "2026-04-01T00:00:00Z", to: "2026-04-20T00:00:00Z", change: func(q *query.Chart) { q.Stitched = true },
			covers: "2026-04-01T00:00:00.000Z 2026-04-20T00:00:00.000Z", reason: "hourly: the finest tier",
		},
		"stitched where all hours have expired": {
			from: "2025-04-01T00:00:00Z", to: "2025-04-20T00:00:00Z", change: func(q *query.Chart) { q.Stitched = true },
			covers: "2025-04-01T00:00:00.000Z 2025-04-20T00:00:00.000Z", reason: "daily: hourly rollups before 20 Jan 2026 15:00 have expired",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t, func(k *catalog.Kind) { k.Retention = c.policy })
			q := w.chart(c.from, c.to)
			if c.change != nil {
				c.change(&q)
			}
			curve, err := w.query.Chart(context.Background(), q)
			requireNoError(t, err)
			if got := curve.From.String() + " " + curve.To.String(); got != c.covers {
				t.Errorf("covers %s, want %s", got, c.covers)
			}
			if curve.Reason != c.reason {
				t.Errorf("reason %q, want %q", curve.Reason, c.reason)
			}
		})
	}
}

func TestChart_RejectsInvalidRequests(t *testing.T) {
	t.Parallel()
	w := newFixture(t, nil)
	for name, c := range map[string]struct {
		change func(*query.Chart)
		want   error
	}{
		"too long for any tier":        {func(q *query.Chart) { q.From = model.MinTime }, query.ErrTooLong},
		"too long for the tier":        {func(q *query.Chart) { q.Unit, q.From = tier.Hour, q.To-100*day }, query.ErrTooLong},
		"too long, stitched":           {func(q *query.Chart) { q.Stitched, q.From = true, model.MinTime }, query.ErrTooLong},
		"inverted":                     {func(q *query.Chart) { q.From = q.To }, query.ErrRange},
		"before all time":              {func(q *query.Chart) { q.From, q.To = math.MinInt64, model.MinTime }, query.ErrRange},
		"an unknown tier":              {func(q *query.Chart) { q.Unit = tier.Minute }, query.ErrNoTier},
		"a negative number of points":  {func(q *query.Chart) { q.Limit = -1 }, query.ErrLimit},
		"a cursor":                     {func(q *query.Chart) { q.Cursor = "x" }, query.ErrCursorMismatch},
		"no subject":                   {func(q *query.Chart) { q.Subject = "" }, query.ErrSeries},
		"a further subject of no name": {func(q *query.Chart) { q.Subjects = []string{"b", ""} }, query.ErrSeries},
		"a stream that no key holds":   {func(q *query.Chart) { q.Streams = []string{strings.Repeat("x", 2000)} }, query.ErrSeries},
		"too many series": {func(q *query.Chart) {
			for i := range 513 {
				q.Subjects = append(q.Subjects, string(rune('A'+i)))
			}
		}, query.ErrTooWide},
	} {
		q := w.chart("2026-04-19T00:00:00Z", "2026-04-20T00:00:00Z")
		c.change(&q)
		if _, err := w.query.Chart(context.Background(), q); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// A tier of several kinds is complete from when it is complete for each of them.
func TestRollups_OfSeveralKindsAreCompleteFromTheLatestKind(t *testing.T) {
	t.Parallel()
	kind := func(name string, retention time.Duration, from model.Time) catalog.Kind {
		return catalog.Kind{Name: name, Subject: catalog.SubjectType{Name: "T"}, Retention: tier.Policy{
			Raw: 3 * tier.Day24, Tiers: []tier.Tier{{Unit: tier.Hour, Retention: retention, From: from}, {Unit: tier.Day, Retention: tier.Forever}},
		}}
	}
	made, err := catalog.New(kind("LONG", 90*tier.Day24, 0), kind("SHORT", 10*tier.Day24, 0),
		kind("YOUNG", 90*tier.Day24, at("2026-04-15T00:00:00Z")))
	requireNoError(t, err)
	w := newFixture(t, nil)
	for _, c := range []struct {
		first, with int
		complete    string
	}{
		{0, 0, "2026-01-20T15:00:00.000Z"}, {0, 1, "2026-04-10T15:00:00.000Z"}, {1, 0, "2026-04-10T15:00:00.000Z"},
		{0, 2, "2026-04-15T00:00:00.000Z"}, {2, 0, "2026-04-15T00:00:00.000Z"},
	} {
		q := query.Rollups{Series: query.Series{Kind: &made.Kinds[c.first], Subject: "x"},
			With: []*catalog.Kind{&made.Kinds[c.with]}, Unit: tier.Hour, From: 0, To: now}
		page, err := w.query.Rollups(context.Background(), q)
		if requireNoError(t, err); page.CompleteFrom.String() != c.complete {
			t.Errorf("%s with %s: complete from %s, want %s", made.Kinds[c.first].Name, made.Kinds[c.with].Name,
				page.CompleteFrom, c.complete)
		}
	}
}

func TestChart_ShowsAGapForABucketThatBeginsNow(t *testing.T) {
	t.Parallel()
	w := newFixture(t, nil)
	w.query.Now = func() model.Time { return at("2026-04-20T14:00:00Z") }
	q := w.chart("2026-04-20T12:00:00Z", "2026-04-20T20:00:00Z")
	q.Gaps, q.Newest = true, true
	curve, err := w.query.Chart(context.Background(), q)
	if requireNoError(t, err); len(curve.Rollups) != 3 || curve.Rollups[0].Bucket.Label() != "2026-04-20-14" ||
		!curve.Rollups[0].Open {
		t.Errorf("%d gaps, want the gaps of 14, 13 and 12 o'clock", len(curve.Rollups))
	}
}

// A bucket that may have expired, or was never stored, may have had events, so it is not a gap.
// A rollup that still exists is always returned.
func TestChart_ShowsNoGapWhereARollupMayHaveExpired(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change         func(*catalog.Kind)
		from, to, have string
		want           string
	}{
		"expired": {
			from: "2026-01-20T11:00:00Z", to: "2026-01-20T17:00:00Z", have: "2026-01-20T13:00:00Z",
			want: "13; 15 gap; 16 gap; ",
		},
		"visible beside buckets whose rows may have expired": {
			change: shards(2),
			from:   "2026-01-20T11:00:00Z", to: "2026-01-20T17:00:00Z", have: "2026-01-20T13:00:00Z",
			want: "13; 15 gap; 16 gap; ",
		},
		"before the tier was declared": {
			change: func(k *catalog.Kind) {
				k.Retention = tier.Standard()
				k.Retention.Tiers[0].From = at("2026-04-20T00:00:00Z")
			},
			from: "2026-04-19T22:00:00Z", to: "2026-04-20T03:00:00Z", have: "2026-04-20T01:00:00Z",
			want: "00 gap; 01; 02 gap; ",
		},
	} {
		w := newFixture(t, c.change)
		w.storeRow(w.row(tier.Hour, 0, w.reading(at(c.have), "", 1, 0)))
		q := w.chart(c.from, c.to)
		q.Unit, q.Gaps = tier.Hour, true
		curve, err := w.query.Chart(context.Background(), q)
		requireNoError(t, err)
		got := ""
		for _, r := range curve.Rollups {
			got += r.Bucket.Label()[11:]
			if r.Gap {
				got += " gap"
			}
			got += "; "
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestChart_OfKindsWithoutACommonTierIsAnError(t *testing.T) {
	t.Parallel()
	made, err := catalog.New(
		catalog.Kind{Name: "A", Subject: catalog.SubjectType{Name: "T"}, Retention: tier.Policy{Raw: 3 * tier.Day24,
			Tiers: []tier.Tier{{Unit: tier.Day, Retention: tier.Forever}}}},
		catalog.Kind{Name: "B", Subject: catalog.SubjectType{Name: "T"}, Retention: tier.Policy{Raw: 3 * tier.Day24,
			Tiers: []tier.Tier{{Unit: tier.Month, Retention: tier.Forever}}}})
	requireNoError(t, err)
	w := newFixture(t, nil)
	q := query.Chart{Rollups: query.Rollups{Series: query.Series{Kind: &made.Kinds[0], Subject: "x"},
		With: []*catalog.Kind{&made.Kinds[1]}, From: 0, To: now}}
	if _, err := w.query.Chart(context.Background(), q); !errors.Is(err, query.ErrNoTier) {
		t.Errorf("got %v, want %v", err, query.ErrNoTier)
	}
}

// The hours {sum 10, n 10} and {sum 90, n 1} merge to the average 100/11. The average of their
// averages, 45.5, would give one reading the weight of ten.
func TestChart_AveragesAreWeighted(t *testing.T) {
	t.Parallel()
	w := newFixture(t, nil)
	var ten []model.Event
	for i := range 10 {
		ten = append(ten, w.reading(at("2026-04-20T10:00:00Z")+model.Time(i), "", 1, 0))
	}
	w.storeRow(w.row(tier.Hour, 0, ten...))
	w.storeRow(w.row(tier.Hour, 0, w.reading(at("2026-04-20T11:00:00Z"), "", 90, 0)))
	curve, err := w.query.Chart(context.Background(), w.chart("2026-04-20T10:00:00Z", "2026-04-20T12:00:00Z"))
	requireNoError(t, err)
	total := curve.Total()
	m, _ := total.Summary.Measure("temperature")
	if avg, _ := m.Avg(); math.Abs(avg-100./11) > 1e-15 || m.Count != 11 || total.Buckets != 2 {
		t.Errorf("average %v of %d values in %d hours, want 9.0909… of 11 in 2", avg, m.Count, total.Buckets)
	}
	if f := figure.New(m); *f.Avg < 9.0909 || *f.Avg > 9.0910 || f.P50 == nil || f.Sum.String() != "100" {
		t.Errorf("figures %+v, want the average 9.0909…", f)
	}
	if p, _ := m.Quantile(.5); math.Abs(p-1) > .01 {
		t.Errorf("the median of ten ones and a ninety is %v, want 1 to within 0.01", p)
	}
}

func TestChart_OfAYearReadsOneRowForEachDayAndReturnsItsCost(t *testing.T) {
	t.Parallel()
	w := newFixture(t, nil)
	for start := at("2025-04-20T00:00:00Z"); start < at("2026-04-20T00:00:00Z"); start += day {
		w.storeRow(w.row(tier.Day, 0, w.reading(start, "", 1, 0)))
		for h := range model.Time(24) {
			w.storeRow(w.row(tier.Hour, 0, w.reading(start+h*hour, "", 1, 0)))
		}
	}
	ctx, meter := model.WithReadMeter(context.Background())
	curve, err := w.query.Chart(ctx, w.chart("2025-04-20T00:00:00Z", "2026-04-20T00:00:00Z"))
	requireNoError(t, err)
	if len(curve.Rollups) != 365 || curve.Cost.Items > 400 || curve.Cost.Items < 365 {
		t.Errorf("%d points of %d items read, want 365 of at most 400", len(curve.Rollups), curve.Cost.Items)
	}
	if curve.Cost.Units < 5 || curve.Cost.Units > 50 || curve.Cost.Requests != 1 || curve.Cost != meter.Cost() {
		t.Errorf("cost %+v, the caller's meter has %+v: want a few read units by one request", curve.Cost,
			meter.Cost())
	}
}

func TestChart_ShowsGapOpenInexactAndTruncatedBuckets(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(k *catalog.Kind) { k.Measures, k.MaxMeasures = nil, 1 })
	wide := w.reading(at("2026-04-20T12:00:00Z"), "", 1, 0)
	wide.Attrs = append(wide.Attrs, model.Attr{Name: "voltage", Value: model.NumberValue(model.NewDecimal(3))})
	row := w.row(tier.Hour, 0, wide)
	row.Exact = false
	w.storeRow(row)
	w.storeRow(w.row(tier.Hour, 0, w.reading(now, "", 1, 0)))
	q := w.chart("2026-04-20T11:00:00Z", "2026-04-20T18:00:00Z")
	q.Gaps = true
	curve, err := w.query.Chart(context.Background(), q)
	requireNoError(t, err)
	got := ""
	for _, r := range curve.Rollups {
		got += r.Bucket.Label()[11:]
		for word, is := range map[string]bool{"gap": r.Gap, "open": r.Open, "inexact": !r.Exact,
			"truncated": r.Summary.Truncated()} {
			if is && word != "truncated" { // checked below
				got += " " + word
			}
		}
		got += "; "
	}
	if want := "11 gap; 12 inexact; 13 gap; 14 open; "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !curve.Rollups[1].Summary.Truncated() || curve.Rollups[0].Measure("temperature").Count != 0 {
		t.Errorf("the truncated row is not truncated, or a gap has values")
	}
	total := curve.Total()
	if !total.Open || total.Exact || total.Buckets != 2 || !total.Summary.Truncated() {
		t.Errorf("total: %d buckets, open %v, exact %v; want 2, open, inexact and truncated", total.Buckets,
			total.Open, total.Exact)
	}
	q.Gaps = false
	if curve, err = w.query.Chart(context.Background(), q); err != nil || len(curve.Rollups) != 2 {
		t.Errorf("without gaps: %d points, %v; want 2", len(curve.Rollups), err)
	}
}

func TestPages_ReturnFromWhenTheyAreComplete(t *testing.T) {
	t.Parallel()
	w := newFixture(t, nil)
	events, err := w.query.History(context.Background(), w.all())
	requireNoError(t, err)
	if want := now.Add(-30*tier.Day24 + 5*time.Minute); events.CompleteFrom != want {
		t.Errorf("events from %s, want %s", events.CompleteFrom, want)
	}
	hours, err := w.query.Rollups(context.Background(), w.hours())
	requireNoError(t, err)
	if want := at("2026-01-20T15:00:00Z"); hours.CompleteFrom != want {
		t.Errorf("hours from %s, want %s", hours.CompleteFrom, want)
	}
	months := w.hours()
	months.Unit = tier.Month
	forever, err := w.query.Rollups(context.Background(), months)
	requireNoError(t, err)
	if forever.CompleteFrom != model.MinTime {
		t.Errorf("months from %s, want always", forever.CompleteFrom)
	}
}
