package aggregate_test

import (
	"context"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func TestCounts_AddSumsEveryField(t *testing.T) {
	var sum, one aggregate.Counts
	fields := reflect.ValueOf(&one).Elem()
	for i := range fields.NumField() {
		fields.Field(i).SetInt(int64(i + 1))
	}
	sum.Add(&one)
	sum.Add(&one)
	for i := range fields.NumField() {
		if got := reflect.ValueOf(sum).Field(i).Int(); got != 2*int64(i+1) {
			t.Errorf("%s is %d, want %d", fields.Type().Field(i).Name, got, 2*(i+1))
		}
	}
}

// Each result of a write is counted, wherever it is written.
func TestProcess_CountsEachResultOfAPut(t *testing.T) {
	for result, want := range map[storage.WriteResult]aggregate.Counts{
		storage.Written:    {Invalidations: 1, InvalidationReads: 1},
		storage.Unknown:    {Invalidations: 2, InvalidationReads: 2, UnknownResults: 1},
		storage.Throttled:  {Invalidations: 2, InvalidationReads: 2, Throttled: 1},
		storage.Conflicted: {Invalidations: 2, InvalidationReads: 2, Throttled: 1},
	} {
		w := newWorldWith(t, deferred(gauge, 0))
		w.setNow(at(half))
		w.put(order(ten, ""), "1")
		w.on(&putting{store: w.table, result: result})
		r := w.process()
		want.Deferred, want.Listed = 1, r.Listed
		if r.Counts != want {
			t.Errorf("%s: %+v, want %+v", result, r.Counts, want)
		}
	}
}

// A fold of a latest item reads the item and the newest event, and writes once.
func TestFoldLatest_CountsItsRequests(t *testing.T) {
	process := func(latest catalog.LatestPolicy, results ...storage.WriteResult) aggregate.Counts {
		kind := gauge
		kind.Latest, kind.Retention = latest, tier.Standard()
		w := newWorldWith(t, kind)
		if len(results) > 0 {
			w.agg.Store = &foldFaults{store: w.table, results: results}
		}
		w.put(order(ten, ""), "1")
		return w.process().Counts
	}
	want := process(catalog.NoLatest)
	want.Reads, want.Writes = want.Reads+2, want.Writes+1
	if got := process(catalog.DerivedLatest); got != want {
		t.Errorf("%+v, want %+v: two reads and a write more than without a latest item", got, want)
	}
	want.Reads, want.UnknownResults = want.Reads+2, want.UnknownResults+1
	if got := process(catalog.DerivedLatest, storage.Unknown); got.UnknownResults != want.UnknownResults ||
		got.Reads != want.Reads {
		t.Errorf("a write without a response: %+v, want %+v", got, want)
	}
}

// readingEntries counts the reads of entries of the list of series. It is safe for concurrent use.
type readingEntries struct {
	store
	reads atomic.Int64
}

func (r *readingEntries) ReadItems(
	ctx context.Context, these []keys.Key, consistent bool,
) (map[keys.Key]item.Item, error) {
	for _, k := range these {
		if strings.HasPrefix(k.PK, tablekeys.ClassSeries) {
			r.reads.Add(1)
		}
	}
	return r.store.ReadItems(ctx, these, consistent)
}

// A process remembers the entries of all the series that it has listed, not only the last one.
func TestProcess_TheListIsReadOnceForEachSeries(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	entries := &readingEntries{store: w.table}
	w.on(entries)
	for i := range 12 {
		e := w.event(model.Order{At: at(ten).Add(1), ID: string(rune('a' + i))}, "1")
		e.Series = w.kind.Series([]string{"d1", "d2", "d3"}[i%3], "", model.Order{})
		if _, err := w.table.Put(w.ctx(), e); err != nil {
			t.Fatal(err)
		}
		w.process()
	}
	if entries.reads.Load() != 3 {
		t.Errorf("%d reads of the list for three series, want 3", entries.reads.Load())
	}
	w.agg = w.process2(0, entries) // finds that the series are listed
	for range 3 {
		w.processAll(decodeChanges(w.table.Records(0)))
	}
	if entries.reads.Load() != 6 {
		t.Errorf("%d reads of the list by two processes, want 3 of each", entries.reads.Load())
	}
}

// What a process remembers of the list is read again after a day: an entry that was purged meanwhile is then
// written.
func TestProcess_TheListIsReadAgainAfterADay(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	entries := &readingEntries{store: w.table}
	w.on(entries)
	for i, c := range []struct {
		later time.Duration
		want  int64
	}{{0, 1}, {24*time.Hour - time.Millisecond, 1}, {time.Millisecond, 2}} {
		w.advance(c.later)
		w.put(model.Order{At: at(ten), ID: string(rune('a' + i))}, "1")
		if w.process(); entries.reads.Load() != c.want {
			t.Errorf("event %d, at %s: %d reads, want %d", i, w.now(), entries.reads.Load(), c.want)
		}
	}
}

// A series that is spread over shards has one entry in the list.
func TestProcess_TheListIsReadOnceForAllShardsOfASeries(t *testing.T) {
	kind := gauge
	kind.Shards, kind.Latest = 8, catalog.NoLatest
	w := newWorldWith(t, kind)
	entries := &readingEntries{store: w.table}
	w.on(entries)
	w.agg.Limits.Concurrency = 1
	shards := map[int]bool{}
	for i := range 20 {
		o := model.Order{At: at(ten), ID: string(rune('a' + i))}
		w.series = w.kind.Series("d1", "", o)
		shards[w.series.Shard] = true
		w.put(o, "1")
	}
	if r := w.process(); len(shards) < 2 || r.Listed != 1 || entries.reads.Load() != 1 {
		t.Errorf("%d shards: the list is read %d times and written %d times, want once", len(shards),
			entries.reads.Load(), r.Listed)
	}
}

// countedRequests counts the reads of rows, events and invalidations, and the puts of invalidations.
type countedRequests struct {
	batched
	n, queueReads, puts atomic.Int64
}

func (c *countedRequests) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	c.n.Add(1)
	return c.store.Row(ctx, key)
}

func (c *countedRequests) ReadRows(ctx context.Context,
	keys []rollup.Key) (map[rollup.Key]*rollup.Row, error) {
	c.n.Add(1)
	return c.batched.ReadRows(ctx, keys)
}

func (c *countedRequests) Rows(ctx context.Context, u tier.Unit, r storage.Range) (rollup.RowPage, error) {
	c.n.Add(1)
	return c.store.Rows(ctx, u, r)
}

func (c *countedRequests) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	c.n.Add(1)
	return c.store.Events(ctx, r)
}

func (c *countedRequests) EachEvent(ctx context.Context, r storage.Range,
	do func(*model.Event)) (string, error) {
	c.n.Add(1)
	return c.batched.EachEvent(ctx, r, do)
}

func (c *countedRequests) Invalidations(
	ctx context.Context, shard storage.QueueShard, due model.Time, after string,
) (storage.InvalidationPage, error) {
	c.n.Add(1)
	return c.store.Invalidations(ctx, shard, due, after)
}

func (c *countedRequests) StoredInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (map[storage.Invalidation]bool, error) {
	c.queueReads.Add(int64(len(these)))
	return c.store.StoredInvalidations(ctx, these)
}

func (c *countedRequests) PutInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	c.puts.Add(int64(len(these)))
	return c.store.PutInvalidations(ctx, these)
}

// The counts of a batch and of a sweep are the numbers of requests that the table receives.
func TestCounts_AreTheRequestsOfTheTable(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	table := &countedRequests{batched: batched{store: w.table}}
	w.on(table)
	check := func(name string, c aggregate.Counts, fewest int64) {
		t.Helper()
		reads := table.n.Swap(0)
		queueReads := table.queueReads.Swap(0)
		puts := table.puts.Swap(0)
		if int64(c.Reads) != reads || int64(c.InvalidationReads) != queueReads || int64(c.Invalidations) != puts ||
			reads < fewest {
			t.Errorf("%s: counts %d reads, %d reads of invalidations and %d puts of %d, %d and %d, "+
				"want at least %d reads", name,
				c.Reads, c.InvalidationReads, c.Invalidations, reads, queueReads, puts, fewest)
		}
	}
	for i := range 5 {
		w.put(model.Order{At: noon.Add(-time.Duration(2+2*i) * time.Hour)}, "1")
	}
	check("a batch", w.process().Counts, 6)
	for i := range 5 {
		w.put(model.Order{At: noon.Add(-time.Duration(20+i) * time.Hour)}, "1")
	}
	check("hours side by side", w.process().Counts, 2)
	check("a sweep of nothing", w.sweep().Counts, 1)
	check("a sweep", w.sweepAt("2026-03-11T00:02:00Z").Counts, 3)
}

// readingSweeps counts the reads of low watermarks.
type readingSweeps struct {
	store
	reads int
}

func (r *readingSweeps) Sweeps(ctx context.Context) (storage.LowWatermarks, error) {
	r.reads++
	return r.store.Sweeps(ctx)
}

// A process reads the low watermarks once in ten seconds, and again if its clock was set back.
func TestProcess_ReadsTheLowWatermarksOnceInTenSeconds(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	marks := &readingSweeps{store: w.table}
	w.on(marks)
	for i, c := range []struct {
		later time.Duration
		want  int
	}{{0, 1}, {0, 1}, {storage.WatermarkAge - time.Millisecond, 1}, {time.Millisecond, 2}, {time.Second, 2},
		{-2 * time.Second, 3}} {
		w.advance(c.later)
		// its children may have expired
		w.put(model.Order{At: noon.Add(-40*tier.Day24 - time.Duration(i)*time.Hour)}, "1")
		w.process()
		if marks.reads != c.want {
			t.Errorf("event %d: %d reads, want %d", i, marks.reads, c.want)
		}
	}
}
