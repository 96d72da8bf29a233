package query_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// imports is a table whose changes are aggregated, and the times of all events that were ever stored.
type imports struct {
	*liveWorld
	all []model.Time
}

// drawImports plays some months or years of live and imported events, with pauses of the sweep.
func drawImports(r *rapid.T) *imports {
	kind := liveGauge(rapid.IntRange(0, 3).Draw(r, "deferred from"))
	kind.Retention.Raw = 7 * tier.Day24
	for i, kept := range []time.Duration{40 * tier.Day24, 400 * tier.Day24, tier.Forever} {
		kind.Retention.Tiers[i].Retention = kept
	}
	w := &imports{liveWorld: newLiveWorld(r, kind)}
	pauses := []time.Duration{time.Minute, 3 * time.Hour, 9 * tier.Day24, 50 * tier.Day24, 500 * tier.Day24}
	ages := []time.Duration{time.Hour, 5 * tier.Day24, 60 * tier.Day24, 2800 * tier.Day24}
	for range rapid.IntRange(1, 6).Draw(r, "steps") {
		w.now = w.now.Add(rapid.SampledFrom(pauses).Draw(r, "pause"))
		for range rapid.IntRange(0, 4).Draw(r, "events") {
			age := int64(rapid.SampledFrom(ages).Draw(r, "age"))
			when := w.now.Add(-time.Duration(rapid.Int64Range(0, age).Draw(r, "before")))
			w.put(when, 1)
			w.all = append(w.all, when)
		}
		w.process()
		w.sweep()
	}
	return w
}

// wantTrue fails unless a result of a range has each of its events, or does not claim to.
func (w *imports) wantTrue(name string, in query.Segment, events int64, exact bool) {
	w.t.Helper()
	var want int64
	for _, e := range w.all {
		if in.From <= e && e < in.To {
			want++
		}
	}
	if events > want || exact && events != want {
		w.t.Fatalf("%s of %s to %s: %d events, exact %t; want %d", name, in.From, in.To, events, exact, want)
	}
}

// wantNamed fails unless each event of a range is in a bucket or in a part that is named as missing.
func (w *imports) wantNamed(name string, in query.Segment, page query.RollupPage) {
	w.t.Helper()
	var named []query.Segment
	for _, b := range page.Rollups {
		bucket := query.Segment{From: b.Bucket.Start, To: b.Bucket.End}
		w.wantTrue(name, bucket, b.Summary.Events(), b.Exact)
		named = append(named, bucket)
	}
	named = append(named, page.Missing...)
	for _, e := range w.all {
		found := e < in.From || e >= in.To
		for _, n := range named {
			found = found || n.From <= e && e < n.To
		}
		if !found {
			w.t.Fatalf("%s of %s: the event is in none, and missing are only %v", name, e, page.Missing)
		}
	}
}

// Whatever is imported when, and whatever has expired by then: an exact result has each event, and what a
// reader leaves out had none.
func TestLive_ReadersTellTheTruthOfImportedHistory(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := drawImports(r)
		if len(w.all) == 0 {
			return
		}
		around := rapid.SampledFrom(w.all).Draw(r, "around")
		from := around.Add(-time.Duration(rapid.Int64Range(0, int64(40*tier.Day24)).Draw(r, "from")))
		q := query.Rollups{Series: query.Series{Kind: w.kind, Subject: "d1"}, From: from,
			To: from.Add(50 * tier.Day24)}
		total, err := w.query.RangeTotal(t.Context(), q)
		if err != nil {
			r.Fatal(err)
		}
		w.wantTrue("total", query.Segment{From: q.From, To: q.To}, total.Summary.Events(), total.Exact)

		name := rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "Asia/Kolkata"}).Draw(r, "zone")
		local := query.Local{Rollups: q, Zone: zone(t, name), Unit: times.Day}
		days, err := w.query.LocalRollups(t.Context(), local)
		if err != nil {
			r.Fatal(err)
		}
		w.wantNamed("days in "+name, query.Segment{From: q.From, To: q.To}, days)

		q.Unit = rapid.SampledFrom([]tier.Unit{tier.Hour, tier.Day, tier.Month}).Draw(r, "unit")
		q.From, q.To = q.Unit.BucketAt(q.From).Start, q.Unit.BucketAt(q.To).End
		q.Limit = 10_000
		page, err := w.query.Rollups(t.Context(), q)
		if err != nil || page.Next != "" {
			r.Fatalf("%v, next page %q", err, page.Next)
		}
		w.wantNamed(q.Unit.String()+"s", query.Segment{From: q.From, To: q.To}, page)
	})
}
