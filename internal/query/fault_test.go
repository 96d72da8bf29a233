package query_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/storetest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// stockedShards is a series on three shards with two pages of events and of hours.
func stockedShards(t *testing.T) *world {
	w := newWorld(t, func(k *catalog.Kind) { k.Shards, k.IndexBy = 3, "unit" })
	rows := map[rollup.Key][]model.Event{}
	for i := range 12 {
		e := w.reading(now-model.Time(i)*hour, fmt.Sprint(i), 1, 0)
		e.Attrs, e.IndexBy = append(e.Attrs, text("unit", "C")), "unit"
		w.put(e)
		key := rollup.Key{Series: e.Series, Start: tier.Hour.BucketOf(e.At).Start}
		rows[key] = append(rows[key], e)
	}
	for _, events := range rows {
		w.storeRow(w.row(tier.Hour, 0, events...))
	}
	return w
}

// reads are the ways to read more than one item, each with how much it handed out.
var reads = map[string]func(context.Context, *world) (handed int, _ error){
	"a page of history": func(ctx context.Context, w *world) (int, error) {
		page, err := w.query.History(ctx, w.all())
		return len(page.Events), err
	},
	"an iteration": func(ctx context.Context, w *world) (n int, err error) {
		q := w.all()
		q.Limit = 12
		for _, err = range w.query.EachEvent(ctx, q) {
			if err != nil {
				return n, err
			}
			n++
		}
		return n, err
	},
	"a count": func(ctx context.Context, w *world) (int, error) {
		n, err := w.query.Count(ctx, w.all())
		return int(n.Events), err
	},
	"events by value": func(ctx context.Context, w *world) (int, error) {
		page, err := w.query.ByValue(ctx, query.ByValue{Kind: w.kind, Field: "unit", Value: "C", From: model.MinTime, To: model.MaxTime})
		return len(page.Events), err
	},
	"an iteration by value": func(ctx context.Context, w *world) (n int, err error) {
		for _, err = range w.query.EachByValue(ctx, query.ByValue{Kind: w.kind, Field: "unit", Value: "C", From: model.MinTime, To: model.MaxTime}) {
			if err != nil {
				return n, err
			}
			n++
		}
		return n, err
	},
	"a page of rollups": func(ctx context.Context, w *world) (int, error) {
		page, err := w.query.Rollups(ctx, w.hours())
		return len(page.Rollups), err
	},
	"a total": func(ctx context.Context, w *world) (int, error) {
		total, err := w.query.Total(ctx, w.hours())
		return total.Buckets, err
	},
	"a chart": func(ctx context.Context, w *world) (int, error) {
		curve, err := w.query.Chart(ctx, query.Chart{
			Rollups: query.Rollups{Series: w.series(), From: now - 11*hour, To: now + 1}, Stitched: true, Gaps: true,
		})
		return len(curve.Rollups), err
	},
}

// Each request of each reading fails once, as one that is throttled, lost or cut off
// does. A reading that did not come to its end says so: it never hands out a part as
// if it were the whole.
func TestReads_AnUnreadPageIsAnErrorAndNoHole(t *testing.T) {
	t.Parallel()
	for name, read := range reads {
		for n := 0; ; n++ {
			w := stockedShards(t)
			asked := 0
			w.query.Store = &storetest.Faulty{Store: w.table, Reads: func(c storetest.Call) bool { asked++; return c.N == n }}
			handed, err := read(context.Background(), w)
			if n >= asked { // the request that was to fail was never made
				if err != nil || handed != 12 {
					t.Errorf("%s without a failure: %d, %v; want 12", name, handed, err)
				}
				break
			}
			if !errors.Is(err, storetest.ErrRead) {
				t.Errorf("%s, request %d of %d failed: %v, want it told", name, n, asked, err)
			}
			if handed != 0 && name != "an iteration" {
				t.Errorf("%s, request %d failed: %d handed out beside the error", name, n, handed)
			}
		}
	}
}

func TestReads_EndWithTheirContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	for name, read := range reads {
		if handed, err := read(ctx, stockedShards(t)); !errors.Is(err, context.DeadlineExceeded) || handed != 0 {
			t.Errorf("%s after the deadline: %d, %v; want %v", name, handed, err, context.DeadlineExceeded)
		}
	}
}

func TestReads_OfOneItemSayWhatFailed(t *testing.T) {
	t.Parallel()
	w := stockedShards(t)
	w.query.Store = &storetest.Faulty{Store: w.table, Reads: func(storetest.Call) bool { return true }}
	if c, err := w.query.Current(context.Background(), w.series(), false); c != nil || !errors.Is(err, storetest.ErrRead) {
		t.Errorf("current: %v, %v", c, err)
	}
	of := *w.kind
	of.CurrentBy = []catalog.CurrentIndex{{Index: catalog.FirstIndex, By: []string{"unit"}}}
	if page, err := w.query.Currents(context.Background(), query.Currents{Kind: &of, By: []string{"C"}}); page.Currents != nil || !errors.Is(err, storetest.ErrRead) {
		t.Errorf("currents: %v, %v", page.Currents, err)
	}
	if p, err := w.query.Profile(context.Background(), model.Subject{Type: "DEVICE", ID: "sensor_01"}, false); p != nil || !errors.Is(err, storetest.ErrRead) {
		t.Errorf("profile: %v, %v", p, err)
	}
}
