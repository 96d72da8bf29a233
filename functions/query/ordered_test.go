package main

import (
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/engine/ordervalue"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// In a kind that is ordered by a number, from and to are numbers, and events have no time.
func TestHandle_ServesAKindOrderedByANumber(t *testing.T) {
	kinds, err := catalog.New(catalog.Kind{Name: "SCORE", Subject: catalog.SubjectType{Name: "PLAYER"},
		OrderBy: "points", OrderType: catalog.NumberOrder})
	if err != nil {
		t.Fatal(err)
	}
	clock := func() model.Time { return now }
	table := memory.New(clock)
	for _, points := range []string{"-1.5", "9", "10"} {
		attrs := model.Attrs{number("points", points)}
		order := ordervalue.Order("points", 0, "x", attrs)
		if _, err := table.Put(t.Context(),
			model.Event{Series: kinds.Kinds[0].Series("ann", "", order), Order: order, Attrs: attrs}); err != nil {
			t.Fatal(err)
		}
	}
	h := &Handler{Catalog: kinds, Query: &query.Service{Store: table, Now: clock,
		CursorKey: []byte(localCursorKey)}, Log: slog.New(slog.DiscardHandler)}
	for path, want := range map[string]struct {
		status int
		body   string
	}{
		"/v1/players/ann/scores?from=-2&to=10":   {200, `{"events":[{"at":null,"id":"x","fields":{"points":9}},{"at":null,"id":"x","fields":{"points":-1.5}}],"next":null}`},
		"/v1/players/ann/scores?from=10":         {200, `{"events":[{"at":null,"id":"x","fields":{"points":10}}],"next":null}`},
		"/v1/players/ann/scores/count?from=-2":   {200, `{"events":3,"unreadable":0}`},
		"/v1/players/ann/scores?from=2026-04-20": {400, "/problems/bad-time"},
		"/v1/players/ann/scores?from=10&to=9":    {400, "/problems/inverted-range"},
		"/v1/players/ann/scores/rollups/day":     {404, "/problems/unknown-tier"},
	} {
		response := get(t, h, path)
		switch {
		case response.Status != want.status:
			t.Errorf("%s: %d %s, want %d", path, response.Status, response.Body, want.status)
		case want.body[0] == '/':
			requireProblem(t, response, want.body)
		default:
			if diff := cmp.Diff(decoded(t, want.body), decoded(t, response.Body)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
	}
}
