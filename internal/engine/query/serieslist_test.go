package query_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Pages of any size have each series once, sorted, and no subject on two pages, unless
// that subject alone is more than a page.
func TestSeries_PagesHaveEverySeriesOnceAndWholeSubjects(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	table := memory.New(func() model.Time { return 0 })
	var want []storage.ListedSeries
	for i := range 60 {
		for stream := range draw.IntN(5) {
			want = append(want, storage.ListedSeries{Series: model.Series{Subject: model.Subject{Type: "DEVICE",
				ID: fmt.Sprint("d%", i)}, Kind: "READING", Stream: strings.Repeat("s", stream)}, First: 1, Last: 2})
		}
	}
	want = append(want, storage.ListedSeries{Series: model.Series{Subject: model.Subject{Type: "DEVICE",
		ID: "profile"}}})
	slices.SortFunc(want, func(a, b storage.ListedSeries) int {
		return strings.Compare(tablekeys.SeriesEntry(a.Series).SK, tablekeys.SeriesEntry(b.Series).SK)
	})
	other := storage.ListedSeries{Series: model.Series{Subject: model.Subject{Type: "SITE", ID: "s"},
		Kind: "REQUEST"}}
	for _, l := range append(slices.Clone(want), other) {
		if err := table.PutItem(t.Context(), item.FromListedSeries(l)); err != nil {
			t.Fatal(err)
		}
	}
	s := &query.Service{Store: table, Now: func() model.Time { return 0 }, CursorKey: []byte("a key of sixteen")}
	for limit := range 12 {
		q := query.SeriesList{Subject: model.Subject{Type: "DEVICE"}, Limit: limit}
		var got []storage.ListedSeries
		for more := true; more; more = q.Cursor != "" {
			page, err := s.Series(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(got); n > 0 && len(page.Series) > 0 && limit > 4 &&
				got[n-1].Series.Subject == page.Series[0].Series.Subject {
				t.Errorf("limit %d: %s is on two pages", limit, got[n-1].Series.Subject)
			}
			got, q.Cursor = append(got, page.Series...), page.Next
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("limit %d (-want +got):\n%s", limit, diff)
		}
	}
	all, err := paging.Collect(s.EachSeries(t.Context(), query.SeriesList{Subject: want[0].Series.Subject}))
	if err != nil || len(all) == 0 || all[0].Series.Subject != want[0].Series.Subject ||
		all[len(all)-1].Series.Subject != want[0].Series.Subject {
		t.Errorf("the series of one subject are %v, %v", all, err)
	}
}
