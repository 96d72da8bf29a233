package main

import (
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestHandle_ServesLatestItemsByIndexedFields(t *testing.T) {
	kinds, err := catalog.New(catalog.Kind{
		Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"},
		LatestBy: []catalog.LatestIndex{{Index: catalog.SecondIndex, By: []string{"state"}, Sort: []string{"room"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	clock := func() model.Time { return now }
	table := memory.New(clock)
	for _, device := range []string{"b", "a"} {
		order := model.Order{At: at("2026-04-20T14:00:00Z")}
		series := kinds.Kinds[0].Series(device, "", order)
		_, err := table.Append(t.Context(), storage.AppendTransaction{Latest: &storage.LatestWrite{
			Series: series, Create: true, First: order, Last: order, Set: model.Attrs{text("room", "hall"), text("state", "open")}, Now: now,
			Entries: []storage.IndexEntry{{Index: catalog.SecondIndex, Key: tablekeys.LatestEntry(series, []string{"open"}, []string{"hall"})}},
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	h := &Handler{Catalog: kinds, Query: &query.Service{Store: table, Now: clock,
		CursorKey: []byte(localCursorKey)}, Log: slog.New(slog.DiscardHandler)}
	const item = `,"stream":"","at":"2026-04-20T14:00:00.000Z","id":"","fields":{"room":"hall","state":"open"}}`
	for path, want := range map[string]struct {
		status int
		body   string
	}{
		"/v1/readings/latest?by=open&index=gsi2":       {200, `{"events":[{"subject":"a"` + item + `,{"subject":"b"` + item + `],"next":null}`},
		"/v1/readings/latest?by=closed&index=gsi2":     {200, `{"events":[],"next":null}`},
		"/v1/readings/latest?by=open":                  {404, "/problems/not-indexed"},
		"/v1/readings/latest?index=gsi2":               {404, "/problems/not-indexed"},
		"/v1/readings/latest?by=open&index=gsi2&to=3d": {400, "/problems/unknown-parameter"},
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
