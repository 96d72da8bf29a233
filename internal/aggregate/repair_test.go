package aggregate_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Two targets meet in one day. Only the one that begins with the day marks it, because its events may have
// expired; a dry run shows this, for the day cannot become inexact through its hour there.
func TestRecompute_TheStricterTargetOfABucketDecides(t *testing.T) {
	hour, day := aggregate.Target{At: at(ten)}, aggregate.Target{At: at(ten), Tier: tier.Day}
	for name, targets := range map[string][]aggregate.Target{"hour first": {hour, day}, "day first": {day, hour}, "hour only": {hour}} {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		w.process()
		for i := range targets {
			targets[i].Series = w.series
		}
		var mu sync.Mutex
		var named []string
		w.agg.Recompute(w.ctx(), targets, aggregate.RepairOptions{DryRun: true, Mark: aggregate.MarkAll, OnDifference: func(n aggregate.Note) {
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

func (s unreadPage) Invalidations(ctx context.Context, shard int, due model.Time, after string) (aggregate.InvalidationPage, error) {
	if after != "" {
		return aggregate.InvalidationPage{}, errors.New("access denied")
	}
	page, err := s.store.Invalidations(ctx, shard, due, after)
	page.Next = tablekeys.Invalidation(page.Invalidations[0]).SK
	page.Invalidations = page.Invalidations[:1]
	return page, err
}

// Another invalidation may be due at the same time as the last one that was read: the low watermark stays before it.
func TestSweep_WatermarkIsHeldBeforeWhatCouldNotBeRead(t *testing.T) {
	w := newWorldOf(t, deferred(gauge, 0))
	w.setNow(at("2026-03-10T23:30:00Z"))
	w.put(order("2026-03-10T23:10:00Z", ""), "1")
	w.process() // the hour and its day are due at once
	w.setNow(at("2026-03-11T00:02:00Z"))
	w.on(unreadPage{w.table})
	due := w.queue()[0].Due
	r, err := w.agg.Sweep(w.ctx(), tablekeys.QueueShard(w.series))
	if err == nil || r.Swept != 1 || r.Through != due-1 {
		t.Errorf("%v, swept %d through %s; want an error, 1, %s", err, r.Swept, r.Through, due-1)
	}
	if all, err := w.table.Sweeps(w.ctx()); err != nil || all.Of(tablekeys.QueueShard(w.series)) != due-1 {
		t.Errorf("low watermarks %v, %v; want %s", all, err, due-1)
	}
}

// stale is a table whose reads, unless they ask for consistency, return nothing that was written since it began.
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

// The record of a deletion was lost. While that is repaired, the same event is put again; its record finds a row that
// still contains it. The repair overwrites this row by what it read before, and so must read once more.
func TestRecompute_ReadsAgainWhatItReplaced(t *testing.T) {
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
			t.Errorf("%+v: the row does not contain the event any more", r.Counts)
		}
	}})
	if r := w.agg.Recompute(w.ctx(), []aggregate.Target{{Series: w.series, At: at(half)}}, aggregate.RepairOptions{}); len(r.Failures) > 0 {
		t.Fatal(r.Failures)
	}
	w.wantRecount()
}

// afterEvents is a table that does something once, after events were read.
type afterEvents struct {
	store
	once sync.Once
	do   func()
}

func (s *afterEvents) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	page, err := s.store.Events(ctx, r)
	s.once.Do(s.do)
	return page, err
}
