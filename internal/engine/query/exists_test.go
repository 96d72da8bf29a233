package query_test

import (
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

// written is an event, and when it was written.
type written struct {
	model.Event
	at model.Time
}

// storeWritten stores what a table has now of events that were written at different times: an item expires by
// the retention from its writing. A row is written with the newest of its events.
func (w *fixture) storeWritten(all []written) {
	w.t.Helper()
	stays := func(kept time.Duration, from model.Time) bool {
		return kept == tier.Forever || from.Add(kept) > now
	}
	for _, e := range all {
		if stays(w.kind.Retention.Raw, e.at) {
			w.put(e.Event)
		}
	}
	for _, t := range w.kind.Retention.Tiers {
		buckets, last := map[model.Time][]model.Event{}, map[model.Time]model.Time{}
		for _, e := range all {
			b := t.Unit.BucketAt(e.At)
			buckets[b.Start] = append(buckets[b.Start], e.Event)
			last[b.Start] = max(last[b.Start], e.at, b.End)
		}
		for start, of := range buckets {
			if stays(t.Retention, last[start]) {
				w.storeRow(w.row(t.Unit, 0, of...))
			}
		}
	}
}

// imported returns one event at noon of each of the first days of a month of 2018, written a minute ago.
func (w *fixture) imported(days int) (all []written) {
	for day := range days {
		when := at("2018-06-01T12:00:00Z").Add(time.Duration(day) * tier.Day24)
		all = append(all, written{w.reading(when, "", int64(day), 0), now.Add(-time.Minute)})
	}
	return all
}

// TTL counts from writing: history that was just imported is read by every reader, whatever its age.
func TestReaders_SeeHistoryThatWasImportedAMomentAgo(t *testing.T) {
	t.Parallel()
	w := newFixture(t, keptFor)
	w.storeWritten(w.imported(10))
	q := query.Rollups{Series: w.series(), From: at("2018-06-01T00:00:00Z"), To: at("2018-06-29T00:00:00Z")}
	total, err := w.query.RangeTotal(t.Context(), q)
	if err != nil || total.Summary.Events() != 10 || !total.Exact || len(total.Missing) > 0 {
		t.Errorf("total: %d events, exact %t, missing %v, %v; want 10, exact", total.Summary.Events(), total.Exact,
			total.Missing, err)
	}
	for _, name := range []string{"UTC", "Europe/Berlin", "Asia/Kathmandu"} {
		page, err := w.query.LocalRollups(t.Context(),
			query.Local{Rollups: q, Zone: zone(t, name), Unit: times.Day})
		if err != nil || len(page.Rollups) != 10 || len(page.Missing) > 0 || page.Rollups[9].Local.Zone != name {
			t.Errorf("%s: %d days, missing %v, %v; want 10 days of the zone", name, len(page.Rollups), page.Missing,
				err)
		}
	}
	curve, err := w.query.Chart(t.Context(), query.Chart{Rollups: q})
	if err != nil || len(curve.Rollups) != 10 || curve.Segments[0].Unit != tier.Hour || len(curve.Missing) > 0 {
		t.Errorf("chart: %d points of %v (%s), missing %v, %v; want 10 hours", len(curve.Rollups), curve.Segments,
			curve.Reason, curve.Missing, err)
	}
}

// What expired years ago is not read as nothing beside what was imported a moment ago.
func TestReaders_NameWhatHasExpired(t *testing.T) {
	t.Parallel()
	w := newFixture(t, keptFor)
	live := w.reading(at("2018-06-20T12:30:00Z"), "live", 1, 0)
	w.storeWritten(append(w.imported(10), written{live, live.At}))
	q := query.Rollups{Series: w.series(), Unit: tier.Day, From: at("2018-06-01T00:00:00Z"),
		To: at("2018-07-29T00:00:00Z")}
	page, err := w.query.Rollups(t.Context(), q)
	want := []query.Segment{{From: at("2018-06-11T00:00:00Z"), To: at("2018-07-01T00:00:00Z")}}
	if err != nil || len(page.Rollups) != 10 || !slices.Equal(page.Missing, want) {
		t.Errorf("%d days, missing %v, %v; want 10, and %v", len(page.Rollups), page.Missing, err, want)
	}
	total, err := w.query.RangeTotal(t.Context(), q)
	if err != nil || !total.Exact || total.Summary.Events() != 11 || len(total.Missing) > 0 {
		t.Errorf("total: %d events, exact %t, missing %v, %v; want the 11 of the month", total.Summary.Events(),
			total.Exact, total.Missing, err)
	}
	q.To = at("2018-06-29T00:00:00Z") // cuts the month
	want[0].To = q.To
	total, err = w.query.RangeTotal(t.Context(), q)
	if err != nil || total.Exact || total.Summary.Events() != 10 || !slices.Equal(total.Missing, want) {
		t.Errorf("total: %d events, exact %t, missing %v, %v; want those that are stored, and the rest missing",
			total.Summary.Events(), total.Exact, total.Missing, err)
	}
}

// Whatever was written when, and whatever is asked: what a reader does not name as missing is the truth.
func TestReaders_TellTheTruthOrNameWhatIsNotKnown(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := newFixture(r, keptFor)
		if rapid.Bool().Draw(r, "months expire") {
			w.kind.Retention.Tiers[2].Retention = 800 * tier.Day24
		}
		var all []written
		for i := range rapid.IntRange(1, 25).Draw(r, "events") {
			age := rapid.SampledFrom(
				[]time.Duration{time.Hour, 5 * tier.Day24, 60 * tier.Day24, 500 * tier.Day24, 3000 * tier.Day24})
			when := now.Add(-time.Duration(rapid.Int64Range(0, int64(age.Draw(r, "age"))).Draw(r, "before")))
			e := written{w.reading(when, fmt.Sprint(i), int64(i), 0), when}
			if rapid.Bool().Draw(r, "imported") {
				e.at = now.Add(-time.Duration(rapid.Int64Range(0, int64(now.Sub(when))).Draw(r, "imported before")))
			}
			all = append(all, e)
		}
		w.storeWritten(all)
		some := rapid.SampledFrom(all).Draw(r, "around")
		from := some.At.Add(-time.Duration(rapid.Int64Range(0, int64(90*tier.Day24)).Draw(r, "from")))
		q := query.Rollups{Series: w.series(), From: from,
			To: from.Add(time.Duration(rapid.Int64Range(int64(time.Minute), int64(200*tier.Day24)).Draw(r, "length")))}
		count := func(from, to model.Time, missing []query.Segment) (n int64) {
			for _, e := range all {
				in := from <= e.At && e.At < to
				for _, m := range missing {
					in = in && (e.At < m.From || e.At >= m.To)
				}
				if in {
					n++
				}
			}
			return n
		}
		total, err := w.query.RangeTotal(t.Context(), q)
		if err != nil {
			r.Fatal(err)
		}
		if got, want := total.Summary.Events(), count(q.From, q.To, total.Missing); got != want {
			r.Fatalf("total of %s to %s: %d events, want %d beside the missing %v", q.From, q.To, got, want,
				total.Missing)
		}
		unit := rapid.SampledFrom([]tier.Unit{tier.Hour, tier.Day, tier.Month}).Draw(r, "unit")
		q.Unit = unit
		q.From, q.To = unit.BucketAt(q.From).Start, unit.BucketAt(q.To).End
		q.Newest = rapid.Bool().Draw(r, "newest")
		q.Limit = rapid.IntRange(0, 3).Draw(r, "limit")
		var found int64
		var missing []query.Segment
		for {
			page, err := w.query.Rollups(t.Context(), q)
			if err != nil {
				r.Fatal(err)
			}
			missing = append(missing, page.Missing...)
			for _, b := range page.Rollups {
				if n := count(b.Bucket.Start, b.Bucket.End, nil); b.Summary.Events() > n {
					r.Fatalf("%s has %d events, want %d", b.Bucket, b.Summary.Events(), n)
				}
				found += b.Summary.Events()
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
		}
		if want := count(q.From, q.To, missing); found != want {
			r.Fatalf("%ss of %s to %s: %d events, want %d beside the missing %v", unit, q.From, q.To, found, want,
				missing)
		}
		local, err := w.query.LocalRollups(t.Context(),
			query.Local{Rollups: query.Rollups{Series: w.series(), From: from, To: from.Add(100 * tier.Day24)},
				Unit: times.Day, Zone: zone(t, rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "Asia/Kolkata"}).Draw(r, "zone"))})
		if err != nil {
			r.Fatal(err)
		}
		for _, e := range all {
			named := e.At < from || e.At >= from.Add(100*tier.Day24)
			for _, p := range local.Rollups {
				named = named || p.Bucket.Contains(e.At)
			}
			for _, m := range local.Missing {
				named = named || m.From <= e.At && e.At < m.To
			}
			if !named {
				r.Fatalf("the event of %s is in no day, and nothing is missing there: %v", e.At, local.Missing)
			}
		}
	})
}
