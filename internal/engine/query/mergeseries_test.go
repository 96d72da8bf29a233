package query_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// quayFixture has two kinds of one subject type: visits on three shards, and calls with a shorter
// retention.
type quayFixture struct {
	*fixture
	visits, calls *catalog.Kind
}

func newQuayFixture(t *testing.T) quayFixture {
	t.Helper()
	quay := catalog.SubjectType{Name: "QUAY"}
	day := tier.Day24
	made, err := catalog.New(
		catalog.Kind{Name: "VISIT", Subject: quay, Shards: 3,
			Dimensions: []rollup.DimensionSpec{{Name: "flag", Top: 3}}, Distinct: []string{"ship"}, IndexBy: "ship"},
		catalog.Kind{Name: "CALL", Subject: quay, Retention: tier.Policy{Raw: 3 * day,
			Tiers: []tier.Tier{{Unit: tier.Hour, Retention: 10 * day}, {Unit: tier.Day, Retention: tier.Forever}}}},
		catalog.Kind{Name: "FLIGHT", Subject: catalog.SubjectType{Name: "TOWER"}})
	if err != nil {
		t.Fatal(err)
	}
	w := newFixture(t, nil)
	return quayFixture{fixture: w, visits: &made.Kinds[0], calls: &made.Kinds[1]}
}

func text(name, value string) model.Attr {
	return model.Attr{Name: name, Value: model.TextValue(value)}
}

// event returns an event of quay 7.
func (p quayFixture) event(k *catalog.Kind, when model.Time, id string, attrs ...model.Attr) model.Event {
	order := model.Order{At: when, ID: id}
	a := model.Attrs(attrs)
	a.Sort()
	return model.Event{Series: k.Series("7", "", order), Order: order, Attrs: a, Hash: model.HashAttrs(a),
		ArrivedAt: when, IndexBy: k.IndexBy}
}

// store puts events and the rows of their hours and days, as the aggregator does.
func (p quayFixture) store(k *catalog.Kind, events ...model.Event) {
	p.t.Helper()
	rows := map[rollup.Key]*rollup.Fold{}
	for i, e := range events {
		p.put(e)
		for _, unit := range []tier.Unit{tier.Hour, tier.Day} {
			key := rollup.Key{Series: e.Series.WithoutShard(), Tier: unit.String(), Start: unit.BucketAt(e.At).Start}
			if rows[key] == nil {
				rows[key] = rollup.NewFold(k.Spec())
			}
			rows[key].AddEvent(&events[i])
		}
	}
	for key, fold := range rows {
		unit, err := tier.ParseUnit(key.Tier)
		if err != nil {
			p.t.Fatalf("%v", err)
		}
		kept, _, _ := k.Retention.Find(unit)
		p.storeRow(rollup.Row{Key: key, Fold: *fold, WrittenAt: now, V: 1,
			ExpiresAt: kept.ExpiresAt(unit.BucketAt(key.Start), now)})
	}
}

func (p quayFixture) hours() query.Rollups {
	return query.Rollups{
		Series: query.Series{Kind: p.visits, Subject: "7"}, With: []*catalog.Kind{p.calls},
		Unit: tier.Hour, From: model.MinTime, To: model.MaxTime + 1,
	}
}

func filledQuayFixture(t *testing.T) quayFixture {
	p := newQuayFixture(t)
	noon := at("2026-04-20T12:00:00Z")
	var visits []model.Event
	for i, flag := range []string{"NO", "NO", "NO", "FI", "FI", "SE", "NO"} {
		visits = append(visits, p.event(p.visits, noon.Add(time.Duration(i)*15*time.Minute), fmt.Sprint(i),
			text("flag", flag), text("ship", "ship "+flag)))
	}
	p.store(p.visits, visits...)
	p.store(p.calls, p.event(p.calls, noon, "",
		model.Attr{Name: "minutes", Value: model.NumberValue(model.NewDecimal(4))}))
	return p
}

func TestRollups_KindsOfASubjectAreMergedBucketByBucket(t *testing.T) {
	t.Parallel()
	p := filledQuayFixture(t)
	var got []string
	for _, r := range p.rollups(p.hours()) {
		ships, _, _ := r.Summary.Distinct("ship")
		got = append(got, fmt.Sprintf("%s %s %v %d %s %d", r.Bucket.Label(), r.Series, r.Kinds, r.Summary.Events(),
			r.Measure("minutes").Sum, ships))
	}
	want := []string{
		"2026-04-20-12 QUAY/7 [{VISIT 4} {CALL 1}] 5 4 2",
		"2026-04-20-13 QUAY/7 [{VISIT 3} {CALL 0}] 3 0 3",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRollups_CursorIsBoundToTheMergedSeries(t *testing.T) {
	t.Parallel()
	p := filledQuayFixture(t)
	q := p.hours()
	q.Limit = 1
	first, err := p.query.Rollups(context.Background(), q)
	requireNoError(t, err)
	q.Cursor = first.Next
	second, err := p.query.Rollups(context.Background(), q)
	requireNoError(t, err)
	if len(first.Rollups) != 1 || len(second.Rollups) != 1 || second.Rollups[0].Summary.Events() != 3 {
		t.Errorf("pages of %d and %d rollups, want one each", len(first.Rollups), len(second.Rollups))
	}
	for name, change := range map[string]func(*query.Rollups){
		"for one kind":                func(q *query.Rollups) { q.With = nil },
		"for a further stream":        func(q *query.Rollups) { q.Streams = []string{"x"} },
		"for a further subject":       func(q *query.Rollups) { q.Subjects = []string{"8"} },
		"for a subject like a stream": func(q *query.Rollups) { q.Subjects = []string{`8" stream "x`} },
	} {
		other := q
		change(&other)
		if _, err := p.query.Rollups(context.Background(), other); !errors.Is(err, query.ErrCursorMismatch) {
			t.Errorf("the cursor of both kinds is accepted %s: %v", name, err)
		}
	}
	q.With = append(q.With, q.With...)
	q.Subjects = []string{"7"}
	q.Streams = []string{""}
	if _, err := p.query.Rollups(context.Background(), q); err != nil {
		t.Errorf("the same kinds, subject and stream named twice: %v, want the page", err)
	}
}

// A bucket in which one kind may have expired is hidden, because it would be incomplete, and named. As long
// as its rows are stored it is whole, whatever its age.
func TestRollups_AMergedBucketIsHiddenOnceOneKindMayHaveExpired(t *testing.T) {
	t.Parallel()
	p := filledQuayFixture(t)
	later := now.Add(11 * tier.Day24)
	p.query.Now = func() model.Time { return later }
	if found := p.rollups(p.hours()); len(found) != 0 {
		t.Errorf("%d hours are visible after their calls have expired, want none", len(found))
	}
	page, err := p.query.Rollups(t.Context(), p.hours())
	day := query.Segment{From: at("2026-04-20T00:00:00Z"), To: at("2026-04-21T00:00:00Z")}
	if err != nil || len(page.Rollups) != 0 || fmt.Sprint(page.Missing) != fmt.Sprint([]query.Segment{day}) {
		t.Errorf("%d hours, missing %v, %v; want none, and the day of the calls missing", len(page.Rollups),
			page.Missing, err)
	}
	q := p.hours()
	q.With = nil
	if found := p.rollups(q); len(found) != 2 {
		t.Errorf("%d hours of visits alone, want 2", len(found))
	}
}

func TestRollups_OfUnrelatedKindsAreRejected(t *testing.T) {
	t.Parallel()
	p := newQuayFixture(t)
	q := p.hours()
	q.With = []*catalog.Kind{p.kind}
	if _, err := p.query.Rollups(context.Background(), q); !errors.Is(err, query.ErrSeries) {
		t.Errorf("kinds of different subjects: %v", err)
	}
	q = p.hours()
	q.Unit = tier.Month
	if _, err := p.query.Rollups(context.Background(), q); !errors.Is(err, query.ErrNoTier) {
		t.Errorf("a tier that one kind does not have: %v", err)
	}
}

func TestTotal_MergesARangeAndRejectsAnIncompleteOne(t *testing.T) {
	t.Parallel()
	p := filledQuayFixture(t)
	total, err := p.query.Total(context.Background(), p.hours())
	requireNoError(t, err)
	ships, exact, _ := total.Summary.Distinct("ship")
	if total.Buckets != 2 || total.Summary.Events() != 8 || ships != 3 || !exact || total.Open {
		t.Errorf("%d buckets, %d events, %d ships (exact %v), open %v; want 2, 8, 3, closed", total.Buckets,
			total.Summary.Events(), ships, exact, total.Open)
	}
	if diff := cmp.Diff([]query.KindEvents{{Kind: "VISIT", Events: 7}, {Kind: "CALL", Events: 1}},
		total.Kinds); diff != "" {
		t.Errorf("by kind (-want +got):\n%s", diff)
	}
	q := p.hours()
	q.Limit = 1
	if _, err := p.query.Total(context.Background(), q); !errors.Is(err, query.ErrTooMany) {
		t.Errorf("two buckets with limit 1: %v", err)
	}
}

func TestTop_ReturnsSharesOthersAndExactness(t *testing.T) {
	t.Parallel()
	p := filledQuayFixture(t)
	values, _, err := p.query.Top(context.Background(),
		query.Top{Rollups: p.hours(), Dimension: "flag", Values: 2})
	requireNoError(t, err)
	want := query.TopValues{Other: 1, Exact: true, Values: []query.Share{
		{Value: "NO", Count: 4, Share: 4. / 7}, {Value: "FI", Count: 2, Share: 2. / 7},
	}}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, _, err := p.query.Top(context.Background(),
		query.Top{Rollups: p.hours(), Dimension: "cargo"}); !errors.Is(err, query.ErrNoDimension) {
		t.Errorf("an undeclared dimension: %v", err)
	}
	cut := query.NewTopValues(query.Dimension{Values: []query.Counted{{Value: "a", Count: 3}}, Other: 1}, 0)
	if cut.Exact || cut.Values[0].Share != .75 || cut.Other != 1 {
		t.Errorf("a truncated dimension: %+v, want a share of 3/4, one other, inexact", cut)
	}
	empty := p.hours()
	empty.From, empty.To = 0, 1
	values, _, err = p.query.Top(context.Background(), query.Top{Rollups: empty, Dimension: "flag"})
	if requireNoError(t, err); len(values.Values) != 0 || !values.Exact {
		t.Errorf("of no events: %+v, want no values, exact", values)
	}
}

func TestQueryIndex_PagesThroughAllSubjectsInBothDirections(t *testing.T) {
	t.Parallel()
	p := filledQuayFixture(t)
	elsewhere := p.event(p.visits, at("2026-04-20T12:20:00Z"), "x", text("ship", "ship NO"))
	elsewhere.Series.Subject.ID = "9"
	elsewhere.Series = p.visits.Series("9", "", elsewhere.Order)
	p.put(elsewhere)
	expired := p.event(p.visits, at("2026-04-20T12:40:00Z"), "gone", text("ship", "ship NO"))
	expired.ExpiresAt = 1
	p.put(expired)
	for newest, want := range map[bool]string{false: "7/0 7/1 9/x 7/2 7/6 ", true: "7/6 7/2 9/x 7/1 7/0 "} {
		for limit := 1; limit < 7; limit++ {
			q := query.IndexQuery{Kind: p.visits, Field: "ship", Value: "ship NO", From: model.MinTime,
				To: model.MaxTime + 1, Newest: newest, Limit: limit}
			got := ""
			for more := true; more; more = q.Cursor != "" {
				page, err := p.query.QueryIndex(context.Background(), q)
				requireNoError(t, err)
				for _, e := range page.Events {
					got += e.Series.Subject.ID + "/" + e.ID + " "
				}
				q.Cursor = page.Next
			}
			if got != want {
				t.Errorf("newest %v, limit %d: %s, want %s", newest, limit, got, want)
			}
		}
	}
}

func TestQueryIndex_RejectsInvalidRequests(t *testing.T) {
	t.Parallel()
	p := filledQuayFixture(t)
	valid := query.IndexQuery{Kind: p.visits, Field: "ship", Value: "a", From: 0, To: 1}
	for name, c := range map[string]struct {
		change func(*query.IndexQuery)
		want   error
	}{
		"a field that is not indexed": {func(q *query.IndexQuery) { q.Field = "flag" }, query.ErrNotIndexed},
		"a kind without index":        {func(q *query.IndexQuery) { q.Kind, q.Field = p.calls, "" }, query.ErrNotIndexed},
		"an empty value":              {func(q *query.IndexQuery) { q.Value = "" }, query.ErrSeries},
		"a value no key can hold":     {func(q *query.IndexQuery) { q.Value = string(make([]byte, 3000)) }, query.ErrSeries},
		"an inverted range":           {func(q *query.IndexQuery) { q.From = 2 }, query.ErrRange},
		"a negative limit":            {func(q *query.IndexQuery) { q.Limit = -1 }, query.ErrLimit},
		"a forged cursor":             {func(q *query.IndexQuery) { q.Cursor = "x" }, query.ErrCursor},
	} {
		q := valid
		c.change(&q)
		if _, err := p.query.QueryIndex(context.Background(), q); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestProfile_IsHiddenOnceExpired(t *testing.T) {
	t.Parallel()
	w := newFixture(t, nil)
	subject := model.Subject{Type: "DEVICE", ID: "sensor_01"}
	if p, err := w.query.Profile(context.Background(), subject, false); p != nil || err != nil {
		t.Errorf("missing profile: %v, %v", p, err)
	}
	for expiresAt, visible := range map[int64]bool{0: true, now.Seconds() + 1: true, now.Seconds(): false} {
		requireNoError(t, w.table.PutItem(context.Background(), item.FromProfile(
			&model.Profile{Subject: subject, Attrs: model.Attrs{text("name", "hall")}, ExpiresAt: expiresAt})))
		p, err := w.query.Profile(context.Background(), subject, true)
		if requireNoError(t, err); (p != nil) != visible {
			t.Errorf("a profile that expires at %d is visible: %v", expiresAt, p != nil)
		}
	}
	if _, err := w.query.Profile(context.Background(), model.Subject{Type: "DEVICE"}, false); !errors.Is(err,
		query.ErrSeries) {
		t.Errorf("without an id: %v", err)
	}
}

func TestLast_EndsWithTheOpenBucket(t *testing.T) {
	for _, c := range []struct {
		span     time.Duration
		unit     tier.Unit
		now      string
		from, to string
	}{
		{5 * time.Minute, tier.Minute, "2026-04-20T14:30:20Z", "2026-04-20T14:26:00Z", "2026-04-20T14:31:00Z"},
		{time.Minute, tier.Minute, "2026-04-20T14:30:00Z", "2026-04-20T14:30:00Z", "2026-04-20T14:31:00Z"},
		{24 * time.Hour, tier.Hour, "2026-04-20T14:30:00Z", "2026-04-19T15:00:00Z", "2026-04-20T15:00:00Z"},
		{time.Second, tier.Day, "2026-04-20T14:30:00Z", "2026-04-20T00:00:00Z", "2026-04-21T00:00:00Z"},
	} {
		if from, to := query.Last(c.span, c.unit, at(c.now)); from != at(c.from) || to != at(c.to) {
			t.Errorf("%s in %ss before %s: %s to %s, want %s to %s", c.span, c.unit, c.now, from, to, c.from, c.to)
		}
	}
}
