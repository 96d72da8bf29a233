package main

import (
	"context"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A series is listed when its first event is processed, so a list says which changes are processed: an empty
// one behind a table stream that stands is not the list of a table without subjects.
func TestLists_SayWhichChangesAreProcessed(t *testing.T) {
	for name, c := range map[string]struct {
		stored item.Item
		want   string // a part of the JSON
		header string // of CSV
	}{
		"an hour behind": {item.FromStreamProgress(now.Add(-3600e9)),
			`"processedThrough":"2026-04-20T13:30:00.000Z"`, "Tidemark-Processed-Through"},
		"nothing was processed": {item.FromBegunProgress(now.Add(-3600e9)),
			`"unprocessedSince":"2026-04-20T13:30:00.000Z"`, "Tidemark-Unprocessed-Since"},
		"a blocked batch": {
			item.FromBlocked(storage.Blocked{Seq: "1", Gap: storage.Gap{From: now.Add(-1e9), To: now}}),
			`"unprocessed":[{"from":"2026-04-20T14:29:59.000Z",` +
				`"to":"2026-04-20T14:30:00.000Z","reason":"blocked"}]`,
			"Tidemark-Unprocessed"},
	} {
		h, _ := newHandler(t)
		table := h.Query.Store.(*memory.Table)
		series := h.Catalog.Kinds[0].Series("sensor_01", "", model.Order{})
		listed := storage.ListedSeries{Series: series, Last: now}
		for _, it := range []item.Item{c.stored, item.FromListedSeries(listed)} {
			if err := table.PutItem(t.Context(), it); err != nil {
				t.Fatal(err)
			}
		}
		h.Query.Store = &query.Live{Store: table, Watermarks: table, Stream: table, Now: h.Query.Now,
			Kind: query.CatalogKinds(h.Catalog)}
		for _, path := range []string{"/v1/devices", "/v1/devices/sensor_01/series"} {
			got := get(t, h, path)
			if got.Status != 200 || !strings.Contains(got.Body, c.want) ||
				strings.Contains(got.Body, "completeThrough") {
				t.Errorf("%s: %s: %d %s; want %s", name, path, got.Status, got.Body, c.want)
			}
			csv := h.serve(t.Context(), &httpapi.Request{Method: "GET", Path: path,
				Headers: map[string]string{"accept": "text/csv"}})
			if csv.Headers[c.header] == "" {
				t.Errorf("%s: %s as CSV: %v; want the header %s", name, path, csv.Headers, c.header)
			}
		}
	}
}

// listing is a table stream that lists a series while its state is read.
type listing struct {
	*memory.Table
	series model.Series
}

func (l listing) StreamState(ctx context.Context) (storage.StreamState, error) {
	listed := storage.ListedSeries{Series: l.series, Last: now}
	if err := l.PutItem(ctx, item.FromListedSeries(listed)); err != nil {
		return storage.StreamState{}, err
	}
	return l.Table.StreamState(ctx)
}

// A list has each series that was listed before its progress was read.
func TestLists_HaveWhatIsProcessed(t *testing.T) {
	for _, path := range []string{"/v1/devices", "/v1/devices/sensor_01/series"} {
		h, _ := newHandler(t)
		table := h.Query.Store.(*memory.Table)
		kind := h.Catalog.Kinds[0]
		first := storage.ListedSeries{Series: kind.Series("sensor_01", "", model.Order{}), Last: now}
		if err := table.PutItem(t.Context(), item.FromListedSeries(first)); err != nil {
			t.Fatal(err)
		}
		second := listing{Table: table, series: kind.Series("sensor_01", "second", model.Order{})}
		h.Query.Store = &query.Live{Store: table, Watermarks: table, Stream: second, Now: h.Query.Now,
			Kind: query.CatalogKinds(h.Catalog)}
		if got := get(t, h, path); got.Status != 200 || !strings.Contains(got.Body, `"second"`) {
			t.Errorf("%s: %d %s; want the series that was listed before the progress was read", path,
				got.Status, got.Body)
		}
	}
}
