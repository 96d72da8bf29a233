package query_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// A history says from when on it has every event: what has expired is not nothing.
func TestWholeFrom_NamesWhatMayHaveExpired(t *testing.T) {
	t.Parallel()
	w := newFixture(t, keptFor)
	imported := w.imported(10)
	expired := w.reading(at("2018-08-20T12:30:00Z"), "expired", 1, 0)
	live := w.reading(at("2026-04-19T12:30:00Z"), "live", 1, 0)
	w.storeWritten(append(imported, written{expired, expired.At}, written{live, live.At}))
	listed := storage.ListedSeries{Series: live.Series, First: at("2018-06-01T00:00:00Z"), Last: live.At}
	if err := w.table.PutItem(t.Context(), item.FromListedSeries(listed)); err != nil {
		t.Fatal(err)
	}
	byAge := w.query.EventsCompleteFrom(w.kind)
	for name, c := range map[string]struct {
		from, to string
		want     model.Time
	}{
		"recent events":       {"2026-04-15T00:00:00Z", "2026-04-21T00:00:00Z", model.MinTime},
		"imported events":     {"2018-06-01T00:00:00Z", "2018-06-04T00:00:00Z", model.MinTime},
		"before the first":    {"1948-01-01T00:00:00Z", "1949-01-01T00:00:00Z", model.MinTime},
		"an event that went":  {"2018-08-20T00:00:00Z", "2018-08-22T00:00:00Z", at("2018-08-22T00:00:00Z")},
		"a part of its month": {"2018-08-01T00:00:00Z", "2018-08-05T00:00:00Z", at("2018-08-05T00:00:00Z")},
		"a year of nothing":   {"2020-01-15T00:00:00Z", "2021-01-15T00:00:00Z", model.MinTime},
		"a year with an end":  {"2017-08-20T00:00:00Z", "2018-08-25T00:00:00Z", at("2018-08-25T00:00:00Z")},
		"years":               {"2018-06-01T00:00:00Z", "2026-04-21T00:00:00Z", byAge},
		"everything":          {"0001-01-01T00:00:00Z", "9999-12-31T00:00:00Z", byAge},
	} {
		got, err := w.query.WholeFrom(t.Context(),
			query.History{Series: w.series(), From: at(c.from), To: at(c.to)})
		if err != nil || got != c.want {
			t.Errorf("%s: %s %v, want %s", name, got, err, c.want)
		}
	}
	never := query.Series{Kind: w.kind, Subject: "never"}
	got, err := w.query.WholeFrom(t.Context(), query.History{Series: never, To: model.MaxTime})
	if err != nil || got != model.MinTime {
		t.Errorf("a device that never was: %s %v, want nothing missing", got, err)
	}
}

// Whatever was written when: from that time on, a history has every event of its range.
func TestWholeFrom_IsTheTruth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		w := newFixture(r, keptFor)
		var all []written
		first := now
		for i := range rapid.IntRange(1, 12).Draw(r, "events") {
			days := rapid.SampledFrom([]int64{1, 20, 60, 500, 3000}).Draw(r, "age")
			before := rapid.Int64Range(0, days*int64(tier.Day24)).Draw(r, "before")
			e := written{w.reading(now.Add(-time.Duration(before)), fmt.Sprint(i), int64(i), 0), 0}
			e.at = e.At
			if rapid.Bool().Draw(r, "imported") {
				e.at = now.Add(-time.Duration(rapid.Int64Range(0, before).Draw(r, "imported before")))
			}
			all, first = append(all, e), min(first, tier.Hour.BucketAt(e.At).Start)
		}
		w.storeWritten(all)
		if rapid.Bool().Draw(r, "listed") {
			listed := storage.ListedSeries{Series: all[0].Series, First: first, Last: now}
			if err := w.table.PutItem(t.Context(), item.FromListedSeries(listed)); err != nil {
				r.Fatal(err)
			}
		}
		around := rapid.SampledFrom(all).Draw(r, "around").At
		before := time.Duration(rapid.Int64Range(0, int64(90*tier.Day24)).Draw(r, "from"))
		most := (200 * tier.Day24).Milliseconds()
		length := time.Millisecond * time.Duration(rapid.Int64Range(1, most).Draw(r, "length"))
		q := query.History{Series: w.series(), From: around.Add(-before), To: around.Add(length)}
		whole, err := w.query.WholeFrom(t.Context(), q)
		if err != nil {
			r.Fatal(err)
		}
		want := 0
		for _, e := range all {
			if max(q.From, whole) <= e.At && e.At < q.To {
				want++
			}
		}
		if q.From = max(q.From, whole); q.From >= q.To {
			return
		}
		counted, err := w.query.Count(t.Context(), q)
		if err != nil || counted.Events != int64(want) {
			r.Fatalf("from %s to %s: %d events %v, want %d", q.From, q.To, counted.Events, err, want)
		}
	})
}
