package query_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// filledShards stores a series on three shards, with two pages of events and of hours.
func filledShards(t *testing.T) *fixture {
	w := newFixture(t, func(k *catalog.Kind) { k.Shards, k.IndexBy = 3, "unit" })
	rows := map[rollup.Key][]model.Event{}
	for i := range 12 {
		e := w.reading(now-model.Time(i)*hour, fmt.Sprint(i), 1, 0)
		e.Attrs, e.IndexBy = append(e.Attrs, text("unit", "C")), "unit"
		w.put(e)
		key := rollup.Key{Series: e.Series.WithoutShard(), Start: tier.Hour.BucketAt(e.At).Start}
		rows[key] = append(rows[key], e)
	}
	for _, events := range rows {
		w.storeRow(w.row(tier.Hour, 0, events...))
	}
	return w
}

// reads are the reads of more than one item. Each returns how many items it yielded.
var reads = map[string]func(context.Context, *fixture) (returned int, _ error){
	"a page of history": func(ctx context.Context, w *fixture) (int, error) {
		page, err := w.query.History(ctx, w.all())
		return len(page.Events), err
	},
	"an iteration": func(ctx context.Context, w *fixture) (n int, err error) {
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
	"a count": func(ctx context.Context, w *fixture) (int, error) {
		n, err := w.query.Count(ctx, w.all())
		return int(n.Events), err
	},
	"an index query": func(ctx context.Context, w *fixture) (int, error) {
		page, err := w.query.QueryIndex(ctx,
			query.IndexQuery{Kind: w.kind, Field: "unit", Value: "C", From: model.MinTime, To: model.MaxTime})
		return len(page.Events), err
	},
	"an iteration of an index query": func(ctx context.Context, w *fixture) (n int, err error) {
		for _, err = range w.query.EachIndexed(ctx,
			query.IndexQuery{Kind: w.kind, Field: "unit", Value: "C", From: model.MinTime, To: model.MaxTime}) {
			if err != nil {
				return n, err
			}
			n++
		}
		return n, err
	},
	"a page of rollups": func(ctx context.Context, w *fixture) (int, error) {
		page, err := w.query.Rollups(ctx, w.hours())
		return len(page.Rollups), err
	},
	"a total": func(ctx context.Context, w *fixture) (int, error) {
		total, err := w.query.Total(ctx, w.hours())
		return total.Buckets, err
	},
	"a chart": func(ctx context.Context, w *fixture) (int, error) {
		curve, err := w.query.Chart(ctx, query.Chart{
			Rollups: query.Rollups{Series: w.series(), From: now - 11*hour, To: now + 1}, Stitched: true, Gaps: true,
		})
		return len(curve.Rollups), err
	},
}

// Each request of each read fails once. A read that could not finish returns the error: it never
// returns a part of the result as if it were complete.
func TestReads_AFailedPageIsAnErrorAndNotSkipped(t *testing.T) {
	t.Parallel()
	for name, read := range reads {
		for n := 0; ; n++ {
			w := filledShards(t)
			requests := 0
			w.query.Store = &storetest.FaultyStore{Store: w.table, Reads: func(c storetest.Call) bool {
				requests++
				return c.N == n
			}}
			returned, err := read(context.Background(), w)
			if n >= requests { // the request to fail was never made
				if err != nil || returned != 12 {
					t.Errorf("%s without a failure: %d, %v; want 12", name, returned, err)
				}
				break
			}
			if !errors.Is(err, storetest.ErrRead) {
				t.Errorf("%s, request %d of %d failed: %v, want %v", name, n, requests, err, storetest.ErrRead)
			}
			if returned != 0 && name != "an iteration" {
				t.Errorf("%s, request %d failed: %d items with the error", name, n, returned)
			}
		}
	}
}

func TestReads_EndWhenTheContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	for name, read := range reads {
		if returned, err := read(ctx, filledShards(t)); !errors.Is(err, context.DeadlineExceeded) || returned != 0 {
			t.Errorf("%s after the deadline: %d, %v; want %v", name, returned, err, context.DeadlineExceeded)
		}
	}
}

func TestReads_OfOneItemReturnTheErrorOfTheStore(t *testing.T) {
	t.Parallel()
	w := filledShards(t)
	w.query.Store = &storetest.FaultyStore{Store: w.table, Reads: func(storetest.Call) bool { return true }}
	if c, err := w.query.Latest(context.Background(), w.series(), false); c != nil ||
		!errors.Is(err, storetest.ErrRead) {
		t.Errorf("latest: %v, %v", c, err)
	}
	of := *w.kind
	of.LatestBy = []catalog.LatestIndex{{Index: catalog.FirstIndex, By: []string{"unit"}}}
	if page, err := w.query.LatestBy(context.Background(),
		query.LatestBy{Kind: &of, Values: []string{"C"}}); page.Items != nil || !errors.Is(err, storetest.ErrRead) {
		t.Errorf("latest by: %v, %v", page.Items, err)
	}
	if p, err := w.query.Profile(context.Background(), model.Subject{Type: "DEVICE", ID: "sensor_01"},
		false); p != nil || !errors.Is(err, storetest.ErrRead) {
		t.Errorf("profile: %v, %v", p, err)
	}
}
