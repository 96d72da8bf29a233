package query_test

import (
	"context"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// newDeferred returns a simulation of a kind whose tiers are all deferred, read through a store.
func newDeferred(t *testing.T, through func(query.Store) query.Store) *simulation {
	kind := gauges()
	kind.Retention.Raw = 30 * tier.Day24
	kind.Retention.Tiers[0].Retention, kind.Retention.Tiers[1].Retention = 90*tier.Day24, 400*tier.Day24
	for i := range kind.Retention.Tiers {
		kind.Retention.Tiers[i].Deferred = true
	}
	l := newSimulation(t, kind)
	of := func(context.Context, string) (*catalog.Kind, error) { return l.kind, nil }
	now := func() model.Time { return l.clock }
	l.query.Store = &query.Live{Store: through(l.table), Watermarks: l.table, Kind: of, Now: now}
	return l
}

// events returns the events in the rows of a unit.
func (l *simulation) events(unit tier.Unit, from, to model.Time) (n int64) {
	l.t.Helper()
	q := query.Rollups{Series: l.series("d1", ""), Unit: unit, From: from, To: to}
	page, err := l.query.Rollups(context.Background(), q)
	if err != nil {
		l.t.Fatalf("read %ss: %v", unit, err)
	}
	for _, r := range page.Rollups {
		n += r.Summary.Events()
	}
	return n
}

// The table stream is not processed for an hour, and the sweeps go on. What readers saw while the hour was
// open is there when the low watermark has passed it.
func TestLive_EventsOnTimeStayWhenTheWatermarkPassesALaggingStream(t *testing.T) {
	t.Parallel()
	l := newDeferred(t, func(s query.Store) query.Store { return s })
	writer := queue.NewWriter(l.table, nil)
	start := at("2026-04-20T11:00:00Z")
	for n := range 50 {
		l.clock = start.Add(time.Duration(n) * time.Minute)
		order := model.Order{At: l.clock}
		keys := []queue.Event{{EventKey: model.EventKey{Series: l.kind.Series("d1", "", order),
			Order: order}}}
		requests := queue.Requests{Now: func() model.Time { return l.clock }}
		if unqueued, err := writer.Ensure(t.Context(), l.kind, keys, requests); len(unqueued) > 0 {
			t.Fatal(err)
		}
		l.append("d1", "", l.clock, 1)
	}
	day := tier.Day.BucketAt(start)
	read := func() [2]int64 {
		return [2]int64{l.events(tier.Hour, start, start.Add(time.Hour)), l.events(tier.Day, day.Start, day.End)}
	}
	if got := read(); got != [2]int64{50, 50} {
		t.Fatalf("the open hour and day have %d events, want 50 each", got)
	}
	l.clock = start.Add(time.Hour + 150*time.Second)
	l.sweep()
	l.clock = l.clock.Add(storage.WatermarkAge + time.Second)
	if got := read(); got != [2]int64{50, 50} {
		t.Errorf("after the sweep, hour and day have %d events, want the 50 that readers saw", got)
	}
	l.process()
	if got := read(); got != [2]int64{50, 50} {
		t.Errorf("after the stream caught up, hour and day have %d events, want 50 each", got)
	}
}

// behindStore returns no rows to eventually consistent reads, as a replica does for a moment.
type behindStore struct {
	query.Store
	behind bool
}

func (b *behindStore) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	if b.behind && !r.Consistent {
		return rollup.RowPage{}, nil
	}
	return b.Store.Rows(ctx, unit, r)
}

// The row of the last bucket before the low watermark has just been written: a range that ends there is read
// consistently, in either direction.
func TestLive_ARangeThatEndsAtTheWatermarkIsReadConsistently(t *testing.T) {
	t.Parallel()
	replica := &behindStore{}
	l := newDeferred(t, func(s query.Store) query.Store {
		replica.Store = s
		return replica
	})
	start := at("2026-04-20T11:00:00Z")
	l.clock = start.Add(5 * time.Minute)
	l.append("d1", "", l.clock, 1)
	l.process()
	l.clock = start.Add(time.Hour + 2*time.Minute)
	l.sweep()
	replica.behind = true
	for _, newest := range []bool{false, true} {
		for _, to := range []model.Time{start.Add(time.Hour), start.Add(time.Hour) + 1} {
			page, err := l.query.Rollups(t.Context(), query.Rollups{
				Series: l.series("d1", ""), Unit: tier.Hour, From: start, To: to, Newest: newest,
			})
			if err != nil || len(page.Rollups) != 1 {
				t.Errorf("to %s, newest first %v: %d hours, %v; want the hour that was swept",
					to, newest, len(page.Rollups), err)
			}
		}
	}
}
