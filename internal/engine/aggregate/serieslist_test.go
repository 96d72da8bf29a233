package aggregate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// listed returns the list of series as it is stored.
func (w *world) listed() map[model.Series]storage.ListedSeries {
	w.t.Helper()
	all := map[model.Series]storage.ListedSeries{}
	for _, it := range w.items() {
		if l, err := item.ListedSeries(it); err == nil {
			all[l.Series] = l
		}
	}
	return all
}

func (w *world) wantListed(first, last string) {
	w.t.Helper()
	if l := w.listed()[w.series]; l.First != at(first) || l.Last != at(last) {
		w.t.Errorf("listed from %s to %s, want %s to %s", l.First, l.Last, first, last)
	}
}

// A deletion in the newest hour is noted in the entry, also by a process that does not know the entry, and
// beside one that moves the entry meanwhile. One before that hour changes nothing.
func TestProcess_TheListSaysThatAnEventOfTheNewestHourWasDeleted(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	for _, when := range []string{"2026-04-20T10:10:00Z", "2026-04-20T11:10:00Z", "2026-04-20T11:20:00Z"} {
		w.put(order(when, ""), "1")
	}
	w.process()
	removed := func(step, want string) {
		t.Helper()
		w.process()
		got := ""
		if l := w.listed()[w.series]; l.Removed != 0 {
			got = l.Removed.String()
		}
		if got != want {
			t.Errorf("%s: deleted in %q, want %q", step, got, want)
		}
	}
	w.delete(order("2026-04-20T10:10:00Z", ""))
	removed("an hour before the newest one", "")
	w.delete(order("2026-04-20T11:20:00Z", ""))
	removed("the newest hour", "2026-04-20T11:00:00.000Z")
	w.put(order("2026-04-20T12:10:00Z", ""), "1")
	removed("a newer hour follows", "2026-04-20T11:00:00.000Z")
	w.delete(order("2026-04-20T12:10:00Z", ""))
	w.agg = &aggregate.Aggregator{Store: w.table, QuarantineStore: w.table, Catalog: w.agg.Catalog,
		Now: w.now, Rand: seeded(2), Sleep: w.agg.Sleep}
	removed("by a new process", "2026-04-20T12:00:00.000Z")
	w.wantListed("2026-04-20T10:00:00Z", "2026-04-20T12:00:00Z")
}

// A series that only has deletions, because it was purged, is not listed.
func TestProcess_ADeletionListsNoSeries(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	o := order("2026-04-20T11:10:00Z", "")
	w.put(o, "1")
	w.delete(o)
	w.processAll(w.changes()[1:])
	if all := w.listed(); len(all) > 0 {
		t.Errorf("listed %v, want none", all)
	}
}

// Series of a few subjects and streams send events in any order, through processes that
// come and go. The list has exactly these series, and the hours of their earliest and
// newest events.
func TestProcess_TheListHasEverySeriesWithItsFirstAndLastHour(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := newWorldWith(t, deferred(gauge, 0))
		type span struct{ first, last model.Time }
		want := map[model.Series]span{}
		for i := range rapid.IntRange(1, 30).Draw(r, "events") {
			s := w.kind.Series(rapid.SampledFrom([]string{"d1", "d2", "d%#"}).Draw(r, "subject"),
				rapid.SampledFrom([]string{"", "a"}).Draw(r, "stream"), model.Order{})
			o := model.Order{At: noon.Add(-time.Duration(rapid.IntRange(0, 500).Draw(r, "minutes ago")) * time.Minute),
				ID: fmt.Sprint(i)}
			e := w.event(o, "1")
			e.Series = s
			if _, err := w.table.Put(w.ctx(), e); err != nil {
				r.Fatal(err)
			}
			hour := tier.Hour.BucketAt(o.At).Start
			if old, known := want[s]; known {
				want[s] = span{min(old.first, hour), max(old.last, hour)}
			} else {
				want[s] = span{hour, hour}
			}
			if rapid.Bool().Draw(r, "another process") {
				w.agg = w.process2(0, w.table)
			}
			if rapid.Bool().Draw(r, "deliver") {
				w.processAll(w.changes())
			}
		}
		w.processAll(w.changes())
		got := map[model.Series]span{}
		for s, l := range w.listed() {
			got[s] = span{l.First, l.Last}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			r.Errorf("listed %v, want %v", got, want)
		}
	})
}

func TestProcess_TheListIsWrittenOnceForEachHour(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	writes := 0
	for i := range 180 {
		w.put(model.Order{At: at(ten).Add(time.Duration(i) * time.Minute)}, "1")
		writes += w.process().Listed
	}
	w.put(model.Order{At: tier.Hour.BucketAt(at(ten)).Start, ID: "late"}, "1") // the first hour is listed
	writes += w.process().Listed
	if writes != 3 {
		t.Errorf("180 events of three hours: %d writes of the list, want 3", writes)
	}
	w.wantListed(ten, "2026-03-10T12:00:00Z")
	w.put(order("2026-03-01T07:30:00Z", "late"), "1")
	w.process()
	w.wantListed("2026-03-01T07:00:00Z", "2026-03-10T12:00:00Z")
}

func TestProcess_TheListIsWrittenOnceADayWhereHoursAreImmediate(t *testing.T) {
	for name, kind := range map[string]catalog.Kind{"nothing is deferred": gauge,
		"days are deferred": deferred(gauge, 1)} {
		w := newWorldWith(t, kind)
		writes := 0
		for i := range 48 {
			w.put(model.Order{At: at("2026-03-08T00:00:00Z").Add(time.Duration(i) * time.Hour)}, "1")
			writes += w.process().Listed
		}
		if writes != 2 {
			t.Errorf("%s: hourly events of two days: %d writes of the list, want 2", name, writes)
		}
		w.wantListed("2026-03-08T00:00:00Z", "2026-03-09T00:00:00Z")
	}
}

// listFaults is a table of which one request of the list of series fails.
type listFaults struct {
	store
	fail, n int // the number of the request that fails
	stored  bool
	result  storage.WriteResult
}

func (f *listFaults) failsNow() bool { f.n++; return f.n-1 == f.fail }

func (f *listFaults) ReadItems(
	ctx context.Context, these []keys.Key, consistent bool,
) (map[keys.Key]item.Item, error) {
	switch {
	case !f.failsNow():
		return f.store.ReadItems(ctx, these, consistent)
	case f.stored:
		return nil, nil // the table processed none
	}
	return nil, errors.New("unreachable")
}

func (f *listFaults) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	if !f.failsNow() {
		return f.store.PutAll(ctx, puts)
	}
	if f.stored {
		_, _ = f.store.PutAll(ctx, puts) // the response is lost
	}
	return f.result, nil
}

// Whatever fails, and however the process dies: a batch that is acknowledged is listed.
func TestProcess_ABatchIsAcknowledgedOnlyOnceItsSeriesIsListed(t *testing.T) {
	for _, attempts := range []int{1, 60} {
		for _, result := range []storage.WriteResult{storage.Unknown, storage.Throttled, storage.ConditionFailed} {
			for fail := range 7 {
				for _, stored := range []bool{false, true} {
					if stored && result != storage.Unknown {
						continue
					}
					w := newWorldWith(t, deferred(gauge, 0))
					w.agg.Limits.Attempts = attempts
					faults := &listFaults{store: w.table, fail: fail, result: result, stored: stored}
					w.on(faults)
					for _, o := range []model.Order{order(ten, ""), order(eleven, ""), order("2026-03-10T09:00:00Z", "")} {
						w.put(o, "1")
						changes := w.changes()
						acknowledged := len(w.agg.Process(w.ctx(), changes).Failures) == 0
						if l, ok := w.listed()[w.series]; acknowledged &&
							!(ok && l.First <= o.At && o.At < l.Last.Add(time.Hour)) {
							t.Errorf("attempts %d, %v at request %d, stored %v: %s is acknowledged, listed %v", attempts, result,
								fail, stored, o.At, l)
						} else if !acknowledged {
							w.processAll(changes)
						}
					}
					w.wantListed("2026-03-10T09:00:00Z", eleven)
				}
			}
		}
	}
}

// A record of a subject that is purged may be delivered after the purge.
func TestProcess_APurgedSubjectIsNotListedAgain(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	w.put(order(ten, ""), "1")
	changes := w.changes()
	w.processAll(changes)
	lock := item.FromPurgeLock(
		&storage.PurgeLock{Subject: w.series.Subject, Since: w.now(), ExpiresAt: w.now().Add(tier.Day24).Seconds()})
	if err := w.table.PutItem(w.ctx(), lock); err != nil {
		t.Fatal(err)
	}
	if err := w.table.DeleteItem(w.ctx(), tablekeys.SeriesEntry(w.series)); err != nil {
		t.Fatal(err)
	}
	w.put(order(eleven, ""), "1")
	changes = append(changes, w.changes()...)
	for _, agg := range []*aggregate.Aggregator{w.agg, w.process2(0, w.table)} {
		if r := agg.Process(w.ctx(), slices.Clone(changes)); len(r.Failures) > 0 || len(w.listed()) > 0 {
			t.Errorf("failures %v, listed %v; want neither", r.Failures, w.listed())
		}
	}
}

// A process that lives on after a purge does not take its memory for what is stored.
func TestProcess_ASubjectThatReturnsAfterItsPurgeIsListed(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	w.put(order(ten, ""), "1")
	w.process()
	if err := w.table.DeleteItem(w.ctx(), tablekeys.SeriesEntry(w.series)); err != nil {
		t.Fatal(err)
	}
	w.advance(48 * time.Hour)
	w.put(order(half, "again"), "1")
	w.process()
	w.wantListed(ten, ten)
}

func TestProcess_ADamagedEntryIsReplacedAndANewerOneKept(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	damaged := item.FromListedSeries(storage.ListedSeries{Series: w.series, First: noon, Last: noon})
	delete(damaged, tablekeys.AttrFirst)
	if err := w.table.PutItem(w.ctx(), damaged); err != nil {
		t.Fatal(err)
	}
	w.put(order(ten, ""), "1")
	w.process()
	w.wantListed(ten, ten)
	newer := item.FromListedSeries(w.listed()[w.series])
	newer[keys.AttrVersion] = item.Value{Type: item.N, S: "99"}
	if err := w.table.PutItem(w.ctx(), newer); err != nil {
		t.Fatal(err)
	}
	w.agg = w.process2(0, w.table)
	w.put(order("2026-03-10T09:00:00Z", ""), "1")
	w.process()
	if it, err := w.table.GetItem(w.ctx(), tablekeys.SeriesEntry(w.series)); err != nil ||
		it[keys.AttrVersion].S != "99" {
		t.Errorf("%v, %v; want the entry of version 99", it, err)
	}
}

// A table that is older than its list gets it by a rebuild.
func TestRebuild_ListsTheSeries(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	for _, hour := range []string{ten, eleven} {
		w.put(order(hour, ""), "1")
	}
	for _, dry := range []bool{true, false} {
		request := aggregate.Rebuild{Series: w.series, From: model.MinTime, To: model.MaxTime,
			RepairOptions: aggregate.RepairOptions{DryRun: dry}}
		if _, err := w.agg.Rebuild(w.ctx(), request); err != nil {
			t.Fatal(err)
		}
		if n := len(w.listed()); (n == 0) != dry {
			t.Errorf("dry run %v: %d series listed", dry, n)
		}
	}
	w.wantListed(ten, eleven)
}
