package oracle

import (
	"bytes"
	"context"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func expects(t *testing.T) map[Bucket]*Expect {
	t.Helper()
	all, err := ReadOracle(extractOracle, extractTop)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestSite_EveryBucketEqualsTheOracle(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 4} {
		w := loadedWorld(t, shards)
		result, err := Compare(t.Context(), w.out, w.kinds, expects(t))
		if err != nil {
			t.Fatal(err)
		}
		if result.Equal != 261 || len(result.Wrong) > 0 || result.Tops != 3*261 {
			t.Errorf("%d shards: %d buckets equal, %d tops, want 261 and 783; %q", shards, result.Equal, result.Tops,
				result.Wrong)
		}
	}
}

// saidBy returns the bytes of every summary, whatever the shards, or nil for a bucket where a
// dimension has more values than a row keeps, which may then differ.
func saidBy(t *testing.T, w *world, kinds ...string) map[string][]byte {
	t.Helper()
	said := map[string][]byte{}
	for _, unit := range []tier.Unit{tier.Minute, tier.Hour, tier.Day, tier.Month} {
		if unit == tier.Minute && kinds[0] == web.Sessions.Name {
			continue
		}
		found, err := read(t.Context(), w.out, w.kinds, extractSite, unit, kinds...)
		if err != nil {
			t.Fatal(err)
		}
		for start, r := range found {
			if !r.Exact {
				t.Errorf("%s %s is not exact", unit, start)
			}
			said[fmt.Sprint(unit, start)] = nil
			if path, _ := r.Summary.Dimension(webfield.Path); path.Exact || path.Values == nil {
				said[fmt.Sprint(unit, start)] = fmt.Append(append(r.Summary.Encode(nil), r.Digest[:]...), r.Continuation)
			}
		}
	}
	return said
}

func TestShards_FourEqualOne(t *testing.T) {
	t.Parallel()
	one, four := loadedWorld(t, 1), loadedWorld(t, 4)
	for _, kinds := range [][]string{{web.PageViews.Name}, {web.Requests.Name}, {web.Sessions.Name},
		{web.PageViews.Name, web.Requests.Name, web.Malformed.Name}} {
		want, got := saidBy(t, one, kinds...), saidBy(t, four, kinds...)
		if len(want) < 200 || len(got) != len(want) {
			t.Fatalf("%v: %d buckets on four shards, %d on one", kinds, len(got), len(want))
		}
		cut := 0
		for bucket := range want {
			switch {
			case want[bucket] == nil:
				cut++
			case !bytes.Equal(got[bucket], want[bucket]):
				t.Errorf("%v: %s differs", kinds, bucket)
			}
		}
		if cut > 4 {
			t.Errorf("%v: %d buckets have more paths than a row holds, want at most one, for the crawler", kinds, cut)
		}
	}
	if got, want := orders(four.events(web.PageViews.Name)),
		orders(one.events(web.PageViews.Name)); !slices.Equal(got, want) || len(want) != 230 {
		t.Errorf("%d page views on four shards, %d on one, want 230 in one order", len(got), len(want))
	}
}

func orders(events []model.Event) (all []model.Order) {
	for _, e := range events {
		all = append(all, e.Order)
	}
	return all
}

// After deleting the page views of a visitor, the rows are byte-equal to the rows of a table that
// never had them: counts by value and distinct counts are recomputed.
func TestDelete_RecountsDimensionsAndVisitors(t *testing.T) {
	t.Parallel()
	all := lines(t)
	gone := func(l Line) bool { return l.Type == "pageview" && l.Path == "/" }
	w := newWorld(t, 4)
	w.take(all)
	w.fold(mathrand.New(mathrand.NewPCG(2, 1)))
	n := w.delete(web.PageViews.Name, func(e *model.Event) bool {
		path, _ := e.Attrs.Get(webfield.Path)
		return path.Text == "/"
	})
	w.fold(mathrand.New(mathrand.NewPCG(2, 2)))

	without := newWorld(t, 4)
	without.take(slices.DeleteFunc(slices.Clone(all), gone))
	without.fold(mathrand.New(mathrand.NewPCG(3, 3)))
	for _, kind := range []string{web.PageViews.Name, web.Sessions.Name} {
		want, got := saidBy(t, without, kind), saidBy(t, w, kind)
		if n < 50 || len(got) != len(want) {
			t.Fatalf("%s: after deleting %d views there are %d buckets, want %d", kind, n, len(got), len(want))
		}
		for bucket := range want {
			if !bytes.Equal(got[bucket], want[bucket]) {
				t.Errorf("%s: %s differs from one that never had them", kind, bucket)
			}
		}
	}
}

func TestTop_OfARangeIsTheTopOfItsEvents(t *testing.T) {
	t.Parallel()
	w := loadedWorld(t, 4)
	views, _ := w.kinds.Kind(web.PageViews.Name)
	from, to := at("2025-01-01T00:00:00Z"), at("2026-01-01T00:00:00Z")
	counts := map[string]int64{}
	total := int64(0)
	for _, e := range w.events(web.PageViews.Name) {
		if path, _ := e.Attrs.Get(webfield.Path); from <= e.At && e.At < to {
			counts[path.Text]++
			total++
		}
	}
	for _, unit := range []tier.Unit{tier.Minute, tier.Hour, tier.Day, tier.Month} {
		shares, sum, err := w.out.Top(context.Background(), query.Top{
			Rollups:   query.Rollups{Series: query.Series{Kind: views, Subject: extractSite}, Unit: unit, From: from, To: to},
			Dimension: webfield.Path, Values: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		if sum.Summary.Events() != total || !shares.Exact {
			t.Errorf("%s: %d events, exact %v; want %d", unit, sum.Summary.Events(), shares.Exact, total)
		}
		shown := shares.Other
		for _, s := range shares.Values {
			shown += s.Count
			if s.Count != counts[s.Value] || s.Share != float64(s.Count)/float64(total) {
				t.Errorf("%s: %q occurs %d times, a share of %v; want %d of %d", unit, s.Value, s.Count, s.Share,
					counts[s.Value], total)
			}
		}
		if len(shares.Values) != 1 || shown != total {
			t.Errorf("%s: %d values with the others sum to %d, want 1 and %d", unit, len(shares.Values), shown, total)
		}
	}
}

// The distinct visitors of a year are counted from its events, not summed over its days.
func TestTotal_CountsAVisitorOnce(t *testing.T) {
	t.Parallel()
	w := loadedWorld(t, 4)
	views, _ := w.kinds.Kind(web.PageViews.Name)
	different := map[string]bool{}
	for _, e := range w.events(web.PageViews.Name) {
		v, _ := e.Attrs.Get(webfield.Visitor)
		different[v.Text] = true
	}
	total, err := w.out.Total(t.Context(), query.Rollups{Series: query.Series{Kind: views, Subject: extractSite},
		Unit: tier.Day, From: model.MinTime, To: model.MaxTime + 1})
	if err != nil {
		t.Fatal(err)
	}
	if got, exact, _ := total.Summary.Distinct(webfield.Visitor); got != int64(len(different)) || !exact {
		t.Errorf("%d visitors, exact %v; want %d", got, exact, len(different))
	}
}

func TestVisitor_ViewsAreFoundByValue(t *testing.T) {
	t.Parallel()
	w := loadedWorld(t, 4)
	views, _ := w.kinds.Kind(web.PageViews.Name)
	of := map[string][]model.Order{}
	for _, e := range w.events(web.PageViews.Name) {
		v, _ := e.Attrs.Get(webfield.Visitor)
		of[v.Text] = append(of[v.Text], e.Order)
	}
	for visitor, want := range of {
		var got []model.Order
		for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
			page, err := w.out.QueryIndex(t.Context(), query.IndexQuery{
				Kind: views, Field: webfield.Visitor, Value: visitor, From: model.MinTime, To: model.MaxTime + 1, Limit: 3, Cursor: cursor,
			})
			if err != nil {
				t.Fatal(err)
			}
			got, cursor = append(got, orders(page.Events)...), page.Next
		}
		if !slices.Equal(got, want) {
			t.Errorf("visitor %s: %d views, want %d", visitor, len(got), len(want))
		}
	}
}

// The last minutes are one range of the minute tier, including the open minute.
func TestLast_ReadsTheMinutesBeforeNow(t *testing.T) {
	t.Parallel()
	w := loadedWorld(t, 4)
	busy := slices.IndexFunc(lines(t), func(l Line) bool { return l.Type == "pageview" && l.At > "2025-03" })
	now := at(lines(t)[busy].At).Add(90 * time.Second)
	views, _ := w.kinds.Kind(web.PageViews.Name)
	from, to := query.Last(5*time.Minute, tier.Minute, now)
	want := int64(0)
	for _, e := range w.events(web.PageViews.Name) {
		if from <= e.At && e.At < to {
			want++
		}
	}
	reader := *w.out
	reader.Now = func() model.Time { return now }
	total, err := reader.Total(t.Context(), query.Rollups{Series: query.Series{Kind: views,
		Subject: extractSite}, Unit: tier.Minute, From: from, To: to})
	if err != nil || total.Summary.Events() != want || want == 0 {
		t.Errorf("%d views in the last five minutes, %v; want %d", total.Summary.Events(), err, want)
	}
	if to.Sub(from) != 5*time.Minute || to < now || to.Sub(now) > time.Minute {
		t.Errorf("the last five minutes before %s are %s to %s", now, from, to)
	}
}
