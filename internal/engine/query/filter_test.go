package query_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func above(n int64) model.Condition {
	return model.Condition{{Field: "temperature", Op: model.Greater,
		Value: model.NumberValue(model.NewDecimal(n))}}
}

// With any filter, limit and direction, all pages together, the iteration and the count agree.
func TestHistory_FilteredPagesIterationAndCountAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newFixture(t, shards(rapid.IntRange(1, 3).Draw(t, "shards")))
		want := 0
		threshold := rapid.Int64Range(-1, 10).Draw(t, "threshold")
		for i := range rapid.IntRange(0, 60).Draw(t, "events") {
			value := rapid.Int64Range(0, 10).Draw(t, "value")
			w.put(w.reading(now-model.Time(i), "", value, 0))
			if value > threshold {
				want++
			}
		}
		q := w.all()
		q.Where = above(threshold)
		q.Newest = rapid.Bool().Draw(t, "newest")
		q.Limit = rapid.IntRange(1, 7).Draw(t, "limit")
		counted, err := w.query.Count(context.Background(),
			query.History{Series: q.Series, From: q.From, To: q.To, Where: q.Where})
		if err != nil || counted != (query.EventCount{Events: int64(want)}) {
			t.Fatalf("counted %+v, %v; want %d", counted, err, want)
		}
		var paged []model.Order
		for pages := 0; ; pages++ {
			page, err := w.query.History(context.Background(), q)
			if err != nil || len(page.Events) > q.Limit || pages > 100 {
				t.Fatalf("page %d: %d events, %v", pages, len(page.Events), err)
			}
			for _, e := range page.Events {
				paged = append(paged, e.Order)
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
		}
		q.Limit = 0
		if all := w.orders(q); fmt.Sprint(all) != fmt.Sprint(paged) || len(all) != want {
			t.Fatalf("pages %v, iteration %v, want %d of them", paged, all, want)
		}
	})
}

func TestHistory_AFilterIsPartOfItsCursor(t *testing.T) {
	t.Parallel()
	w := newFixture(t, nil)
	q, cursor := w.cursor()
	q.Cursor, q.Where = cursor, above(0)
	if _, err := w.query.History(context.Background(), q); !errors.Is(err, query.ErrCursorMismatch) {
		t.Errorf("a cursor made without the filter: %v, want %v", err, query.ErrCursorMismatch)
	}
	q.Where, q.Fields = nil, []string{"temperature"}
	if _, err := w.query.History(context.Background(), q); err != nil {
		t.Errorf("another projection: %v, want the page", err)
	}
}

func TestHistory_ReturnsOnlyTheRequestedFields(t *testing.T) {
	t.Parallel()
	w := newFixture(t, nil)
	e := w.reading(now, "", 1, 0)
	e.Attrs = append(e.Attrs, text("unit", "C"), text("where", "hall"))
	w.put(e)
	for _, c := range []struct {
		fields []string
		want   string
	}{
		{nil, "[{temperature 1} {unit \"C\"} {where \"hall\"}]"},
		{[]string{}, "[]"},
		{[]string{"where", "unknown", "temperature"}, "[{temperature 1} {where \"hall\"}]"},
	} {
		q := w.all()
		q.Fields, q.Where = c.fields, above(0) // a filter may use fields that are not returned
		page, err := w.query.History(context.Background(), q)
		if requireNoError(t, err); fmt.Sprint(page.Events[0].Attrs) != c.want {
			t.Errorf("fields %q: %v, want %s", c.fields, page.Events[0].Attrs, c.want)
		}
	}
}

func TestHistory_UnreadableEventsMatchEveryFilterAndAreCountedSeparately(t *testing.T) {
	t.Parallel()
	w := newFixture(t, nil)
	e := w.reading(now, "", 100, 0)
	damaged := item.FromEvent(&e)
	delete(damaged, tablekeys.AttrHash)
	requireNoError(t, w.table.PutItem(context.Background(), damaged))
	w.put(w.reading(now-1, "", 1, 0))
	q := w.all()
	q.Where = above(1000)
	if found := w.orders(q); len(found) != 1 || found[0].At != now {
		t.Errorf("got %v, want the unreadable event", found)
	}
	counted, err := w.query.Count(context.Background(), q)
	if requireNoError(t, err); counted != (query.EventCount{Unreadable: 1}) {
		t.Errorf("counted %+v, want one unreadable", counted)
	}
}

func TestHistory_AFilteredPageNeedsOneRequest(t *testing.T) {
	t.Parallel()
	w := newFixture(t, nil)
	for i := range model.Time(100) {
		w.put(w.reading(now-i, "", int64(i%10), 0))
	}
	q := w.all()
	q.Where, q.Limit = above(8), 10
	page, err := w.query.History(context.Background(), q)
	if requireNoError(t, err); len(page.Events) != 10 || w.store.requests.Load() != 1 {
		t.Errorf("%d events by %d requests, want 10 by one", len(page.Events), w.store.requests.Load())
	}
}

// One request reads ten events for each requested one, at most 10,000, and never fewer than requested.
func TestHistory_AFilterReadsALimitedNumberOfEvents(t *testing.T) {
	t.Parallel()
	w := newFixture(t, nil)
	w.put(w.reading(now, "", 1, 0))
	for limit, want := range map[int]int64{1: 10, 500: 5_000, 1_000: 10_000, 2_000: 10_000, 20_000: 20_000} {
		q := w.all()
		q.Where, q.Limit = above(8), limit
		if _, err := w.query.History(t.Context(), q); err != nil || w.store.limit.Load() != want {
			t.Errorf("limit %d: read %d events, %v; want %d", limit, w.store.limit.Load(), err, want)
		}
	}
}

func TestHistory_AnInvalidConditionIsAnError(t *testing.T) {
	t.Parallel()
	w := newFixture(t, nil)
	q := w.all()
	q.Where = model.Condition{{Field: "temperature", Op: "~"}}
	if _, err := w.query.History(context.Background(), q); !errors.Is(err, model.ErrCondition) {
		t.Errorf("page: %v, want %v", err, model.ErrCondition)
	}
	if _, err := w.query.Count(context.Background(), q); !errors.Is(err, model.ErrCondition) {
		t.Errorf("count: %v, want %v", err, model.ErrCondition)
	}
}
