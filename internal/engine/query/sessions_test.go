package query_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// visits is a table with page views of visitors.
type visits struct {
	*testing.T
	sessions *catalog.Kind
	views    *catalog.Kind
	table    *memory.Table
	query    *query.Service
}

func newVisits(t *testing.T) *visits {
	t.Helper()
	kinds, err := catalog.New(web.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	clock := func() model.Time { return now }
	v := &visits{T: t, table: memory.New(clock)}
	v.sessions, _ = kinds.Kind(web.Sessions.Name)
	v.views, _ = kinds.Kind(web.PageViews.Name)
	v.query = &query.Service{Store: v.table, Now: clock, CursorKey: []byte("a key for tests only")}
	return v
}

func (v *visits) put(site, visitor, when string, expiresAt int64) {
	v.Helper()
	order := model.Order{At: at(when), ID: when + visitor}
	attrs := model.Attrs{{Name: webfield.Path, Value: model.TextValue("/" + when[11:16])},
		{Name: webfield.Visitor, Value: model.TextValue(visitor)}}
	e := model.Event{Series: v.views.Series(site, "", order), Order: order, Attrs: attrs,
		IndexBy: v.views.IndexBy, ExpiresAt: expiresAt}
	if _, err := v.table.Put(v.Context(), e); err != nil {
		v.Fatal(err)
	}
}

func of(visitor string) model.Condition {
	return model.Condition{{Field: webfield.Visitor, Op: model.Equal, Value: model.TextValue(visitor)}}
}

func (v *visits) history(visitor string) query.History {
	return query.History{Series: query.Series{Kind: v.sessions, Subject: "x.org"}, From: model.MinTime,
		To: model.MaxTime + 1, Where: of(visitor)}
}

func (v *visits) text(e *model.Event) string {
	exit, _ := e.Attrs.Get(webfield.Exit)
	n, _ := e.Attrs.Get(webfield.Views)
	return fmt.Sprintf("%s %s to %s", e.At.String()[11:16], n.String(), exit.Text)
}

// busy stores four sessions of a visitor, one of them over midnight, among other events.
func busy(t *testing.T) *visits {
	v := newVisits(t)
	for _, when := range []string{"2026-04-18T23:50:00Z", "2026-04-19T00:20:00Z", "2026-04-19T10:00:00Z",
		"2026-04-19T10:30:00.001Z", "2026-04-19T12:00:00Z"} {
		v.put("x.org", "a", when, 0)
	}
	v.put("x.org", "b", "2026-04-19T10:10:00Z", 0)
	v.put("y.org", "a", "2026-04-19T10:15:00Z", 0)
	v.put("x.org", "a", "2026-04-19T11:45:00Z", now.Seconds()) // has expired
	return v
}

func TestSessions_AreCutOnReadingFromTheIndexByVisitor(t *testing.T) {
	t.Parallel()
	v := busy(t)
	all := []string{"23:50 2 to /00:20", "10:00 1 to /10:00", "10:30 1 to /10:30", "12:00 1 to /12:00"}
	for _, newest := range []bool{false, true} {
		want := slices.Clone(all)
		if newest {
			slices.Reverse(want)
		}
		for limit := range 6 {
			q := v.history("a")
			q.Newest, q.Limit = newest, limit
			var got []string
			for pagesRead := 0; ; pagesRead++ {
				page, err := v.query.History(t.Context(), q)
				if err != nil || pagesRead > len(all) {
					t.Fatalf("page %d of %d sessions: %v", pagesRead, limit, err)
				}
				for i := range page.Events {
					got = append(got, v.text(&page.Events[i]))
				}
				if q.Cursor = page.Next; q.Cursor == "" {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("pages of %d, newest first %v: %q, want %q", limit, newest, got, want)
			}
		}
	}
	q := v.history("a")
	q.From = at("2026-04-19T00:00:00Z")
	q.To = at("2026-04-19T10:30:00Z")
	q.Fields = []string{webfield.Entry}
	found, err := paging.Collect(v.query.EachEvent(t.Context(), q))
	if err != nil || len(found) != 1 || found[0].At != at("2026-04-19T10:00:00Z") || len(found[0].Attrs) != 1 {
		t.Errorf("sessions that begin in a range: %v, %v", found, err)
	}
	q = v.history("a")
	q.Where = append(q.Where,
		model.Term{Field: webfield.Bounce, Op: model.Equal, Value: model.NumberValue(model.NewDecimal(0))})
	if n, err := v.query.Count(t.Context(), q); err != nil || n.Events != 1 {
		t.Errorf("sessions that did not bounce: %d, %v", n.Events, err)
	}
	page, err := v.query.History(t.Context(), v.history("a"))
	raw, errOfRaw := v.query.History(t.Context(),
		query.History{Series: query.Series{Kind: v.views, Subject: "x.org"}, From: model.MinTime, To: now})
	if err != nil || errOfRaw != nil || page.CompleteFrom != raw.CompleteFrom.Add(30*time.Minute) {
		t.Errorf("complete from %s, %v; views are from %s, %v", page.CompleteFrom, err, raw.CompleteFrom, errOfRaw)
	}
}

func TestSessions_AreFoundByFirstViewAndVisitor(t *testing.T) {
	t.Parallel()
	v := busy(t)
	site := query.Series{Kind: v.sessions, Subject: "x.org"}
	for when, want := range map[string]string{"2026-04-18T23:50:00Z": "23:50 2 to /00:20",
		"2026-04-19T00:20:00Z": "", "2026-04-19T11:45:00Z": ""} {
		got, err := v.query.Event(t.Context(), site, model.Order{At: at(when), ID: "a"})
		if err != nil || (got == nil) != (want == "") || got != nil && v.text(got) != want {
			t.Errorf("%s: %v, %v; want %q", when, got, err, want)
		}
	}
	order := model.Order{At: at("2026-04-19T10:00:00Z"), ID: "2026-04-19T10:00:00Za"}
	if e, err := v.query.Event(t.Context(), query.Series{Kind: v.views, Subject: "x.org"}, order); err != nil ||
		e == nil || e.Order != order {
		t.Errorf("a stored event by its id: %v, %v", e, err)
	}
}

func TestSessions_RefuseWhatTheIndexCannotServe(t *testing.T) {
	t.Parallel()
	v := busy(t)
	unindexed, groups := *v.sessions, &catalog.Kind{Name: "READING_BY_SITE", GroupsOf: "READING", Shards: 1}
	unindexed.IndexBy = ""
	for name, c := range map[string]struct {
		change func(*query.History)
		want   error
	}{
		"all visitors":         {func(q *query.History) { q.Where = nil }, model.ErrCondition},
		"visitors by prefix":   {func(q *query.History) { q.Where[0].Op = model.Begins }, model.ErrCondition},
		"no visitor":           {func(q *query.History) { q.Where[0].Value.Text = "" }, model.ErrCondition},
		"consistently":         {func(q *query.History) { q.Consistent = true }, model.ErrCondition},
		"of groups":            {func(q *query.History) { q.Kind = groups }, query.ErrNoEvents},
		"without an index":     {func(q *query.History) { q.Kind = &unindexed }, query.ErrNotIndexed},
		"an empty range":       {func(q *query.History) { q.To = q.From }, query.ErrRange},
		"a cursor of another":  {func(q *query.History) { q.Cursor = "x" }, query.ErrCursor},
		"a limit that is less": {func(q *query.History) { q.Limit = -1 }, query.ErrLimit},
	} {
		q := v.history("a")
		c.change(&q)
		if _, err := v.query.History(t.Context(), q); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	v.query.Store = &storetest.FaultyStore{Store: v.table, Reads: func(storetest.Call) bool { return true }}
	if _, err := v.query.Event(t.Context(), query.Series{Kind: v.sessions, Subject: "x.org"},
		model.Order{At: now, ID: "a"}); !errors.Is(err, storetest.ErrRead) {
		t.Errorf("an index that cannot be read: %v", err)
	}
}
