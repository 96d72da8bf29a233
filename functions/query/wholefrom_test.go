package main

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Events that may have expired are not nothing: a history and a count say from when on they are whole.
func TestReads_SayFromWhenOnEventsAreWhole(t *testing.T) {
	t.Parallel()
	h, _ := newHandler(t)
	series := h.Catalog.Kinds[0].Series("sensor_01", "", model.Order{})
	listed := storage.ListedSeries{Series: series, First: 0, Last: now}
	table := h.Query.Store.(*memory.Table)
	if err := table.PutItem(t.Context(), item.FromListedSeries(listed)); err != nil {
		t.Fatal(err)
	}
	june := model.NewTime(time.Date(2020, time.June, 1, 0, 0, 0, 0, time.UTC))
	fold := rollup.NewFold(h.Catalog.Kinds[0].Spec())
	fold.AddEvent(&model.Event{Series: series, Order: model.Order{At: june}})
	key := rollup.Key{Series: series, Tier: tier.Month.String(), Start: june}
	month := &rollup.Row{Key: key, Fold: *fold, Rev: rollup.Rev{1}, WrittenAt: june}
	if _, err := table.PutRow(t.Context(), month, rollup.Rev{}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"readings?from=2020-01-01":                                    true,
		"readings?from=2020-01-01&order=oldest&limit=1":               true,
		"readings?from=2020-01-01&limit=1":                            false, // of the last page
		"readings?from=2026-04-20":                                    false,
		"readings?last=1d":                                            false,
		"readings?from=2020-01-01&to=2026-04-20&where=note+exists":    true,
		"readings/count?from=2020-01-01":                              true,
		"readings/count?from=2020-01-01&to=2020-01-04T00:00:00Z":      false, // no month has a row
		"readings/count?from=2021-01-01&to=2022-01-01":                false, // nor has one of the year
		"readings/count?last=1d":                                      false,
		"readings/count?from=2020-01-01&where=location%3Dwarehouse-a": true,
	} {
		response := getAs(t, h, "/v1/devices/sensor_01/"+path, nil)
		if response.Status != 200 || strings.Contains(response.Body, `"wholeFrom":"2026-03-2`) != want ||
			strings.Contains(response.Body, "wholeFrom") != want {
			t.Errorf("%s: %d %.300s, want wholeFrom: %t", path, response.Status, response.Body, want)
		}
	}
	never := getAs(t, h, "/v1/devices/never/readings/count", nil)
	if want := `{"events":0,"unreadable":0}`; never.Body != want {
		t.Errorf("a device that never was: %s, want %s", never.Body, want)
	}
}

// A range that has not begun has nothing, with an end and without.
func TestReads_OfTheFutureAreEmpty(t *testing.T) {
	t.Parallel()
	h, _ := newHandler(t)
	for _, path := range []string{
		"rollups?from=2030-01-01", "rollups?from=2030-01-01&to=2030-02-01", "rollups?from=2030-01-01&tier=day",
		"rollups/day?from=2030-01-01", "rollups/day?from=2030-01-01&zone=Asia/Kathmandu", "?from=2030-01-01",
		"rollups/total?from=2030-01-01", "count?from=2030-01-01",
	} {
		separator := "/"
		if strings.HasPrefix(path, "?") {
			separator = ""
		}
		response := getAs(t, h, "/v1/devices/sensor_01/readings"+separator+path, nil)
		if response.Status != 200 || strings.Contains(response.Body, `"missing"`) ||
			strings.Contains(response.Body, `"temperature"`) {
			t.Errorf("%s: %d %.200s, want nothing", path, response.Status, response.Body)
		}
	}
}

// A subject that never had an event is known to have none, as any id may: each read of figures and events has
// nothing, and nothing is missing. What is about the subject itself is not found.
func TestReads_OfASubjectThatNeverWas(t *testing.T) {
	t.Parallel()
	h := everyRoute(t)
	nothing := map[httpapi.Action]string{
		httpapi.ReadChart: `"rollups":[]`, httpapi.ReadAllChart: `"rollups":[]`,
		httpapi.ReadRollups: `"rollups":[]`, httpapi.ReadAllRollups: `"rollups":[]`,
		httpapi.ReadTotal: `"events":0,"measures":{},"whole":true`,
		httpapi.ReadTop:   `"events":0,"values":[],"other":0,"exact":true`, httpapi.ReadAllTop: `"values":[]`,
		httpapi.ReadHistory: `{"events":[],"next":null}`, httpapi.ReadCount: `{"events":0,"unreadable":0}`,
		httpapi.VerifyBucket: `"status":"equal"`, httpapi.ListAlerts: `"alerts":[]`,
		httpapi.ReadLatest: "/problems/nothing-yet", httpapi.ReadSeries: "/problems/no-such-subject",
		httpapi.ReadProfile: "/problems/no-profile",
	}
	met := map[httpapi.Action]bool{}
	for path, action := range getRoutes(t, h, "never") {
		want, ok := nothing[action]
		if !ok || !strings.Contains(path, "/devices/") && !strings.Contains(path, "/halls/") {
			continue
		}
		query := ""
		if action == httpapi.VerifyBucket {
			query = "?at=2026-04-20T10:00:00Z"
		}
		got := getAs(t, h, path+query, nil).Body
		lacks := strings.Contains(got, "missing") || strings.Contains(got, `wholeFrom":"`)
		if !strings.Contains(got, want) || lacks {
			t.Errorf("%s: %.300s, want %s", path, got, want)
		}
		met[action] = true
	}
	if len(met) < len(nothing) {
		t.Errorf("%d actions, want %d: %v", len(met), len(nothing), met)
	}
}
