package query_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func zone(t interface{ Fatal(...any) }, name string) *time.Location {
	z, err := times.Zone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// Whatever the zone and the age of the events: each period follows the one before, each event is in
// exactly one, and an exact period has all its events.
func TestLocalRollups_EachEventIsInExactlyOnePeriod(t *testing.T) {
	zones := []string{"Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe",
		"Pacific/Apia", "UTC"}
	rapid.Check(t, func(r *rapid.T) {
		w := newFixture(r, keptFor)
		var events []model.Event
		days := rapid.SampledFrom([]int{5, 30, 90, 300}).Draw(r, "days")
		for i := range rapid.IntRange(1, 30).Draw(r, "events") {
			age := time.Duration(rapid.Int64Range(0, int64(time.Duration(days)*tier.Day24)).Draw(r, "age"))
			events = append(events, w.reading(now.Add(-age), fmt.Sprint(i), int64(i), 0))
		}
		w.storeHistory(events)
		q := query.Local{Zone: zone(t, rapid.SampledFrom(zones).Draw(r, "zone")), Unit: times.Day,
			Rollups: w.hours()}
		if rapid.Bool().Draw(r, "months") {
			q.Unit = times.Month
		}
		q.From, q.To = now.Add(-time.Duration(days+1)*tier.Day24), now+1
		page, err := w.query.LocalRollups(context.Background(), q)
		found := page.Rollups
		if err != nil {
			t.Fatal(err)
		}
		var before model.Time
		for _, p := range found {
			if p.Bucket.Start < before {
				t.Fatalf("%s begins at %s, before the end of the one before, %s", p.Label(), p.Bucket.Start, before)
			}
			before = p.Bucket.End
			n := int64(0)
			for _, e := range events {
				if p.Bucket.Contains(e.At) {
					n++
				}
			}
			if got := p.Summary.Events(); got > n || p.Exact && got != n {
				t.Fatalf("%s (%s, exact %t) has %d events, want %d", p.Label(), p.Local.Zone, p.Exact, got, n)
			}
		}
		for _, e := range events {
			in := 0
			for _, p := range found {
				if p.Bucket.Contains(e.At) {
					in++
				}
			}
			if in > 1 || in == 0 && e.At > now.Add(-7*tier.Day24+time.Hour) {
				t.Fatalf("the event of %s is in %d periods", e.At, in)
			}
		}
	})
}

// Whatever is read at once, AllLocal has the rollups of LocalRollups, and a period for each part that is not
// known and in none of these.
func TestAllLocal_HasEachRollupAndEachPeriodThatIsNotKnown(t *testing.T) {
	zones := []string{"Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "UTC"}
	notKnown := 0
	rapid.Check(t, func(r *rapid.T) {
		w := newFixture(r, keptFor)
		var events []model.Event
		days := rapid.SampledFrom([]int{5, 90, 300, 390}).Draw(r, "days")
		for i := range rapid.IntRange(1, 30).Draw(r, "events") {
			age := time.Duration(rapid.SampledFrom([]int{0, 20, 60, 200, 390, 450, 520}).Draw(r, "day"))*tier.Day24 +
				time.Duration(rapid.Int64Range(0, int64(30*tier.Day24)).Draw(r, "age"))
			events = append(events, w.reading(now.Add(-age), fmt.Sprint(i), int64(i), 0))
		}
		w.storeHistory(events)
		q := query.Local{Zone: zone(t, rapid.SampledFrom(zones).Draw(r, "zone")), Unit: times.Day,
			Rollups: w.hours()}
		ago := rapid.SampledFrom([]int{0, 100, 300, 450}).Draw(r, "days ago")
		q.To = now.Add(-time.Duration(ago)*tier.Day24) + 1
		q.From = q.To.Add(-time.Duration(days+1) * tier.Day24)
		page, err := w.query.LocalRollups(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		q.Limit = rapid.IntRange(1, 100).Draw(r, "at once")
		var got, want []string
		var gaps []query.Segment
		for day, err := range w.query.AllLocal(context.Background(), q) {
			if err != nil {
				t.Fatal(err)
			}
			if day.Err != nil {
				gaps = append(gaps, query.Segment{From: day.Bucket.Start, To: day.Bucket.End})
			} else {
				got = append(got, describe(day))
			}
		}
		for _, p := range page.Rollups {
			want = append(want, describe(p))
			gaps = append(gaps, query.Segment{From: p.Bucket.Start, To: p.Bucket.End})
		}
		slices.Reverse(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%d at once: got %q\nwant %q", q.Limit, got, want)
		}
		for _, m := range page.Missing {
			notKnown++
			for at := m.From; at < m.To; at = at.Add(time.Hour) {
				if !slices.ContainsFunc(gaps, func(s query.Segment) bool { return s.From <= at && at < s.To }) {
					t.Fatalf("%s is not known, and in no period", at)
				}
			}
		}
	})
	if notKnown == 0 {
		t.Error("no part was ever unknown: the test shows nothing")
	}
}

func describe(r query.Rollup) string {
	return fmt.Sprintf("%s %s %s %s %d %t", r.Label(), r.Local.Zone, r.Bucket.Start, r.Bucket.End,
		r.Summary.Events(), r.Exact)
}

// Days of Berlin are cut from hours, days of Kathmandu from events. Where these have expired, days are of
// UTC and say so.
func TestLocalRollups_AreOfUTCWhereDaysOfTheZoneCannotBeCut(t *testing.T) {
	w := newFixture(t, keptFor)
	events := []model.Event{
		w.reading(at("2026-04-18T22:30:00Z"), "a", 1, 0), // 19 April in Berlin
		w.reading(at("2026-04-01T18:30:00Z"), "d", 2, 0), // hours exist, events do not
		w.reading(at("2026-04-01T22:30:00Z"), "b", 2, 0),
		w.reading(at("2025-12-01T12:00:00Z"), "c", 3, 0), // days exist
	}
	w.storeHistory(events)
	for name, want := range map[string]string{
		"Europe/Berlin":  "2025-12-01 UTC 1 true; 2026-04-01 Europe/Berlin 1 true; 2026-04-02 Europe/Berlin 1 true; 2026-04-19 Europe/Berlin 1 true; ",
		"Asia/Kathmandu": "2025-12-01 UTC 1 true; 2026-04-01 UTC 2 true; 2026-04-19 Asia/Kathmandu 1 true; ",
	} {
		q := query.Local{Zone: zone(t, name), Unit: times.Day, Rollups: w.hours()}
		q.From, q.To = at("2025-12-01T00:00:00Z"), now+1
		page, err := w.query.LocalRollups(context.Background(), q)
		found := page.Rollups
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, p := range found {
			got += fmt.Sprintf("%s %s %d %t; ", p.Label(), p.Local.Zone, p.Summary.Events(), p.Exact)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	q := query.Local{Zone: time.UTC, Unit: times.Day, Rollups: w.hours()}
	q.From, q.To = at("2020-01-01T00:00:00Z"), now
	if _, err := w.query.LocalRollups(context.Background(), q); !errors.Is(err, query.ErrTooMany) {
		t.Errorf("six years of days: %v, want ErrTooMany", err)
	}
}

// A UTC day that stands for days of a zone may end where the range begins: it has none of the range.
func TestLocalRollups_LeaveOutAPeriodThatEndsAtTheStart(t *testing.T) {
	t.Parallel()
	w := newFixture(t, keptFor)
	w.storeHistory([]model.Event{
		w.reading(at("2025-11-30T12:00:00Z"), "before", 1, 0), // the UTC day before the range
		w.reading(at("2025-12-01T12:00:00Z"), "within", 2, 0),
	})
	q := query.Local{Zone: zone(t, "Europe/Berlin"), Unit: times.Day, Rollups: w.hours()}
	q.From, q.To = at("2025-12-01T00:00:00Z"), at("2025-12-02T00:00:00Z")
	page, err := w.query.LocalRollups(context.Background(), q)
	found := page.Rollups
	if err != nil || len(found) != 1 || found[0].Bucket.Start != q.From {
		t.Errorf("got %+v, %v; want the day of 1 December alone", found, err)
	}
}

// A chart of days is of the days of its zone; a chart of hours, with gaps or of too many days is of
// buckets.
func TestChart_IsOfTheDaysOfItsZone(t *testing.T) {
	w := newFixture(t, keptFor)
	w.storeHistory([]model.Event{w.reading(at("2026-04-18T22:30:00Z"), "a", 1, 0),
		w.reading(at("2026-04-19T10:00:00Z"), "b", 2, 0)})
	for name, c := range map[string]struct {
		change func(*query.Chart)
		want   string
	}{
		"days":          {func(*query.Chart) {}, "2026-04-19 Europe/Berlin 2; "},
		"months":        {func(q *query.Chart) { q.Unit = tier.Month }, "2026-04 Europe/Berlin 2; "},
		"newest first":  {func(q *query.Chart) { q.Newest, q.Zone = true, zone(t, "Asia/Tokyo") }, "2026-04-19 Asia/Tokyo 2; "},
		"in no zone":    {func(q *query.Chart) { q.Zone = nil }, "2026-04-18  1; 2026-04-19  1; "},
		"hours":         {func(q *query.Chart) { q.Unit = tier.Hour }, "2026-04-18-22  1; 2026-04-19-10  1; "},
		"gaps":          {func(q *query.Chart) { q.Gaps, q.To = true, at("2026-04-20T00:00:00Z") }, "2026-04-18  1; 2026-04-19  1; "},
		"too many days": {func(q *query.Chart) { q.From = at("2025-01-01T00:00:00Z") }, "2026-04-18  1; 2026-04-19  1; "},
	} {
		q := query.Chart{Rollups: w.hours(), Zone: zone(t, "Europe/Berlin")}
		q.Unit = tier.Day
		q.From = at("2026-04-18T00:00:00Z")
		q.To = now
		c.change(&q)
		curve, err := w.query.Chart(context.Background(), q)
		got := ""
		for _, r := range curve.Rollups {
			got += fmt.Sprintf("%s %s %d; ", r.Label(), r.Local.Zone, r.Summary.Events())
		}
		if err != nil || got != c.want || curve.Cost.Requests == 0 && name != "in no zone" {
			t.Errorf("%s: got %s (cost %+v), %v, want %s", name, got, curve.Cost, err, c.want)
		}
	}
}
