package query_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// doors has the currents of five devices, found by state and ordered by room.
func doors(t *testing.T) *world {
	w := newWorld(t, func(k *catalog.Kind) {
		k.CurrentBy = []catalog.CurrentIndex{{By: []string{"state"}, Sort: []string{"room"}}}
	})
	for i, state := range []string{"open", "shut", "open", "open", "open"} {
		e := w.reading(now, "", 1, 0)
		e.Series.Subject.ID = fmt.Sprint("d", i)
		room := fmt.Sprint("room ", i/3)
		tx := ingest.Transaction{Puts: []model.Event{e}, Current: &ingest.CurrentWrite{
			Series: e.Series, Create: true, Last: e.Order, Set: model.Attrs{text("room", room), text("state", state)},
			Entries: []ingest.IndexEntry{{Index: keys.IndexGSI1, Key: keys.CurrentEntry(e.Series, []string{state}, []string{room})}},
		}}
		if reply, err := w.table.Append(context.Background(), tx); err != nil || reply.Answer != model.Written {
			t.Fatalf("append: %v, %v", reply.Answer, err)
		}
	}
	return w
}

func TestCurrents_PagesTogetherAreTheWholeEitherWay(t *testing.T) {
	t.Parallel()
	w := doors(t)
	for backwards, want := range map[bool]string{false: "d0 d2 d3 d4 ", true: "d4 d3 d2 d0 "} {
		for limit := range 5 {
			q := query.Currents{Kind: w.kind, By: []string{"open"}, Backwards: backwards, Limit: limit}
			got := ""
			for pages := 0; ; pages++ {
				page, err := w.query.Currents(context.Background(), q)
				if err != nil || pages > 9 {
					t.Fatalf("page %d: %v", pages, err)
				}
				for _, c := range page.Currents {
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
	page, err := w.query.Currents(context.Background(), query.Currents{Kind: w.kind, By: []string{"open"}, First: []string{"room 1"}})
	if err != nil || len(page.Currents) != 2 {
		t.Errorf("open in room 1: %d, %v; want d3 and d4", len(page.Currents), err)
	}
}

func TestCurrents_WhatCannotBeAskedIsNamed(t *testing.T) {
	t.Parallel()
	w := doors(t)
	first, err := w.query.Currents(context.Background(), query.Currents{Kind: w.kind, By: []string{"open"}, Limit: 1})
	requireNoError(t, err)
	for name, c := range map[string]struct {
		change func(*query.Currents)
		want   error
	}{
		"an index the kind lacks":   {func(q *query.Currents) { q.Index = "gsi2" }, query.ErrNotIndexed},
		"too few values":            {func(q *query.Currents) { q.By = nil }, query.ErrNotIndexed},
		"too many of the order":     {func(q *query.Currents) { q.First = []string{"a", "b"} }, query.ErrNotIndexed},
		"a negative limit":          {func(q *query.Currents) { q.Limit = -1 }, query.ErrLimit},
		"a made-up cursor":          {func(q *query.Currents) { q.Cursor = "x" }, query.ErrCursor},
		"a cursor of other values":  {func(q *query.Currents) { q.Cursor, q.By = first.Next, []string{"shut"} }, query.ErrForeignCursor},
		"a cursor the other way on": {func(q *query.Currents) { q.Cursor, q.Backwards = first.Next, true }, query.ErrForeignCursor},
	} {
		q := query.Currents{Kind: w.kind, By: []string{"open"}}
		c.change(&q)
		if _, err := w.query.Currents(context.Background(), q); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	w.query.CursorKey = nil
	if _, err := w.query.Currents(context.Background(), query.Currents{Kind: w.kind, By: []string{"open"}, Limit: 1}); !errors.Is(err, query.ErrNoCursorKey) {
		t.Errorf("without a key: %v, want %v", err, query.ErrNoCursorKey)
	}
}
