package query_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// live is a table that lives through time: events come in as they happen, are folded
// by the aggregator, and expire. The clock is all who take part in it go by.
type live struct {
	t        failer
	clock    model.Time
	kind     *catalog.Kind
	table    *memory.Table
	agg      *aggregate.Aggregator
	query    *query.Service
	seen     uint64
	accepted []model.Event // whatever became of them since
}

const day = 24 * hour

// shortLadder keeps everything but months for as short as may be.
func shortLadder() tier.Ladder {
	return tier.Ladder{Raw: 3 * tier.Day24, Tiers: []tier.Tier{
		{Unit: tier.Hour, Retention: 7 * tier.Day24},
		{Unit: tier.Day, Retention: 37 * tier.Day24},
		{Unit: tier.Month},
	}}
}

func newLive(t failer, kind catalog.Kind) *live {
	t.Helper()
	made, err := catalog.New(kind)
	if err != nil {
		t.Fatalf("catalog: %v", err)
	}
	l := &live{t: t, clock: now, kind: &made.Kinds[0]}
	time := func() model.Time { return l.clock }
	l.table = memory.New(time)
	l.agg = &aggregate.Aggregator{Store: l.table, Quarantine: l.table, Catalog: made, Now: time}
	l.query = &query.Service{Store: l.table, Now: time, CursorKey: []byte("a key for tests only")}
	return l
}

// append stores an event as ingest does, at the present.
func (l *live) append(subject, stream string, at model.Time, value int64) {
	l.t.Helper()
	order := model.Order{At: at, ID: fmt.Sprint(len(l.accepted))}
	attrs := model.Attrs{{Name: "value", Value: model.NumberValue(model.DecimalOf(value))}}
	e := model.Event{
		Series: l.kind.Series(subject, stream, order), Order: order, Attrs: attrs, Hash: model.HashOf(attrs),
		ArrivedAt: l.clock, ExpiresAt: l.kind.Ladder.EventExpiresAt(l.clock),
	}
	if reply, err := l.table.Put(context.Background(), e); err != nil || reply.Answer != model.Written {
		l.t.Fatalf("put: %v, %v", reply.Answer, err)
	}
	l.accepted = append(l.accepted, e)
}

// settle has the aggregator look at all that has come in since the last time.
func (l *live) settle() {
	l.t.Helper()
	var changes []model.Change
	records := l.table.Records(l.seen)
	l.seen += uint64(len(records))
	for _, r := range records {
		if key, err := keys.ParseEvent(r.Keys); err == nil && r.Name == memory.Insert {
			changes = append(changes, model.Change{What: model.Inserted, Key: key, Seq: fmt.Sprint(r.Seq), At: r.At})
		}
	}
	if report := l.agg.Settle(context.Background(), changes); len(report.Failures) > 0 {
		l.t.Fatalf("settle: %v", report.Failures)
	}
}

// fold is the recount of all events ever accepted that lie in [from, to) and in what
// is asked for.
func (l *live) fold(from, to model.Time, in func(*model.Event) bool) *rollup.Fold {
	f := rollup.NewFold(l.kind.Spec())
	for i := range l.accepted {
		if e := &l.accepted[i]; from <= e.At && e.At < to && in(e) {
			f.AddEvent(e)
		}
	}
	return f
}

func gauges() catalog.Kind {
	return catalog.Kind{
		Name: "GAUGE", Subject: catalog.SubjectType{Name: "DEVICE"}, Ladder: shortLadder(),
		Measures: []rollup.MeasureSpec{{Name: "value", Scale: 3, Percentiles: true}},
	}
}

func (l *live) series(subject, stream string) query.Series {
	return query.Series{Kind: l.kind, Subject: subject, Stream: stream}
}

// Whatever the range and wherever the retentions cut it: what a stitched chart covers
// is at least the range, its sum is that of every event ever accepted there as far
// back as anything is kept, and where raw events are still there, of those.
func TestChart_StitchedSumIsThatOfTheEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := gauges()
		kind.Shards = rapid.IntRange(1, 3).Draw(t, "shards")
		kind.Ladder.Tiers[2].Retention = rapid.SampledFrom([]time.Duration{tier.Forever, 80 * tier.Day24}).Draw(t, "months are kept")
		l := newLive(t, kind)
		begin := l.clock
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			l.clock += model.Time(rapid.IntRange(1, 8*24).Draw(t, "hours go by")) * hour / 2
			for range rapid.IntRange(0, 3).Draw(t, "events") {
				ago := model.Time(rapid.IntRange(0, int(2*day)).Draw(t, "ago"))
				l.append("d1", "", l.clock-ago, rapid.Int64Range(-99, 99).Draw(t, "value"))
				l.append("d1", "sibling", l.clock-ago, 1000)
			}
			l.settle()
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

func (l *live) checkChart(q query.Chart) {
	l.t.Helper()
	c, err := l.query.Chart(context.Background(), q)
	if err != nil {
		l.t.Fatalf("chart from %s to %s at %s: %v", q.From, q.To, l.clock, err)
	}
	if c.From > q.From || c.To < q.To {
		l.t.Fatalf("covers %s to %s, asked for %s to %s", c.From, c.To, q.From, q.To)
	}
	l.checkSegments(q, c)
	l.checkOrder(q, c)
	from := max(c.From, c.WholeFrom)
	want := l.fold(from, c.To, func(e *model.Event) bool { return e.Series.Stream == "" })
	got := rollup.NewFold(l.kind.Spec())
	for _, r := range c.Rollups {
		if r.Bucket.Start >= from {
			got.AddRow(&rollup.Row{Fold: r.Fold})
		}
	}
	if got.Digest != want.Digest || sumOf(got) != sumOf(want) || !got.Exact {
		l.t.Fatalf("at %s, %s to %s (%s): sum %s of %d events, exact %v; want %s of %d",
			l.clock, from, c.To, c.Reason, sumOf(got), got.Summary.Events(), got.Exact, sumOf(want), want.Summary.Events())
	}
	l.checkRaw(q, c, got)
}

// checkSegments: they lie end to end on edges of their buckets, from coarse to fine.
func (l *live) checkSegments(q query.Chart, c query.Curve) {
	l.t.Helper()
	if !q.Stitched && len(c.Segments) != 1 {
		l.t.Fatalf("%d tiers, want one", len(c.Segments))
	}
	at, unit := c.From, tier.Month+1
	for _, s := range c.Segments {
		if s.From != at || s.Unit >= unit || s.Unit.EdgeFrom(s.From) != s.From || s.Unit.EdgeFrom(s.To) != s.To || s.From >= s.To {
			l.t.Fatalf("segments %v from %s to %s", c.Segments, c.From, c.To)
		}
		at, unit = s.To, s.Unit
	}
	if at != c.To || len(c.Segments) > 1 && c.Segments[1].From <= q.From {
		l.t.Fatalf("segments %v for %s to %s", c.Segments, q.From, q.To)
	}
}

// checkOrder: each bucket once, in the order asked for, and where gaps are shown, none
// before the time from which on nothing can have expired, and no hole after it.
func (l *live) checkOrder(q query.Chart, c query.Curve) {
	l.t.Helper()
	all := slices.Clone(c.Rollups)
	if q.Newest {
		slices.Reverse(all)
	}
	at := c.From
	for _, r := range all {
		hole := r.Bucket.Start > max(at, c.WholeFrom)
		if r.Bucket.Start < at || q.Gaps && hole || r.Gap && r.Bucket.Start < c.WholeFrom || r.Open != (l.clock < r.Bucket.End) || r.Gap != (r.Summary.Events() == 0) {
			l.t.Fatalf("at %s: %s after %s, open %v, gap %v (%v)", l.clock, r.Bucket, at, r.Open, r.Gap, c.Segments)
		}
		at = r.Bucket.End
	}
	if q.Gaps && max(at, c.WholeFrom) < min(c.To, l.clock) {
		l.t.Fatalf("gaps are shown up to %s, want %s", at, min(c.To, l.clock))
	}
}

// checkRaw: where all events of the chart are still there, their sum is the chart's.
func (l *live) checkRaw(q query.Chart, c query.Curve, chart *rollup.Fold) {
	l.t.Helper()
	of := query.History{Series: q.Series, From: c.From, To: c.To, Limit: 1}
	page, err := l.query.History(context.Background(), of)
	if err != nil {
		l.t.Fatalf("history: %v", err)
	}
	if c.From < page.WholeFrom {
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
	if sumOf(raw) != sumOf(chart) || raw.Summary.Events() != chart.Summary.Events() {
		l.t.Fatalf("raw %s to %s: %s of %d, chart %s of %d", c.From, c.To, sumOf(raw), raw.Summary.Events(), sumOf(chart), chart.Summary.Events())
	}
}

func sumOf(f *rollup.Fold) model.Decimal {
	m, _ := f.Summary.Measure("value")
	return m.Sum
}

// However events fall on subjects, streams and shards, what is read together says what
// one fold of all of them says, percentiles and distinct order included.
func TestChart_FanInSaysWhatOneFoldOfAllSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := gauges()
		kind.Shards = rapid.IntRange(1, 3).Draw(t, "shards")
		l := newLive(t, kind)
		subjects, streams := []string{"a", "b", "a#1"}, []string{"", "x"}
		for range rapid.IntRange(1, 40).Draw(t, "events") {
			l.append(rapid.SampledFrom(append(subjects, "other")).Draw(t, "subject"), rapid.SampledFrom(append(streams, "other")).Draw(t, "stream"),
				l.clock-model.Time(rapid.IntRange(0, int(5*hour)).Draw(t, "ago")), rapid.Int64Range(-99, 99).Draw(t, "value"))
		}
		l.settle()
		q := query.Rollups{Series: l.series("a", ""), Subjects: []string{"b", "a", "a#1"}, Streams: []string{"x", ""}, Unit: tier.Hour, From: l.clock - 6*hour, To: l.clock + hour}
		total, err := l.query.Total(context.Background(), q)
		if err != nil {
			t.Fatalf("total: %v", err)
		}
		want := l.fold(0, model.MaxTime, func(e *model.Event) bool {
			return slices.Contains(subjects, e.Series.Subject.ID) && slices.Contains(streams, e.Series.Stream)
		})
		if string(total.Summary.Encode(nil)) != string(want.Summary.Encode(nil)) || total.Digest != want.Digest {
			t.Fatalf("together %d events with sum %s, want %d with %s", total.Summary.Events(), sumOf(&total.Fold), want.Summary.Events(), sumOf(want))
		}
	})
}
