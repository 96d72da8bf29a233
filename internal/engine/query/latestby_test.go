package query_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// newDoorFixture stores the latest items of five devices, indexed by state and sorted by
// room.
func newDoorFixture(t *testing.T) *fixture {
	w := newFixture(t, func(k *catalog.Kind) {
		k.LatestBy = []catalog.LatestIndex{{By: []string{"state"}, Sort: []string{"room"}}}
	})
	for i, state := range []string{"open", "shut", "open", "open", "open"} {
		e := w.reading(now, "", 1, 0)
		e.Series.Subject.ID = fmt.Sprint("d", i)
		room := fmt.Sprint("room ", i/3)
		tx := storage.AppendTransaction{Puts: []model.Event{e}, Latest: &storage.LatestWrite{
			Series: e.Series, Create: true, Last: e.Order, Set: model.Attrs{text("room", room), text("state", state)},
			Entries: []storage.IndexEntry{{Index: keys.IndexGSI1, Key: tablekeys.LatestEntry(e.Series, []string{state}, []string{room})}},
		}}
		if stored, err := w.table.Append(context.Background(), tx); err != nil || stored.Result != storage.Written {
			t.Fatalf("append: %v, %v", stored.Result, err)
		}
	}
	return w
}

func TestLatestBy_PagesReturnEveryItemInBothDirections(t *testing.T) {
	t.Parallel()
	w := newDoorFixture(t)
	for backwards, want := range map[bool]string{false: "d0 d2 d3 d4 ", true: "d4 d3 d2 d0 "} {
		for limit := range 5 {
			q := query.LatestBy{Kind: w.kind, Values: []string{"open"}, Descending: backwards, Limit: limit}
			got := ""
			for pages := 0; ; pages++ {
				page, err := w.query.LatestBy(context.Background(), q)
				if err != nil || pages > 9 {
					t.Fatalf("page %d: %v", pages, err)
				}
				for _, c := range page.Items {
					got += c.Series.Subject.ID + " "
				}
				if q.Cursor = page.Next; q.Cursor == "" {
					break
				}
			}
			if got != want {
				t.Errorf("backwards %v, limit %d: %s, want %s", backwards, limit, got, want)
			}
		}
	}
	page, err := w.query.LatestBy(context.Background(),
		query.LatestBy{Kind: w.kind, Values: []string{"open"}, SortPrefix: []string{"room 1"}})
	if err != nil || len(page.Items) != 2 {
		t.Errorf("open in room 1: %d, %v; want d3 and d4", len(page.Items), err)
	}
}

func TestLatestBy_RejectsInvalidRequests(t *testing.T) {
	t.Parallel()
	w := newDoorFixture(t)
	first, err := w.query.LatestBy(context.Background(),
		query.LatestBy{Kind: w.kind, Values: []string{"open"}, Limit: 1})
	requireNoError(t, err)
	for name, c := range map[string]struct {
		change func(*query.LatestBy)
		want   error
	}{
		"an unknown index":                {func(q *query.LatestBy) { q.Index = "gsi2" }, query.ErrNotIndexed},
		"too few values":                  {func(q *query.LatestBy) { q.Values = nil }, query.ErrNotIndexed},
		"too many sort fields":            {func(q *query.LatestBy) { q.SortPrefix = []string{"a", "b"} }, query.ErrNotIndexed},
		"a negative limit":                {func(q *query.LatestBy) { q.Limit = -1 }, query.ErrLimit},
		"a forged cursor":                 {func(q *query.LatestBy) { q.Cursor = "x" }, query.ErrCursor},
		"a cursor of other values":        {func(q *query.LatestBy) { q.Cursor, q.Values = first.Next, []string{"shut"} }, query.ErrCursorMismatch},
		"a cursor of the other direction": {func(q *query.LatestBy) { q.Cursor, q.Descending = first.Next, true }, query.ErrCursorMismatch},
	} {
		q := query.LatestBy{Kind: w.kind, Values: []string{"open"}}
		c.change(&q)
		if _, err := w.query.LatestBy(context.Background(), q); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	w.query.CursorKey = nil
	if _, err := w.query.LatestBy(context.Background(),
		query.LatestBy{Kind: w.kind, Values: []string{"open"}, Limit: 1}); !errors.Is(err, query.ErrNoCursorKey) {
		t.Errorf("without a key: %v, want %v", err, query.ErrNoCursorKey)
	}
}
