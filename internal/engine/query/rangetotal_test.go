package query_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// keptFor has events for a week, hours for a month, days for a year, and months for ever.
func keptFor(k *catalog.Kind) {
	k.Retention = tier.Policy{Raw: 7 * tier.Day24, Tiers: []tier.Tier{
		{Unit: tier.Hour, Retention: 40 * tier.Day24}, {Unit: tier.Day, Retention: 400 * tier.Day24}, {Unit: tier.Month, Retention: tier.Forever},
	}}
}

// storeHistory stores events as a table has them now: events, hours and days that expired
// are gone.
func (w *fixture) storeHistory(events []model.Event) {
	w.t.Helper()
	p := w.kind.Retention
	for _, e := range events {
		if e.At.Add(p.Raw) > now {
			w.put(e)
		}
	}
	for _, t := range p.Tiers {
		buckets := map[model.Time][]model.Event{}
		for _, e := range events {
			b := t.Unit.BucketAt(e.At)
			if t.Retention == tier.Forever || b.End.Add(t.Retention) > now {
				buckets[b.Start] = append(buckets[b.Start], e)
			}
		}
		for _, of := range buckets {
			w.storeRow(w.row(t.Unit, 0, of...))
		}
	}
}

// Whatever the range: the total is the total of the events in it, except in the parts that it names
// as missing. Together the parts are the range.
func TestRangeTotal_EqualsAFoldOfTheEventsInTheRange(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := newFixture(r, keptFor)
		var events []model.Event
		ages := rapid.SliceOfN(rapid.SampledFrom([]time.Duration{6 * time.Hour, 9 * tier.Day24, 60 * tier.Day24,
			3 * 365 * tier.Day24}), 0, 40).Draw(r, "ages")
		for i, age := range ages {
			when := now.Add(-time.Duration(rapid.Int64Range(0, int64(age)).Draw(r, "age")))
			events = append(events, w.reading(when, fmt.Sprint(i), int64(i), 0))
		}
		w.storeHistory(events)
		from := now.Add(-time.Duration(rapid.Int64Range(0, int64(4*365*tier.Day24)).Draw(r, "from")))
		if rapid.Bool().Draw(r, "recent") {
			from = now.Add(-time.Duration(rapid.Int64Range(0, int64(12*tier.Day24)).Draw(r, "recently from")))
		}
		to := from.Add(time.Duration(
			rapid.Int64Range(int64(time.Millisecond), int64(4*365*tier.Day24)).Draw(r, "length")))
		switch rapid.IntRange(0, 4).Draw(r, "open") {
		case 0:
			to = model.MaxTime + 1
		case 1:
			from = model.MinTime
		}
		total, err := w.query.RangeTotal(t.Context(), query.Rollups{Series: w.series(), From: from, To: to})
		if err != nil {
			r.Fatal(err)
		}
		wantTiles(r, total, from, to)
		want := rollup.NewFold(w.kind.Spec())
		for _, e := range events {
			in := e.At >= from && e.At < to
			for _, m := range total.Missing {
				in = in && (e.At < m.From || e.At >= m.To)
			}
			if in {
				want.AddEvent(&e)
			}
		}
		if !bytes.Equal(total.Summary.Encode(nil), want.Summary.Encode(nil)) {
			r.Fatalf("%s to %s: %d events, want %d; parts %v, missing %v", from, to, total.Summary.Events(),
				want.Summary.Events(), total.Parts, total.Missing)
		}
	})
}

// wantTiles fails unless the parts and the missing parts tile the range, and only parts
// that begin or end within an expired bucket are missing.
func wantTiles(r *rapid.T, total query.RangeTotal, from, to model.Time) {
	at := from
	parts, missing := total.Parts, total.Missing
	for at < to {
		switch {
		case len(parts) > 0 && parts[0].From == at:
			at, parts = parts[0].To, parts[1:]
		case len(missing) > 0 && missing[0].From == at:
			if at, missing = missing[0].To, missing[1:]; at > now.Add(-6*tier.Day24) {
				r.Fatalf("missing up to %s, although events are kept for a week", at)
			}
		default:
			r.Fatalf("nothing begins at %s: parts %v, missing %v", at, total.Parts, total.Missing)
		}
	}
	if at != to || len(parts)+len(missing) > 0 {
		r.Fatalf("parts %v and missing %v go beyond %s", total.Parts, total.Missing, to)
	}
}

func TestRangeTotal_ReadsCoarseTiersAndCutsTheEnds(t *testing.T) {
	w := newFixture(t, keptFor)
	// the day is stored, the hour is not
	w.storeHistory([]model.Event{w.reading(at("2025-12-31T10:45:00Z"), "a", 1, 0)})
	total, err := w.query.RangeTotal(t.Context(),
		query.Rollups{Series: w.series(), From: at("2025-12-31T10:30:00Z"), To: at("2026-04-20T12:10:00Z")})
	if err != nil {
		t.Fatal(err)
	}
	want := []query.Segment{
		{Unit: tier.Month, From: at("2026-01-01T00:00:00Z"), To: at("2026-04-01T00:00:00Z")},
		{Unit: tier.Day, From: at("2026-04-01T00:00:00Z"), To: at("2026-04-20T00:00:00Z")},
		{Unit: tier.Hour, From: at("2026-04-20T00:00:00Z"), To: at("2026-04-20T12:00:00Z")},
		{From: at("2026-04-20T12:00:00Z"), To: at("2026-04-20T12:10:00Z")},
	}
	missing := []query.Segment{{From: at("2025-12-31T10:30:00Z"), To: at("2026-01-01T00:00:00Z")}}
	if fmt.Sprint(total.Parts, total.Missing) != fmt.Sprint(want, missing) {
		t.Errorf("parts %v, missing %v; want %v and %v", total.Parts, total.Missing, want, missing)
	}
}

func TestRangeTotal_MergesKindsAndStreamsAndRefusesAnEmptyRange(t *testing.T) {
	w := newFixture(t, keptFor)
	e := w.reading(now.Add(-time.Minute), "a", 5, 0)
	other := e
	other.Series.Stream = "b"
	w.put(e)
	w.put(other)
	q := query.Rollups{Series: w.series(), Streams: []string{"b"}, From: now.Add(-2 * time.Minute), To: now}
	if total, err := w.query.RangeTotal(t.Context(), q); err != nil || total.Summary.Events() != 2 {
		t.Errorf("%d events, %v; want both streams", total.Summary.Events(), err)
	}
	q.To = q.From
	if _, err := w.query.RangeTotal(t.Context(), q); !errors.Is(err, query.ErrRange) {
		t.Errorf("an empty range: %v, want ErrRange", err)
	}
}

// An event that arrives now has the time now: a range that ends now can get no more of them.
func TestRangeTotal_IsOpenUntilTheClockReachesItsEnd(t *testing.T) {
	t.Parallel()
	w := newFixture(t, nil)
	for to, want := range map[model.Time]bool{now - 1: false, now: false, now + 1: true} {
		q := w.hours()
		q.From, q.To = now-1000, to
		if got, err := w.query.RangeTotal(t.Context(), q); err != nil || got.Open != want {
			t.Errorf("to %d ms after now: open %v, %v; want %v", to-now, got.Open, err, want)
		}
	}
}
