package query_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// simulation is a table over simulated time: events are appended, processed by the aggregator,
// and expire. All of them use the same clock.
type simulation struct {
	t         testingT
	clock     model.Time
	kind      *catalog.Kind
	table     *memory.Table
	agg       *aggregate.Aggregator
	query     *query.Service
	processed uint64
	appended  []model.Event // including expired events
}

const day = 24 * hour

// shortPolicy has the shortest valid retention for all tiers but months.
func shortPolicy() tier.Policy {
	return tier.Policy{Raw: 3 * tier.Day24, Tiers: []tier.Tier{
		{Unit: tier.Hour, Retention: 7 * tier.Day24},
		{Unit: tier.Day, Retention: 37 * tier.Day24},
		{Unit: tier.Month, Retention: tier.Forever},
	}}
}

func newSimulation(t testingT, kind catalog.Kind) *simulation {
	t.Helper()
	made, err := catalog.New(kind)
	if err != nil {
		t.Fatalf("catalog: %v", err)
	}
	l := &simulation{t: t, clock: now, kind: &made.Kinds[0]}
	time := func() model.Time { return l.clock }
	l.table = memory.New(time)
	l.agg = &aggregate.Aggregator{Store: l.table, QuarantineStore: l.table, Catalog: made, Now: time}
	l.query = &query.Service{Store: l.table, Now: time, CursorKey: []byte("a key for tests only")}
	return l
}

// append stores an event as ingest does, now.
func (l *simulation) append(subject, stream string, at model.Time, value int64, more ...model.Attr) {
	l.t.Helper()
	order := model.Order{At: at, ID: fmt.Sprint(len(l.appended))}
	attrs := append(more, model.Attr{Name: "value", Value: model.NumberValue(model.NewDecimal(value))})
	e := model.Event{
		Series: l.kind.Series(subject, stream, order), Order: order, Attrs: attrs, Hash: model.HashAttrs(attrs),
		ArrivedAt: l.clock, ExpiresAt: l.kind.Retention.EventExpiresAt(l.clock),
	}
	if stored, err := l.table.Put(context.Background(), e); err != nil || stored.Result != storage.Written {
		l.t.Fatalf("put: %v, %v", stored.Result, err)
	}
	l.appended = append(l.appended, e)
}

// process passes all new stream records to the aggregator.
func (l *simulation) process() {
	l.t.Helper()
	var changes []storage.Change
	records := l.table.Records(l.processed)
	l.processed += uint64(len(records))
	for _, r := range records {
		if key, err := keys.ParseEvent(r.Keys); err == nil && r.Name == memory.Insert {
			changes = append(changes,
				storage.Change{Type: storage.Inserted, Key: key, Seq: fmt.Sprint(r.Seq), At: r.At})
		}
	}
	if report := l.agg.Process(context.Background(), changes); len(report.Failures) > 0 {
		l.t.Fatalf("process: %v", report.Failures)
	}
}

// fold recomputes the fold of all appended events in [from, to) that in selects.
func (l *simulation) fold(from, to model.Time, in func(*model.Event) bool) *rollup.Fold {
	f := rollup.NewFold(l.kind.Spec())
	for i := range l.appended {
		if e := &l.appended[i]; from <= e.At && e.At < to && in(e) {
			f.AddEvent(e)
		}
	}
	return f
}

func gauges() catalog.Kind {
	return catalog.Kind{
		Name: "GAUGE", Subject: catalog.SubjectType{Name: "DEVICE"}, Retention: shortPolicy(),
		Measures: []rollup.MeasureSpec{{Name: "value", Scale: 3, Percentiles: true}},
	}
}

func (l *simulation) series(subject, stream string) query.Series {
	return query.Series{Kind: l.kind, Subject: subject, Stream: stream}
}

// For any range and retention, a chart covers at least the range. Its sum is the sum of all events
// appended in the part that is complete. Where raw events still exist, it is their sum.
func TestChart_StitchedSumEqualsTheSumOfTheEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := gauges()
		kind.Shards = rapid.IntRange(1, 3).Draw(t, "shards")
		kind.Retention.Tiers[2].Retention = rapid.SampledFrom([]time.Duration{tier.Forever, 80 * tier.Day24}).Draw(
			t, "retention of months")
		l := newSimulation(t, kind)
		begin := l.clock
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			l.clock += model.Time(rapid.IntRange(1, 8*24).Draw(t, "hours go by")) * hour / 2
			for range rapid.IntRange(0, 3).Draw(t, "events") {
				ago := model.Time(rapid.IntRange(0, int(2*day)).Draw(t, "ago"))
				l.append("d1", "", l.clock-ago, rapid.Int64Range(-99, 99).Draw(t, "value"))
				l.append("d1", "sibling", l.clock-ago, 1000)
			}
			l.process()
			if rapid.Bool().Draw(t, "ttl sweeps") {
				l.table.Expire(l.clock)
			}
		}
		for range 3 {
			span := int(l.clock-begin) + int(10*day)
			from := begin - 5*day + model.Time(rapid.IntRange(0, span).Draw(t, "from"))
			to := from + 1 + model.Time(rapid.IntRange(0, span).Draw(t, "length"))
			l.checkChart(query.Chart{
				Rollups:  query.Rollups{Series: l.series("d1", ""), From: from, To: to, Newest: rapid.Bool().Draw(t, "newest")},
				Stitched: rapid.Bool().Draw(t, "stitched"), Gaps: rapid.Bool().Draw(t, "gaps"),
			})
		}
	})
}

func (l *simulation) checkChart(q query.Chart) {
	l.t.Helper()
	c, err := l.query.Chart(context.Background(), q)
	if err != nil {
		l.t.Fatalf("chart from %s to %s at %s: %v", q.From, q.To, l.clock, err)
	}
	if c.From > q.From || c.To < q.To {
		l.t.Fatalf("covers %s to %s, want at least %s to %s", c.From, c.To, q.From, q.To)
	}
	l.checkSegments(q, c)
	l.checkOrder(q, c)
	from := max(c.From, c.CompleteFrom)
	want := l.fold(from, c.To, func(e *model.Event) bool { return e.Series.Stream == "" })
	got := rollup.NewFold(l.kind.Spec())
	for _, r := range c.Rollups {
		if r.Bucket.Start >= from {
			got.AddRow(&rollup.Row{Fold: r.Fold})
		}
	}
	if got.Digest != want.Digest || foldSum(got) != foldSum(want) || !got.Exact {
		l.t.Fatalf("at %s, %s to %s (%s): sum %s of %d events, exact %v; want %s of %d",
			l.clock, from, c.To, c.Reason, foldSum(got), got.Summary.Events(), got.Exact, foldSum(want),
			want.Summary.Events())
	}
	l.checkRaw(q, c, got)
}

// checkSegments checks that segments are adjacent, at bucket boundaries, from coarse to fine.
func (l *simulation) checkSegments(q query.Chart, c query.Curve) {
	l.t.Helper()
	if !q.Stitched && len(c.Segments) != 1 {
		l.t.Fatalf("%d tiers, want one", len(c.Segments))
	}
	at, unit := c.From, tier.Unit(0)
	for i, s := range c.Segments {
		if s.From != at || i > 0 && !s.Unit.FinerThan(unit) || s.Unit.FirstStart(s.From) != s.From ||
			s.Unit.FirstStart(s.To) != s.To || s.From >= s.To {
			l.t.Fatalf("segments %v from %s to %s", c.Segments, c.From, c.To)
		}
		at, unit = s.To, s.Unit
	}
	if at != c.To || len(c.Segments) > 1 && c.Segments[1].From <= q.From {
		l.t.Fatalf("segments %v for %s to %s", c.Segments, q.From, q.To)
	}
}

// checkOrder checks that each bucket is returned once, in the requested order. With Gaps, no gap is
// before CompleteFrom and no bucket is missing after it.
func (l *simulation) checkOrder(q query.Chart, c query.Curve) {
	l.t.Helper()
	all := slices.Clone(c.Rollups)
	if q.Newest {
		slices.Reverse(all)
	}
	at := c.From
	for _, r := range all {
		missing := r.Bucket.Start > max(at, c.CompleteFrom)
		if r.Bucket.Start < at || q.Gaps && missing || r.Gap && r.Bucket.Start < c.CompleteFrom ||
			r.Open != (l.clock < r.Bucket.End) || r.Gap != (r.Summary.Events() == 0) {
			l.t.Fatalf("at %s: %s after %s, open %v, gap %v (%v)", l.clock, r.Bucket, at, r.Open, r.Gap, c.Segments)
		}
		at = r.Bucket.End
	}
	if q.Gaps && max(at, c.CompleteFrom) < min(c.To, l.clock) {
		l.t.Fatalf("gaps end at %s, want %s", at, min(c.To, l.clock))
	}
}

// checkRaw checks that the sum of a chart whose events all still exist is the sum of the events.
func (l *simulation) checkRaw(q query.Chart, c query.Curve, chart *rollup.Fold) {
	l.t.Helper()
	of := query.History{Series: q.Series, From: c.From, To: c.To, Limit: 1}
	page, err := l.query.History(context.Background(), of)
	if err != nil {
		l.t.Fatalf("history: %v", err)
	}
	if c.From < page.CompleteFrom {
		return
	}
	of.Limit = 0
	raw := rollup.NewFold(l.kind.Spec())
	for e, err := range l.query.EachEvent(context.Background(), of) {
		if err != nil {
			l.t.Fatalf("history: %v", err)
		}
		raw.AddEvent(&e)
	}
	if foldSum(raw) != foldSum(chart) || raw.Summary.Events() != chart.Summary.Events() {
		l.t.Fatalf("raw %s to %s: %s of %d, chart %s of %d", c.From, c.To, foldSum(raw), raw.Summary.Events(),
			foldSum(chart), chart.Summary.Events())
	}
}

func foldSum(f *rollup.Fold) model.Decimal {
	m, _ := f.Summary.Measure("value")
	return m.Sum
}

// However events are spread over subjects, streams and shards, the total of the merged series has
// the same encoding as one fold of all events.
func TestTotal_OfMergedSeriesEqualsOneFoldOfAllEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := gauges()
		kind.Shards = rapid.IntRange(1, 3).Draw(t, "shards")
		l := newSimulation(t, kind)
		subjects, streams := []string{"a", "b", "a#1"}, []string{"", "x"}
		for range rapid.IntRange(1, 40).Draw(t, "events") {
			l.append(rapid.SampledFrom(append(subjects, "other")).Draw(t, "subject"),
				rapid.SampledFrom(append(streams, "other")).Draw(t, "stream"),
				l.clock-model.Time(rapid.IntRange(0, int(5*hour)).Draw(t, "ago")),
				rapid.Int64Range(-99, 99).Draw(t, "value"))
		}
		l.process()
		q := query.Rollups{Series: l.series("a", ""), Subjects: []string{"b", "a", "a#1"},
			Streams: []string{"x", ""}, Unit: tier.Hour, From: l.clock - 6*hour, To: l.clock + hour}
		total, err := l.query.Total(context.Background(), q)
		if err != nil {
			t.Fatalf("total: %v", err)
		}
		want := l.fold(0, model.MaxTime, func(e *model.Event) bool {
			return slices.Contains(subjects, e.Series.Subject.ID) && slices.Contains(streams, e.Series.Stream)
		})
		if string(total.Summary.Encode(nil)) != string(want.Summary.Encode(nil)) || total.Digest != want.Digest {
			t.Fatalf("total of %d events with sum %s, want %d with %s", total.Summary.Events(), foldSum(&total.Fold),
				want.Summary.Events(), foldSum(want))
		}
	})
}
