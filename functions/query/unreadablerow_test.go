package main

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// One damaged row is not known by name. The rows beside it are returned.
func TestReads_ADamagedRowFailsItsBucketAlone(t *testing.T) {
	t.Parallel()
	h, _ := newHandler(t)
	series := h.Catalog.Kinds[0].Series("sensor_01", "", model.Order{})
	key := rollup.Key{Series: series, Tier: tier.Hour.String(), Start: at("2026-04-20T13:00:00Z")}
	stored, err := item.FromRow(&rollup.Row{Key: key, Fold: *rollup.NewFold(nil), Rev: rollup.Rev{1}})
	if err != nil {
		t.Fatal(err)
	}
	stored[tablekeys.AttrSummary] = item.Value{Type: item.B, B: []byte("nonsense")}
	if err := h.Query.Store.(*memory.Table).PutItem(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
	const missing = `"missing":[{"tier":"hour","from":"2026-04-20T13:00:00.000Z",` +
		`"to":"2026-04-20T14:00:00.000Z","reason":"the row of the bucket is damaged: ` +
		`tidemark rebuild --rewrite-unreadable writes it again"}`
	for path, events := range map[string]int{
		"rollups/hour?last=1d": 2, "rollups?last=1d&tier=hour": 2, "rollups/day?last=1d": 1,
	} {
		response := getAs(t, h, "/v1/devices/sensor_01/readings/"+path, nil)
		wanted := strings.Contains(path, "hour")
		if response.Status != 200 || strings.Contains(response.Body, missing) != wanted ||
			strings.Count(response.Body, `"bucket":`) != events {
			t.Errorf("%s: %d %.900s, want %d buckets", path, response.Status, response.Body, events)
		}
	}
	total := getAs(t, h, "/v1/devices/sensor_01/readings/rollups/total?from=2026-04-20T12:00:00Z&"+
		"to=2026-04-20T15:00:00Z", nil)
	if total.Status != 200 || !strings.Contains(total.Body, missing) ||
		!strings.Contains(total.Body, `"exact":false`) {
		t.Errorf("total: %d %s", total.Status, total.Body)
	}
}
