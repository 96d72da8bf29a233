package aggregate_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Two targets meet in one day. Only the one that begins with the day marks it, because its events may have
// expired; a dry run shows this, for the day cannot become inexact through its hour there.
func TestRecompute_TheStricterTargetOfABucketDecides(t *testing.T) {
	hour, day := aggregate.Target{At: at(ten)}, aggregate.Target{At: at(ten), Tier: tier.Day}
	for name, targets := range map[string][]aggregate.Target{"hour first": {hour, day}, "day first": {day, hour},
		"hour only": {hour}} {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		w.process()
		for i := range targets {
			targets[i].Series = w.series
		}
		var mu sync.Mutex
		var named []string
		w.agg.Recompute(w.ctx(), targets,
			aggregate.RepairOptions{DryRun: true, Mark: aggregate.MarkAll, OnDifference: func(n aggregate.Note) {
				mu.Lock()
				defer mu.Unlock()
				named = append(named, n.Key.Tier)
			}})
		if got := slices.Contains(named, tier.Day.String()); got != (len(targets) == 2) {
			t.Errorf("%s: the rows that would be written are %v", name, named)
		}
	}
}

// unreadPage is a queue with one invalidation a page, whose second page cannot be read.
type unreadPage struct{ store }

func (s unreadPage) Invalidations(
	ctx context.Context, shard storage.QueueShard, due model.Time, after string,
) (storage.InvalidationPage, error) {
	if after != "" {
		return storage.InvalidationPage{}, errors.New("access denied")
	}
	page, err := s.store.Invalidations(ctx, shard, due, after)
	page.Next = tablekeys.Invalidation(page.Invalidations[0]).SK
	page.Invalidations = page.Invalidations[:1]
	return page, err
}

// Another invalidation may be due at the same time as the last one that was read: the low watermark stays
// before it.
func TestSweep_WatermarkIsHeldBeforeWhatCouldNotBeRead(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	w.setNow(at("2026-03-10T23:30:00Z"))
	w.put(order("2026-03-10T23:10:00Z", ""), "1")
	w.process() // the hour and its day are due at once
	w.setNow(at("2026-03-11T00:02:00Z"))
	w.on(unreadPage{w.table})
	due := w.queue()[0].Due
	r, err := w.agg.Sweep(w.ctx(), storage.FirstGeneration.Shard(w.series))
	if err == nil || r.Swept != 1 || r.Through != due-1 {
		t.Errorf("%v, swept %d through %s; want an error, 1, %s", err, r.Swept, r.Through, due-1)
	}
	if all, err := w.table.Sweeps(w.ctx()); err != nil || all.For(w.series) != due-1 {
		t.Errorf("low watermarks %v, %v; want %s", all, err, due-1)
	}
}

// stale is a table whose reads, unless they ask for consistency, return nothing that was written since it
// began.
type stale struct{ store }

func (s stale) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	if !r.Consistent {
		return storage.EventPage{}, nil
	}
	return s.store.Events(ctx, r)
}

// Rows returns one row a page, and none that was written since the table began.
func (s stale) Rows(ctx context.Context, u tier.Unit, r storage.Range) (rollup.RowPage, error) {
	if !r.Consistent {
		return rollup.RowPage{}, nil
	}
	r.Limit = 1
	return s.store.Rows(ctx, u, r)
}

// A rebuild finds each row that has no events any more, on any page.
func TestRebuild_FindsRowsWithoutEvents(t *testing.T) {
	w := newWorld(t)
	for hour := range 5 {
		w.put(model.Order{At: at(ten).Add(time.Duration(hour) * -26 * time.Hour)}, "1")
	}
	w.process()
	for hour := range 5 {
		w.delete(model.Order{At: at(ten).Add(time.Duration(hour) * -26 * time.Hour)})
	}
	w.lose()
	w.on(stale{w.table})
	w.rebuild(w.complete())
	w.on(w.table)
	w.wantRecount()
}

// A rebuild finds events that were written a moment ago.
func TestRebuild_FindsEventsByConsistentReads(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.lose()
	w.on(stale{w.table})
	w.rebuild(w.complete())
	w.on(w.table)
	w.wantRecount()
}

// A rebuild writes each row, as its revision tells concurrent recomputations that the children were read
// again. It rebuilds all shards of a series, whichever it is asked for.
func TestRebuild_WritesEachRowOfASeriesInAllItsShards(t *testing.T) {
	kind := gauge
	kind.Shards, kind.Latest = 8, catalog.NoLatest
	w := newWorldWith(t, kind)
	for i := range 20 {
		o := order(ten, string(rune('a'+i)))
		w.series = w.kind.Series("d1", "", o)
		w.put(o, "1")
	}
	w.process()
	request := w.complete()
	if request.Series.Shard == 0 {
		t.Fatal("the series has no shard")
	}
	w.series = w.series.WithoutShard()
	before := w.row(tier.Hour, ten)
	r := w.rebuild(request)
	if after := w.row(tier.Hour, ten); r.Written != 3 || r.Changed != 0 || after.Rev == before.Rev ||
		after.Summary.Events() != 20 {
		t.Errorf("%d rows written, %d changed, %d events; want three, none, 20", r.Written, r.Changed,
			after.Summary.Events())
	}
	if l := w.listed(); len(l) != 1 {
		t.Errorf("listed %v, want one series", l)
	}
	w.wantRecount()
	for _, c := range decodeChanges(w.table.Records(0)) {
		if err := w.table.DeleteItem(w.ctx(), keys.Event(c.Key)); err != nil {
			t.Fatal(err)
		}
	}
	w.lose()
	w.rebuild(request)
	w.wantRecount()
}

// The records of two clicks were lost: a repair of the later one recomputes the hour in which its session
// began.
func TestRecompute_OfALateClickRecomputesTheHourOfItsSession(t *testing.T) {
	v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
	v.clickAt(50, 75)
	v.processAll(v.queued)
	v.setNow(noon.Add(30 * time.Hour))
	v.sweepAll()
	v.change(noon.Add(100*time.Minute), "a", "/")
	v.change(noon.Add(125*time.Minute), "a", "/")
	target := aggregate.Target{Series: v.click.Series("site", "", model.Order{}),
		At: noon.Add(125 * time.Minute)}
	if r := v.agg.Recompute(v.ctx(), []aggregate.Target{target},
		aggregate.RepairOptions{}); len(r.Failures) > 0 || r.Walks != 1 {
		t.Errorf("%d walks, failures %v; want one walk", r.Walks, r.Failures)
	}
	for hour := range 4 {
		v.check(noon.Add(time.Duration(hour) * time.Hour))
	}
}

// The record of a deletion was lost. While that is repaired, the same event is put again; its record finds a
// row that still contains it. The repair overwrites this row by what it read before, and so must read once
// more.
func TestRepairs_ReadAgainWhatTheyReplaced(t *testing.T) {
	for name, repair := range map[string]func(*world) error{
		"recompute": func(w *world) error {
			r := w.agg.Recompute(w.ctx(), []aggregate.Target{{Series: w.series, At: at(half)}},
				aggregate.RepairOptions{})
			return errors.Join(lists.Map(r.Failures, func(f aggregate.Failure) error { return f.Err })...)
		},
		"rebuild": func(w *world) error { _, err := w.agg.Rebuild(w.ctx(), w.complete()); return err },
	} {
		w := newWorld(t)
		w.put(order(ten, "a"), "1")
		w.put(order(half, "b"), "2")
		w.process()
		w.delete(order(half, "b"))
		w.lose()
		w.on(&afterEvents{store: w.table, do: func() {
			w.on(w.table)
			w.put(order(half, "b"), "2")
			if r := w.process(); r.Unchanged == 0 {
				t.Errorf("%s: %+v: the row does not contain the event any more", name, r.Counts)
			}
		}})
		if err := repair(w); err != nil {
			t.Fatal(err)
		}
		w.wantRecount()
	}
}

// sweptAgain is a world whose hour of ten o'clock has two events and a row, and is in the queue again.
func sweptAgain(t *testing.T) *world {
	w := newWorldWith(t, deferred(gauge, 0))
	w.put(order(ten, "a"), "1")
	w.put(order(half, "b"), "2")
	w.process() // at noon: the hour has closed
	hour := rollup.Key{Series: w.series, Tier: tier.Hour.String(), Start: at(ten)}
	if _, result, err := w.table.PutInvalidations(w.ctx(),
		[]storage.Invalidation{storage.FirstGeneration.Invalidation(at(eleven), hour)}); err != nil ||
		result != storage.Written {
		t.Fatal(result, err)
	}
	return w
}

// A sweep is a repair: it writes the row even if it is the same, and reads again what it replaced.
func TestSweep_WritesTheRowAndReadsAgainWhatItReplaced(t *testing.T) {
	w := sweptAgain(t)
	before := w.row(tier.Hour, ten)
	if w.sweep(); w.row(tier.Hour, ten).Rev == before.Rev {
		t.Error("the row was not written")
	}
	w = sweptAgain(t)
	w.delete(order(half, "b"))
	w.lose()
	w.on(&afterEvents{store: w.table, do: func() {
		w.on(w.table)
		w.put(order(half, "b"), "2")
		if r := w.process(); r.Unchanged == 0 {
			t.Errorf("%+v: the row does not contain the event any more", r.Counts)
		}
	}})
	w.sweep()
	w.wantRow(tier.Hour, ten, 2, "2", true)
}

// afterEvents is a table that does something once, after events were read.
type afterEvents struct {
	store
	once sync.Once
	do   func()
}

func (s *afterEvents) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	page, err := s.store.Events(ctx, r)
	if r.Limit == 0 { // not a search for the next event
		s.once.Do(s.do)
	}
	return page, err
}
