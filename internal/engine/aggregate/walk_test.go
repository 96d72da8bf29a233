package aggregate_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// A change of a day later is walked along the clicks of its visitor, so that every hour equals a
// recount.
func TestSessions_LateChangesRecomputeTheHoursOfTheirChain(t *testing.T) {
	for name, c := range map[string]struct {
		minutes []int  // of clicks after noon, appended in time
		late    int    // minute of the change
		page    string // "" deletes
	}{
		"a click that prolongs a session of hours before":  {[]int{10, 35, 60, 85, 110}, 135, "/"},
		"a click at the end of what a session is followed": {[]int{0, 25, 50, 75, 100, 125, 150, 175, 200, 225}, 235, "/"},
		"a click before a session's first":                 {[]int{70}, 50, "/"},
		"a click a gap before a session's first":           {[]int{70}, 40, "/"},
		"a click between two sessions":                     {[]int{40, 95, 120}, 67, "/"},
		"the first click is deleted":                       {[]int{50, 70}, 50, ""},
		"a click in the middle is deleted":                 {[]int{10, 35, 60, 85, 110}, 60, ""},
		"the exit page is corrected":                       {[]int{50, 70, 90}, 90, "/other"},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
			for _, minute := range c.minutes {
				v.setNow(noon.Add(time.Duration(minute) * time.Minute))
				v.change(v.now(), "a", "/")
				v.processAll(v.queued)
				v.queued = nil
			}
			v.setNow(noon.Add(30 * time.Hour))
			v.sweep()
			v.change(noon.Add(time.Duration(c.late)*time.Minute), "a", c.page)
			if report := v.processAll(v.queued); report.Walks != 1 {
				t.Errorf("%d walks, want one", report.Walks)
			}
			for hour := range 4 {
				v.check(noon.Add(time.Duration(hour) * time.Hour))
			}
		})
	}
}

// A late change of an event of a goal recomputes the hour of the session that it is part of, and
// prolongs no session.
func TestSessions_LateEventsOfGoalsRecomputeTheHourOfTheirSession(t *testing.T) {
	at := func(minute int) func(*visits, string, int64) {
		return func(v *visits, who string, amount int64) {
			v.changeBuy(noon.Add(time.Duration(minute)*time.Minute), "0", who, amount)
		}
	}
	for name, c := range map[string]struct {
		before, late func(*visits)
		want         said // of the first hour
	}{
		"in the second hour":         {nil, func(v *visits) { at(100)(v, "a", 3) }, said{buy: 1, amount: 3}},
		"a gap after the last click": {nil, func(v *visits) { at(125)(v, "a", 3) }, said{buy: 1, amount: 3}},
		"later":                      {nil, func(v *visits) { at(126)(v, "a", 3) }, said{}},
		"with the first click":       {nil, func(v *visits) { at(50)(v, "a", 3) }, said{buy: 1, amount: 3}},
		"before the first click":     {nil, func(v *visits) { at(49)(v, "a", 3) }, said{}},
		"of another visitor":         {nil, func(v *visits) { at(60)(v, "b", 3) }, said{}},
		"deleted":                    {func(v *visits) { at(100)(v, "a", 3) }, func(v *visits) { at(100)(v, "a", 0) }, said{}},
		"with another value":         {func(v *visits) { at(100)(v, "a", 3) }, func(v *visits) { at(100)(v, "a", 4) }, said{buy: 1, amount: 4}},
		"moved to the visitor":       {func(v *visits) { at(100)(v, "b", 3) }, func(v *visits) { at(100)(v, "a", 3) }, said{buy: 1, amount: 3}},
		"moved from the visitor":     {func(v *visits) { at(100)(v, "a", 3) }, func(v *visits) { at(100)(v, "b", 3) }, said{}},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
			v.clickAt(50, 70, 95)
			if c.before != nil {
				c.before(v)
			}
			v.processAll(v.queued)
			v.queued = nil
			v.setNow(noon.Add(30 * time.Hour))
			v.sweepAll()
			c.late(v)
			if report := v.processAll(v.queued); report.Walks != 1 {
				t.Errorf("%d walks, want one", report.Walks)
			}
			for hour := range 4 {
				v.check(noon.Add(time.Duration(hour) * time.Hour))
			}
			got := saidBy(&v.row(tier.Hour, noon.String()).Fold)
			c.want.begun = 1
			c.want.views = 3
			c.want.duration = 2_700_000
			c.want.stay = 1
			if got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// A late click that is delivered again changes nothing in its own hour, also where rows around it are about
// to lose their sources. The row of the hour in which its session began is always written.
func TestSessions_ARepeatedLateClickLeavesTheRowOfItsHour(t *testing.T) {
	v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
	for _, c := range []struct {
		minute int
		who    string
	}{{-10, "a"}, {10, "a"}, {20, "b"}} {
		v.setNow(noon.Add(time.Duration(c.minute) * time.Minute))
		v.change(v.now(), c.who, "/")
	}
	changes := v.queued
	v.processAll(changes)
	v.setNow(noon.Add(24 * time.Hour))
	v.sweepAll()
	before, eleven := v.row(tier.Hour, noon.String()), noon.Add(-time.Hour).String()
	first := v.row(tier.Hour, eleven)
	v.setNow(noon.Add(30*tier.Day24 - 5*time.Hour))
	if report := v.processAll(changes[1:2]); report.Walks != 1 || before == nil ||
		v.row(tier.Hour, noon.String()).Rev != before.Rev {
		t.Errorf("%d walks, row %+v; want one, and the row as it was: %+v", report.Walks,
			v.row(tier.Hour, noon.String()), before)
	}
	if after := v.row(tier.Hour, eleven); first == nil || after.Rev == first.Rev {
		t.Errorf("the row of the hour before was not written: %+v", after)
	}
}

// The counts include the invalidations of sessions that go on after their hour has closed.
func TestSessions_InvalidationsOfSessionsThatGoOnAreCounted(t *testing.T) {
	v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
	v.clickAt(50, 75, 94)
	v.processAll(v.queued)
	v.setNow(noon.Add(97 * time.Minute))
	table := &putting{store: v.table}
	v.on(table)
	report := v.sweep()
	if row := v.row(tier.Hour, noon.String()); row == nil || row.Continuation.Settles <= v.now() {
		t.Fatalf("the session does not go on: %+v", row)
	}
	if report.Invalidations != table.puts {
		t.Errorf("%d invalidations, want %d", report.Invalidations, table.puts)
	}
}

// Two late clicks belong to a session of an hour before, whose row cannot be written: none of the changes
// from the first one on may be acknowledged, whichever of them is the earlier click.
func TestSessions_AFailureIsThatOfTheFirstLateChangeOfItsHour(t *testing.T) {
	for _, late := range [][]int{{100, 120}, {120, 100}} {
		v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
		v.clickAt(50, 75)
		v.processAll(v.queued)
		v.setNow(noon.Add(30 * time.Hour))
		v.sweepAll()
		v.queued = nil
		for _, minute := range late {
			v.change(noon.Add(time.Duration(minute)*time.Minute), "a", "/")
		}
		v.agg.Limits.Attempts = 2
		v.on(&throttledHour{store: v.table, start: noon})
		report := v.agg.Process(v.ctx(), v.queued)
		if len(report.Failures) == 0 || report.Failures[0].Change != 0 {
			t.Errorf("late clicks at minutes %v: failures %v, want one of the first change", late, report.Failures)
		}
	}
}

// Only the hour in which a session began waits for its end: its day is recomputed after it.
func TestSessions_ADayHasNoInvalidationOfSessionsThatGoOn(t *testing.T) {
	v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
	midnight := at("2026-03-11T00:00:00Z")
	for _, minute := range []int{-10, 15, 34} {
		v.setNow(midnight.Add(time.Duration(minute) * time.Minute))
		v.change(v.now(), "a", "/")
	}
	v.processAll(v.queued)
	v.setNow(midnight.Add(37 * time.Minute))
	v.sweep()
	hours := 0
	for _, i := range v.world.queue() {
		if i.Key.Start < midnight && i.Key.Tier == tier.Day.String() {
			t.Errorf("the day has an invalidation: %+v", i)
		} else if i.Key.Start == midnight.Add(-time.Hour) {
			hours++
		}
	}
	if row := v.row(tier.Day, noon.String()); !exists(row) || hours != 1 {
		t.Errorf("%d invalidations of the hour, the day is %+v; want one, and a row", hours, row)
	}
}

// The sessions of an hour end while their invalidation is put: what was read before may be swept already, so
// the hour is read again.
func TestSessions_AnHourIsReadAgainIfItsSessionsEndDuringThePut(t *testing.T) {
	for after, views := range map[time.Duration]int64{-time.Millisecond: 3, 0: 4} {
		v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
		v.clickAt(50, 75, 94)
		v.processAll(v.queued)
		v.setNow(noon.Add(97 * time.Minute))
		v.sweep()
		settles := v.row(tier.Hour, noon.String()).Continuation.Settles
		v.lose()
		v.setNow(noon.Add(97 * time.Minute))
		v.on(&putting{store: v.table, after: func() {
			v.change(noon.Add(95*time.Minute), "a", "/")
			v.setNow(settles.Add(after))
		}})
		v.agg.Recompute(v.ctx(), []aggregate.Target{{Series: v.click.Series("site", "", model.Order{}),
			At: noon.Add(50 * time.Minute)}}, aggregate.RepairOptions{})
		if got := saidBy(&v.row(tier.Hour, noon.String()).Fold).views; got != views {
			t.Errorf("the put ends %s after the sessions: %d views, want %d", after, got, views)
		}
	}
}

// The counts of a sweep of sessions, with the rows around an hour whose sources are about to expire, are the
// numbers of requests that the table receives.
func TestSessions_TheirRequestsAreCounted(t *testing.T) {
	v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
	v.clickAt(1, 30, 55, 80)
	v.processAll(v.queued)
	table := &countedRequests{batched: batched{store: v.table}}
	v.on(table)
	v.setNow(noon.Add(30*tier.Day24 - 29*time.Minute))
	if r := v.sweep(); int64(r.Reads) != table.n.Load() || int64(r.Invalidations) != table.puts.Load() ||
		r.Reads < 8 {
		t.Errorf("%d reads and %d invalidations, want %d (8 or more) and %d", r.Reads, r.Invalidations,
			table.n.Load(), table.puts.Load())
	}
}

// consistentOnly fails the test at a read of a page that may be out of date.
type consistentOnly struct{ store }

var errStale = errors.New("the read is not consistent")

func (c consistentOnly) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	if !r.Consistent {
		return storage.EventPage{}, errStale
	}
	return c.store.Events(ctx, r)
}

func (c consistentOnly) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	if !r.Consistent {
		return rollup.RowPage{}, errStale
	}
	return c.store.Rows(ctx, unit, r)
}

// recordedReads records from when events are read.
type recordedReads struct {
	store
	from []model.Time
}

func (r *recordedReads) Events(ctx context.Context, q storage.Range) (storage.EventPage, error) {
	r.from = append(r.from, q.From)
	return r.store.Events(ctx, q)
}

// A walk reads back until the chain of its visitor has begun, twice as far each time, and no further.
func TestSessions_AWalkReadsNoFurtherThanItsChain(t *testing.T) {
	for name, c := range map[string]struct {
		minutes []int // of clicks after noon
		late    int
		want    []int // minutes from which events are read, and then the minutes of the first bucket
	}{
		"alone":                              {nil, 110, []int{80, 30}},
		"a click a gap before":               {[]int{80}, 110, []int{80, 50, 30}},
		"a chain that begins in the first":   {[]int{110}, 115, []int{85, 55, 30}},
		"a chain to noon":                    {[]int{0, 25, 50, 75, 100}, 110, []int{80, 50, -10, -130, 30}},
		"a chain that ends before the click": {[]int{0, 25, 50}, 110, []int{80, 30}},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
			v.clickAt(c.minutes...)
			v.setNow(noon.Add(30 * time.Hour))
			v.sweep()
			v.queued = nil
			v.change(noon.Add(time.Duration(c.late)*time.Minute), "a", "/")
			reads := &recordedReads{store: v.table}
			v.on(reads)
			v.agg.Limits.Concurrency = 1 // one bucket after the other
			v.agg.Process(t.Context(), v.queued)
			var got []int
			for _, from := range slices.Compact(reads.from) { // a series has two shards
				got = append(got, int(from.Sub(noon)/time.Minute))
			}
			got = got[:min(len(c.want), len(got))]
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\nall reads: %v", diff, reads.from)
			}
		})
	}
}

// A late click may continue the session of the next hour, within the gap and at its very end. If the
// sources of that hour may have expired, its row cannot be folded again and becomes inexact. All is
// read strongly consistent.
func TestSessions_TheNextHourWithinAGapIsInexact(t *testing.T) {
	for minute, exact := range map[int]bool{28: true, 29: true, 30: false, 31: false, 59: false} {
		v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
		v.on(consistentOnly{&paged{store: v.table, limit: 1}})
		v.setNow(noon.Add(time.Hour))
		v.change(v.now(), "a", "/")
		v.processAll(v.queued)
		v.setNow(noon.Add(24 * time.Hour))
		v.sweep()
		v.setNow(noon.Add(61*time.Minute + 30*tier.Day24))
		if n := v.table.Expire(v.now()); n != 1 {
			t.Fatalf("%d clicks expired, want one", n)
		}
		v.queued, v.seen = nil, v.seen+uint64(len(v.table.Records(v.seen)))
		v.change(noon.Add(time.Duration(minute)*time.Minute), "a", "/")
		v.processAll(v.queued)
		if row := v.row(tier.Hour, "2026-03-10T13:00:00Z"); row == nil || row.Exact != exact {
			t.Errorf("a click at minute %d: the next hour is %+v, want exact %v", minute, row, exact)
		}
	}
}

// The row of an hour can be folded, but the hour before is about to lose its first click: if
// its last session may go on into this hour, what is folded now may miss its beginning.
func TestSessions_AnHourIsInexactIfASessionFromASealedHourMayReachIt(t *testing.T) {
	for name, c := range map[string]struct {
		minutes []int // of clicks after noon
		exact   bool
	}{
		"a session over the hour":            {[]int{1, 30, 55, 80}, false},
		"the last click half an hour before": {[]int{1, 30, 80}, false},
		"the last click longer before":       {[]int{1, 29, 80}, true},
		"no click in the hour before":        {[]int{80}, true},
		"an hour before that is not sealed":  {[]int{50, 90}, true},
	} {
		v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
		v.clickAt(c.minutes...)
		v.processAll(v.queued)
		v.queued = nil
		v.setNow(noon.Add(24 * time.Hour))
		v.sweep()
		v.on(&paged{store: v.table, limit: 1})
		v.setNow(noon.Add(30*tier.Day24 - 29*time.Minute)) // the click at 12:01 expires in half an hour
		v.change(noon.Add(85*time.Minute), "a", "/")
		v.processAll(v.queued)
		row := v.row(tier.Hour, "2026-03-10T13:00:00Z")
		if row == nil || row.Empty || row.Exact != c.exact || c.exact && saidBy(&row.Fold).views != 2 {
			t.Errorf("%s: %+v, want a row, exact %v", name, row, c.exact)
		}
	}
}

// Late changes of one batch come in any order and lie in different sessions: each is walked.
func TestSessions_LateChangesInAnyOrderAreEachWalked(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}} {
		v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
		for _, c := range []struct {
			minute int
			who    string
		}{{10, "b"}, {35, "b"}, {100, "a"}, {115, "a"}, {220, "a"}, {235, "a"}} {
			v.setNow(noon.Add(time.Duration(c.minute) * time.Minute))
			v.change(v.now(), c.who, "/")
		}
		v.processAll(v.queued)
		v.queued = nil
		v.setNow(noon.Add(30 * time.Hour))
		v.sweep()
		late := []func(){
			func() { v.change(noon.Add(60*time.Minute), "b", "/") },
			func() { v.change(noon.Add(140*time.Minute), "a", "/") },
			func() { v.change(noon.Add(260*time.Minute), "a", "/") },
		}
		for _, i := range order {
			late[i]()
		}
		if report := v.processAll(v.queued); report.Walks != 3 {
			t.Errorf("order %v: %d walks, want three", order, report.Walks)
		}
		for hour := range 5 {
			v.check(noon.Add(time.Duration(hour) * time.Hour))
		}
	}
}

// Late clicks of two sites in one batch are walked apart, each among the clicks of its site.
func TestSessions_LateClicksOfTwoSitesAreEachWalked(t *testing.T) {
	v, sites := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0), []string{"other", "site"}
	for i, minute := range []int{50, 75, 110, 130} {
		v.setNow(noon.Add(time.Duration(minute) * time.Minute))
		v.at(sites[i/2])
		v.change(v.now(), "a", "/")
	}
	v.processAll(v.queued)
	v.queued = nil
	v.setNow(noon.Add(30 * time.Hour))
	v.sweepAll()
	for i, site := range sites {
		v.at(site)
		v.change(noon.Add(time.Duration(100+50*i)*time.Minute), "a", "/")
	}
	if report := v.processAll(v.queued); report.Walks != 2 {
		t.Errorf("%d walks, want two", report.Walks)
	}
	for _, site := range sites {
		v.at(site)
		for hour := range 3 {
			v.check(noon.Add(time.Duration(hour) * time.Hour))
		}
	}
}

// The list has the series of sessions as soon as an event of which they are folded, not for an event
// that may only meet a goal.
func TestSessions_AreListedWithTheirFirstEvent(t *testing.T) {
	v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
	v.setNow(noon)
	v.changeBuy(noon, "1", "a", 5)
	v.processAll(v.queued)
	if _, listed := v.listed()[v.series]; listed {
		t.Error("an event of a goal lists the sessions")
	}
	v.queued = nil
	v.change(noon, "a", "/")
	v.processAll(v.queued)
	if l := v.listed()[v.series]; l.First != noon || l.Last != noon {
		t.Errorf("listed %+v, want the hour of the click", l)
	}
}

// The row of a bucket whose last event was deleted is empty, and nothing that needs attention.
func TestProcess_AnEmptyRowNeedsNoAttention(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.process()
	w.delete(order(ten, ""))
	if r := w.process(); r.Oversize != 0 || len(r.Notes) != 0 || r.Written != 3 || !w.row(tier.Hour, ten).Empty {
		t.Errorf("%+v, notes %v; want three empty rows", r.Counts, r.Notes)
	}
}

// beforeRow calls do once, before it writes the row of a bucket.
type beforeRow struct {
	store
	start model.Time
	do    func()
}

func (b *beforeRow) PutRow(ctx context.Context, row *rollup.Row,
	prev rollup.Rev) (storage.WriteResult, error) {
	if do := b.do; row.Key.Start == b.start && row.Key.Tier == tier.Hour.String() && do != nil {
		b.do = nil
		do()
	}
	return b.store.PutRow(ctx, row, prev)
}

// A late click prolongs a session that another late click has just prolonged, whose row is folded but not yet
// written: the row does not reach the second click, but the clicks do.
func TestSessions_AWalkFollowsClicksThatNoRowReachesYet(t *testing.T) {
	v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
	v.setNow(noon.Add(50 * time.Minute))
	v.change(v.now(), "a", "/")
	v.processAll(v.queued)
	v.setNow(noon.Add(30 * time.Hour))
	v.sweep()
	v.queued = nil
	v.change(noon.Add(75*time.Minute), "a", "/")
	first := v.queued
	second := 0
	concurrent := v.skewed(v.table)
	v.on(&beforeRow{store: v.table, start: noon, do: func() {
		v.queued = nil
		v.change(noon.Add(100*time.Minute), "a", "/")
		second = concurrent.Process(t.Context(), v.queued).Walks
	}})
	if report := v.agg.Process(t.Context(), first); report.Walks != 1 || second != 1 ||
		len(report.Failures) > 0 {
		t.Errorf("%d and %d walks, failures %v; want one of each click", report.Walks, second, report.Failures)
	}
	for hour := range 3 {
		v.check(noon.Add(time.Duration(hour) * time.Hour))
	}
	if got := saidBy(&v.row(tier.Hour, noon.String()).Fold); got.views != 3 {
		t.Errorf("the session of noon has %d views, want 3", got.views)
	}
}
