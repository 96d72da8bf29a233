package aggregate_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
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
		storage.Written:         {Invalidations: 1},
		storage.Unknown:         {Invalidations: 2, UnknownResults: 1},
		storage.Throttled:       {Invalidations: 2, Throttled: 1},
		storage.Conflicted:      {Invalidations: 2, Throttled: 1},
		storage.ConditionFailed: {Invalidations: 2, LostLocks: 1},
	} {
		w := newWorldOf(t, deferred(gauge, 0))
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
		w := newWorldOf(t, kind)
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
	if got := process(catalog.DerivedLatest, storage.Unknown); got.UnknownResults != want.UnknownResults || got.Reads != want.Reads {
		t.Errorf("a write without a response: %+v, want %+v", got, want)
	}
}

// readingEntries counts the reads of entries of the list of series.
type readingEntries struct {
	store
	reads int
}

func (r *readingEntries) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	r.reads++
	return r.store.GetItem(ctx, k)
}

// A process remembers the entries of all the series that it has listed, not only that of the last.
func TestProcess_TheListIsReadOnceForEachSeries(t *testing.T) {
	w := newWorldOf(t, deferred(gauge, 0))
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
	if entries.reads != 3 {
		t.Errorf("%d reads of the list for three series, want 3", entries.reads)
	}
}

// readingSweeps counts the reads of low watermarks.
type readingSweeps struct {
	store
	reads int
}

func (r *readingSweeps) Sweeps(ctx context.Context) (entity.LowWatermarks, error) {
	r.reads++
	return r.store.Sweeps(ctx)
}

// A process reads the low watermarks once in ten seconds, and again if its clock was set back.
func TestProcess_ReadsTheLowWatermarksOnceInTenSeconds(t *testing.T) {
	w := newWorldOf(t, deferred(gauge, 0))
	marks := &readingSweeps{store: w.table}
	w.on(marks)
	for i, c := range []struct {
		later time.Duration
		want  int
	}{{0, 1}, {0, 1}, {entity.WatermarkAge - time.Millisecond, 1}, {time.Millisecond, 2}, {time.Second, 2}, {-2 * time.Second, 3}} {
		w.advance(c.later)
		w.put(model.Order{At: noon.Add(-40*tier.Day24 - time.Duration(i)*time.Hour)}, "1") // its children may have expired
		w.process()
		if marks.reads != c.want {
			t.Errorf("event %d: %d reads, want %d", i, marks.reads, c.want)
		}
	}
}
