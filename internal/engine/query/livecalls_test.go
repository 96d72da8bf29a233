package query_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
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

const noon = "2026-03-10T12:00:00Z"

// liveGauge is a kind of which the tiers from a level on are deferred.
func liveGauge(from int) catalog.Kind {
	policy := tier.Standard()
	for level := from; level < len(policy.Tiers); level++ {
		policy.Tiers[level].Deferred, policy.Tiers[level].Grace = true, time.Duration(level)*time.Minute
	}
	policy.Jitter = 10 * time.Minute
	return catalog.Kind{
		Name: "GAUGE", Subject: catalog.SubjectType{Name: "DEVICE"}, Retention: policy,
		Measures: []rollup.MeasureSpec{{Name: "value", Scale: 3, Percentiles: true}},
	}
}

// liveWorld is a table in memory with an aggregator and a reader, all by one clock.
type liveWorld struct {
	t      testingT
	now    model.Time
	kind   *catalog.Kind
	series model.Series
	table  *memory.Table
	reads  *counter
	agg    *aggregate.Aggregator
	live   *query.Live
	query  *query.Service
	seen   uint64
	puts   int
	events map[model.Order]model.Event // those stored
}

func newLiveWorld(t testingT, kind catalog.Kind) *liveWorld {
	t.Helper()
	kinds, err := catalog.New(kind)
	if err != nil {
		t.Fatalf("catalog: %v", err)
	}
	w := &liveWorld{t: t, now: at(noon), kind: &kinds.Kinds[0], events: map[model.Order]model.Event{}}
	clock := func() model.Time { return w.now }
	w.series = w.kind.Series("d1", "", model.Order{})
	w.table = memory.New(clock)
	w.reads = &counter{Table: w.table}
	w.agg = &aggregate.Aggregator{Store: w.table, QuarantineStore: w.table, Catalog: kinds, Now: clock}
	w.live = &query.Live{Store: w.reads, Watermarks: w.reads, Kind: query.CatalogKinds(kinds), Now: clock}
	w.query = &query.Service{Store: w.live, Now: clock, CursorKey: []byte("a key for tests only")}
	return w
}

// counter counts requests, and can make pages small. It is safe for concurrent use while it counts.
type counter struct {
	*memory.Table
	pageItems int // of a page without a limit; 0 means the table's

	mu                   sync.Mutex // guards what follows
	events, rows, sweeps int
	consistent           []bool
}

// count adds one request to a number.
func (c *counter) count(n *int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*n++
}

// read is count for a read that may be consistent.
func (c *counter) read(n *int, consistent bool) {
	c.count(n)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.consistent = append(c.consistent, consistent)
}

func (c *counter) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	c.read(&c.events, r.Consistent)
	if r.Limit == 0 {
		r.Limit = c.pageItems
	}
	return c.Table.Events(ctx, r)
}

func (c *counter) Rows(ctx context.Context, u tier.Unit, r storage.Range) (rollup.RowPage, error) {
	c.read(&c.rows, r.Consistent)
	if r.Limit == 0 {
		r.Limit = c.pageItems
	}
	return c.Table.Rows(ctx, u, r)
}

func (c *counter) Sweeps(ctx context.Context) (storage.LowWatermarks, error) {
	c.count(&c.sweeps)
	return c.Table.Sweeps(ctx)
}

func (w *liveWorld) put(when model.Time, value int64, more ...model.Attr) {
	w.t.Helper()
	w.puts++
	order := model.Order{At: when, ID: fmt.Sprint(w.puts)}
	attrs := model.Attrs{{Name: "value", Value: model.NumberValue(model.NewDecimal(value))}}
	attrs = append(attrs, more...)
	slices.SortFunc(attrs, func(a, b model.Attr) int { return strings.Compare(a.Name, b.Name) })
	e := model.Event{
		Series: w.series, Order: order, Attrs: attrs, Hash: model.HashAttrs(attrs),
		ArrivedAt: w.now, ExpiresAt: w.kind.Retention.EventExpiresAt(w.now),
	}
	if stored, err := w.table.Put(context.Background(), e); err != nil || stored.Result != storage.Written {
		w.t.Fatalf("put %s: %v, %v", when, stored.Result, err)
	}
	w.events[order] = e
}

func (w *liveWorld) delete(o model.Order) {
	w.t.Helper()
	result, err := w.table.DeleteEvent(context.Background(), model.EventKey{Series: w.series, Order: o}, w.now)
	if err != nil || result != storage.Written {
		w.t.Fatalf("delete: %v, %v", result, err)
	}
	delete(w.events, o)
}

func (w *liveWorld) process() {
	w.t.Helper()
	var changes []storage.Change
	records := w.table.Records(w.seen)
	w.seen += uint64(len(records))
	for _, r := range records {
		if key, err := keys.ParseEvent(r.Keys); err == nil {
			what := map[string]storage.ChangeType{memory.Insert: storage.Inserted, memory.Modify: storage.Corrected,
				memory.Remove: storage.Deleted}[r.Name]
			changes = append(changes, storage.Change{Type: what, Key: key, Seq: fmt.Sprint(r.Seq), At: r.At})
		}
	}
	if report := w.agg.Process(context.Background(), changes); len(report.Failures) > 0 {
		w.t.Fatalf("process: %v", report.Failures)
	}
}

func (w *liveWorld) sweep() {
	w.t.Helper()
	report, err := w.agg.Sweep(context.Background(), storage.FirstGeneration.Shard(w.series))
	if err != nil || len(report.Failures) > 0 {
		w.t.Fatalf("sweep: %v, %v", err, report.Failures)
	}
}

// rollups reads all rollups of a tier, page by page.
func (w *liveWorld) rollups(unit tier.Unit, newest bool, limit int) (all []query.Rollup) {
	w.t.Helper()
	q := query.Rollups{Series: query.Series{Kind: w.kind, Subject: "d1"}, Unit: unit, From: model.MinTime,
		To: model.MaxTime + 1, Newest: newest, Limit: limit}
	for {
		page, err := w.query.Rollups(context.Background(), q)
		if err != nil {
			w.t.Fatalf("rollups: %v", err)
		}
		if all = append(all, page.Rollups...); page.Next == "" {
			return all
		}
		q.Cursor = page.Next
	}
}

// recount folds the stored events into the buckets of a unit, and shares no code with the
// reader but the sums.
func (w *liveWorld) recount(unit tier.Unit) map[model.Time]*rollup.Fold {
	all := map[model.Time]*rollup.Fold{}
	for _, e := range w.events {
		start := unit.BucketAt(e.At).Start
		if all[start] == nil {
			all[start] = rollup.NewFold(w.kind.Spec())
		}
		all[start].AddEvent(&e)
	}
	return all
}

// want fails unless the rollups are the recount, each bucket once and in order.
func (w *liveWorld) want(unit tier.Unit, newest bool, limit int) {
	w.t.Helper()
	found, counted := w.rollups(unit, newest, limit), w.recount(unit)
	var starts []model.Time
	for _, r := range found {
		starts = append(starts, r.Bucket.Start)
		want := counted[r.Bucket.Start]
		if want == nil {
			w.t.Fatalf("%s %s has %d events, want none", unit, r.Bucket.Start, r.Summary.Events())
		}
		if r.Digest != want.Digest || r.Summary.Events() != want.Summary.Events() ||
			string(r.Summary.Encode(nil)) != string(want.Summary.Encode(nil)) || !r.Exact {
			w.t.Fatalf("%s %s: %d events exact %v, want %d", unit, r.Bucket.Start, r.Summary.Events(), r.Exact,
				want.Summary.Events())
		}
	}
	if newest {
		slices.Reverse(starts)
	}
	if len(starts) != len(counted) || !slices.IsSorted(starts) || len(slices.Compact(starts)) != len(found) {
		w.t.Fatalf("%s: buckets %v, want %d", unit, starts, len(counted))
	}
}

// After every change was processed, a reader finds the recount of the stored events in
// each bucket of each tier, whatever was swept and in whatever pages it reads. In open
// buckets it finds that also before the changes are processed.
func TestLive_AreTheRecountAtAnyTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newLiveWorld(t, liveGauge(rapid.IntRange(0, 2).Draw(t, "deferred from")))
		w.reads.pageItems = rapid.IntRange(0, 3).Draw(t, "items in a page")
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			w.now = w.now.Add(time.Duration(rapid.IntRange(0, 50).Draw(t, "minutes go by")) * time.Minute)
			for range rapid.IntRange(0, 3).Draw(t, "events") {
				ago := time.Duration(
					rapid.SampledFrom([]int{0, 1, 10, 70, 300, 3000}).Draw(t, "minutes ago")) * time.Minute
				w.put(w.now.Add(-ago), rapid.Int64Range(-99, 99).Draw(t, "value"))
			}
			if orders := w.orders(); len(orders) > 0 && rapid.IntRange(0, 3).Draw(t, "delete") == 0 {
				w.delete(rapid.SampledFrom(orders).Draw(t, "deleted"))
			}
			w.process()
			if rapid.Bool().Draw(t, "sweep") {
				w.sweep()
			}
			for _, unit := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
				w.want(unit, rapid.Bool().Draw(t, "newest"), rapid.IntRange(0, 3).Draw(t, "limit"))
			}
		}
	})
}

func (w *liveWorld) orders() (all []model.Order) {
	for o := range w.events {
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b model.Order) int {
		return strings.Compare(a.At.String()+a.ID, b.At.String()+b.ID)
	})
	return all
}

func TestLive_OpenBucketHasAnEventThatIsNotProcessed(t *testing.T) {
	w := newLiveWorld(t, liveGauge(0))
	w.sweep()
	w.put(at("2026-03-10T11:59:00Z"), 7)
	for _, unit := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
		w.want(unit, false, 0)
	}
}

// A read says how many events it folded: of an open hour all, of a closed one none.
func TestLive_SaysHowManyEventsItFolded(t *testing.T) {
	w := newLiveWorld(t, liveGauge(0))
	var folded []string
	w.live.Folded = func(kind string, events int) { folded = append(folded, fmt.Sprint(kind, " ", events)) }
	w.sweep()
	w.rollups(tier.Hour, false, 0)
	if len(folded) > 0 {
		t.Errorf("%v of no events", folded)
	}
	for i := range 5 {
		w.put(at("2026-03-10T11:59:00Z"), int64(i))
	}
	w.rollups(tier.Day, false, 0)
	if want := []string{"GAUGE 5"}; !slices.Equal(folded, want) {
		t.Errorf("a read of the open hour folded %v, want %v", folded, want)
	}
	w.process()
	w.now = w.now.Add(3 * time.Hour)
	w.sweep()
	folded = nil
	w.rollups(tier.Hour, false, 0)
	if len(folded) > 0 {
		t.Errorf("a read of the closed hour folded %v", folded)
	}
}

// A stored row of an open bucket is left from a time before its tier was deferred. It may
// miss changes, so it is ignored.
func TestLive_IgnoresTheRowOfAnOpenBucket(t *testing.T) {
	w := newLiveWorld(t, liveGauge(0))
	before := newLiveWorld(t, liveGauge(3))
	w.agg.Catalog = before.agg.Catalog
	w.put(at("2026-03-10T11:59:00Z"), 7)
	w.process()
	w.put(at("2026-03-10T11:59:00Z"), 8)
	w.want(tier.Hour, false, 0)
	w.want(tier.Month, true, 0)
}

func TestLive_ImmediateTiersAreReadAsBefore(t *testing.T) {
	w := newLiveWorld(t, liveGauge(3))
	w.put(at("2026-03-10T11:59:00Z"), 7)
	w.process()
	for _, unit := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
		w.want(unit, false, 0)
	}
	if w.reads.rows != 3 || w.reads.events != 0 || w.reads.sweeps != 0 {
		t.Errorf("%d reads of rows, %d of events, %d of watermarks; want 3, 0, 0", w.reads.rows, w.reads.events,
			w.reads.sweeps)
	}
}

// One open day costs one read of its settled hours and one of the events of the others.
func TestLive_RequestsOfAnOpenDay(t *testing.T) {
	w := newLiveWorld(t, liveGauge(0))
	for hour := range 12 {
		w.put(at("2026-03-10T00:30:00Z").Add(time.Duration(hour)*time.Hour), 1)
	}
	w.process()
	w.sweep()
	w.want(tier.Day, false, 0)
	*w.reads = counter{Table: w.table}
	w.want(tier.Day, false, 0)
	if w.reads.rows != 2 || w.reads.events != 1 || w.reads.sweeps != 0 {
		t.Errorf("%d reads of rows, %d of events, %d of watermarks; want 2, 1, 0", w.reads.rows, w.reads.events,
			w.reads.sweeps)
	}
	w.now = w.now.Add(11 * time.Second)
	w.want(tier.Day, false, 0)
	if w.reads.sweeps != 1 {
		t.Errorf("%d reads of watermarks after 11 s, want 1", w.reads.sweeps)
	}
}

// Rows that end at the low watermark are always read consistently: the row of a bucket
// that has just been swept must not be missing from both parts.
func TestLive_ReadsRowsUpToTheWatermarkConsistentlyAndEventsAsRequested(t *testing.T) {
	w := newLiveWorld(t, liveGauge(0))
	w.put(at("2026-03-10T11:59:00Z"), 7)
	w.sweep()
	for _, consistent := range []bool{false, true} {
		w.reads.consistent = nil
		if _, err := w.live.Rows(context.Background(), tier.Month, storage.Range{Series: w.series,
			From: model.MinTime, To: model.MaxTime, Consistent: consistent}); err != nil {
			t.Fatal(err)
		}
		if want := []bool{true, true, true, consistent}; !slices.Equal(w.reads.consistent, want) {
			t.Errorf("reads of months, days, hours and events are consistent %v, want %v", w.reads.consistent, want)
		}
	}
}

// A range that ends where the open buckets begin has the row of a bucket that may just have been swept.
func TestLive_RangeEndingAtTheWatermarkIsReadConsistently(t *testing.T) {
	w := newLiveWorld(t, liveGauge(0))
	w.put(at("2026-03-10T10:30:00Z"), 7)
	w.sweep() // hours are open from 11:00
	for to, consistent := range map[string]bool{"2026-03-10T10:00:00Z": false, "2026-03-10T11:00:00Z": true} {
		for _, newest := range []bool{false, true} {
			w.reads.consistent = nil
			r := storage.Range{Series: w.series, From: at("2026-03-10T09:00:00Z"), To: at(to), Newest: newest}
			if _, err := w.live.Rows(context.Background(), tier.Hour, r); err != nil {
				t.Fatal(err)
			}
			if len(w.reads.consistent) != 1 || w.reads.consistent[0] != consistent {
				t.Errorf("to %s, newest %v: reads are consistent %v, want one, %v", to, newest, w.reads.consistent,
					consistent)
			}
		}
	}
}

// An invalidation that a sweep could not work off holds the watermark a millisecond before the hour closes.
func TestLive_FoldsTheHourThatASweepHasLeft(t *testing.T) {
	w := newLiveWorld(t, liveGauge(0))
	w.put(at("2026-03-10T10:30:00Z"), 7)
	hour := tier.Hour.BucketAt(at("2026-03-10T10:00:00Z"))
	closes := w.kind.Retention.ClosesAt(0, hour, w.series)
	shard := storage.FirstGeneration.Shard(w.series)
	if _, err := w.table.AdvanceSweep(context.Background(), shard, closes-1); err != nil {
		t.Fatal(err)
	}
	if rows := w.rollups(tier.Hour, false, 0); len(rows) != 1 || rows[0].Summary.Events() != 1 {
		t.Errorf("%d rollups, want the hour that has no row", len(rows))
	}
}

// An hour of 3,600 events of about 500 bytes has more than one page of 1 MB.
func TestLive_FoldsAnHourOfSeveralPages(t *testing.T) {
	w := newLiveWorld(t, liveGauge(0))
	for second := range 3600 {
		note := model.Attr{Name: "note", Value: model.TextValue(strings.Repeat("x", 500))}
		w.put(at("2026-03-10T11:00:00Z").Add(time.Duration(second)*time.Second), int64(second), note)
	}
	w.put(at("2026-03-10T12:00:00Z"), 1)
	for _, newest := range []bool{false, true} {
		w.reads.events = 0
		w.want(tier.Hour, newest, 0)
		if w.reads.events < 2 {
			t.Errorf("%d reads of events, want several pages", w.reads.events)
		}
		w.want(tier.Hour, newest, 1)
	}
}

// A bucket that no sweep has settled before its first event may expire is not exact.
func TestLive_StaleFoldIsInexact(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		exact bool
	}{{30*tier.Day24 - 66*time.Minute, true}, {30*tier.Day24 - 65*time.Minute, false}} {
		w := newLiveWorld(t, liveGauge(0))
		w.put(at(noon), 7)
		w.now = at(noon).Add(c.after)
		for _, r := range w.rollups(tier.Hour, false, 0) {
			if r.Exact != c.exact {
				t.Errorf("%s after its start the hour is exact: %v, want %v", c.after, r.Exact, c.exact)
			}
		}
	}
}

// failing fails every request after the first n.
type failing struct {
	*memory.Table
	n int
}

var errLost = errors.New("connection lost")

func (f *failing) fail() error {
	if f.n--; f.n < 0 {
		return errLost
	}
	return nil
}

func (f *failing) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	if err := f.fail(); err != nil {
		return storage.EventPage{}, err
	}
	return f.Table.Events(ctx, r)
}

func (f *failing) Rows(ctx context.Context, u tier.Unit, r storage.Range) (rollup.RowPage, error) {
	if err := f.fail(); err != nil {
		return rollup.RowPage{}, err
	}
	return f.Table.Rows(ctx, u, r)
}

func (f *failing) Sweeps(ctx context.Context) (storage.LowWatermarks, error) {
	if err := f.fail(); err != nil {
		return storage.LowWatermarks{}, err
	}
	return f.Table.Sweeps(ctx)
}

// A day is read by four requests: the watermarks, days, hours and events.
func TestLive_ReturnsTheErrorOfEachRequest(t *testing.T) {
	w := newLiveWorld(t, liveGauge(0))
	w.put(at("2026-03-10T11:59:00Z"), 7)
	w.sweep()
	for n := range 5 {
		table := &failing{w.table, n}
		s := &query.Live{Store: table, Watermarks: table, Kind: query.CatalogKinds(w.agg.Catalog),
			Now: func() model.Time { return w.now }}
		page, err := s.Rows(context.Background(), tier.Day,
			storage.Range{Series: w.series, From: model.MinTime, To: model.MaxTime})
		if failed := n < 4; failed != errors.Is(err, errLost) || failed == (len(page.Rows) == 1) {
			t.Errorf("after %d requests: %d rows, %v", n, len(page.Rows), err)
		}
	}
}

func TestLive_PagesAndChartsSayUntilWhenTheyAreSettled(t *testing.T) {
	for from, deferred := range map[int]bool{0: true, 3: false} {
		w := newLiveWorld(t, liveGauge(from))
		w.put(at("2026-03-10T11:59:00Z"), 7)
		w.process()
		w.sweep()
		q := query.Rollups{Series: query.Series{Kind: w.kind, Subject: "d1"}, Unit: tier.Hour,
			From: at("2026-03-10T00:00:00Z"), To: at("2026-03-11T00:00:00Z")}
		page, err := w.query.Rollups(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		curve, err := w.query.Chart(context.Background(), query.Chart{Rollups: q})
		if err != nil {
			t.Fatal(err)
		}
		for _, through := range []*model.Time{page.CompleteThrough, curve.CompleteThrough} {
			if (through != nil) != deferred || deferred && *through != at("2026-03-10T11:58:00Z") {
				t.Errorf("deferred %v: complete through %v", deferred, through)
			}
		}
	}
}
