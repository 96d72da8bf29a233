package tablescan

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const testNow = model.Time(1_776_695_400_000) // 2026-04-20T14:30:00Z

// newTable returns a table with 3 events of each of 4 series: 2 devices, 2 shards each.
func newTable(t *testing.T) (*memory.Table, *catalog.Catalog) {
	t.Helper()
	kinds, err := catalog.New(
		catalog.Kind{Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"}, Shards: 2})
	if err != nil {
		t.Fatal(err)
	}
	table := memory.New(func() model.Time { return testNow })
	for i := range 12 {
		series := model.Series{Subject: device(i % 2), Kind: "READING", Shard: 1 + i/2%2}
		e := model.Event{Series: series, Order: model.Order{At: testNow + model.Time(i), ID: fmt.Sprint(i)}}
		if _, err := table.Put(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	return table, kinds
}

func device(i int) model.Subject { return model.Subject{Type: "DEVICE", ID: fmt.Sprint("d", i)} }

func TestEach_VisitsEveryItemAndStopsAtAnError(t *testing.T) {
	table, _ := newTable(t)
	n := 0
	if err := Each(t.Context(), table, func(item.Item) error { n++; return nil }); err != nil || n != 12 {
		t.Errorf("visited %d items, %v; want 12", n, err)
	}
	failed := errors.New("failed")
	if err := Each(t.Context(), table, func(item.Item) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("got %v, want the error of visit", err)
	}
}

func TestWalk_VisitsOneSubjectOrTheTableUntilVisitReturnsFalse(t *testing.T) {
	table, kinds := newTable(t)
	for _, c := range []struct {
		subject model.Subject
		most    int
		want    int
	}{{model.Subject{}, 99, 12}, {device(0), 99, 6}, {device(0), 4, 4}, {model.Subject{}, 4, 4}} {
		n := 0
		err := Walk(t.Context(), table, kinds, c.subject, func(item.Item) bool { n++; return n < c.most })
		if err != nil || n != c.want {
			t.Errorf("%q, at most %d: visited %d items, %v; want %d", c.subject, c.most, n, err, c.want)
		}
	}
}

// Earlier versions wrote a row for each shard. A series that has only such rows has no data left.
func TestSeries_LeavesOutRowsOfShards(t *testing.T) {
	table, kinds := newTable(t)
	for shard, want := range map[int]int{0: 1, 1: 0} {
		s := model.Series{Subject: device(7 + shard), Kind: "READING", Shard: shard}
		row := rollup.Row{Key: rollup.Key{Series: s, Tier: tier.Hour.String(),
			Start: tier.Hour.BucketAt(testNow).Start}, Fold: *rollup.NewFold(nil), V: 1, Rev: rollup.Rev{1}}
		if result, err := table.PutRow(t.Context(), &row, rollup.Rev{}); err != nil || result != storage.Written {
			t.Fatalf("put a row of shard %d: %v, %v", shard, result, err)
		}
		all, err := Series(t.Context(), table, kinds, model.Subject{})
		found := slices.DeleteFunc(all, func(f model.Series) bool { return f.Subject != s.Subject })
		if err != nil || len(found) != want {
			t.Errorf("a row of shard %d: found %v, %v; want %d series", shard, found, err, want)
		}
	}
}

// A series is found once, whatever its shards.
func TestSeries_ReturnsThemSorted(t *testing.T) {
	table, kinds := newTable(t)
	for _, c := range []struct {
		subject model.Subject
		want    int
	}{{model.Subject{}, 2}, {device(1), 1}} {
		got, err := Series(t.Context(), table, kinds, c.subject)
		if err != nil || len(got) != c.want {
			t.Errorf("%q: got %v, %v; want %d series", c.subject, got, err, c.want)
		}
		for i := 1; i < len(got); i++ {
			if CompareSeries(got[i-1], got[i]) >= 0 {
				t.Errorf("%q: %v is not sorted", c.subject, got)
			}
		}
	}
}

// The names of series cost pages, not the items.
func TestSeries_SkipsTheItemsOfASeries(t *testing.T) {
	table, kinds := newTable(t)
	for i := range 20_000 {
		series := model.Series{Subject: device(i % 2), Kind: "READING", Shard: 1}
		e := model.Event{Series: series, Order: model.Order{At: testNow + model.Time(100+i)}}
		if _, err := table.Put(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	ctx, meter := model.WithReadMeter(t.Context())
	got, err := Series(ctx, table, kinds, model.Subject{})
	if read := meter.Cost(); err != nil || len(got) != 2 || read.Items > 2*namesPage+12 {
		t.Errorf("%v, %v, with %d items read; want 2 series by a page of each", got, err, read.Items)
	}
}
