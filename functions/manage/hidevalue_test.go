package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// foldViews stores the rollups of the views of putViews.
func (f *fixture) foldViews() {
	f.Helper()
	later := func() model.Time { return f.now().Add(3 * time.Hour) } // the hour of the views has closed
	agg := &aggregate.Aggregator{Store: f.table, QuarantineStore: f.table, Catalog: f.catalog, Now: later}
	kind, _ := f.catalog.Kind("PAGEVIEW")
	var changes []storage.Change
	for _, shard := range kind.ShardSeries(kind.Series("shop.example", "", model.Order{})) {
		whole := storage.Range{Series: shard, From: model.MinTime, To: model.MaxTime + 1}
		for e, err := range storage.Events(f.Context(), f.table, whole) {
			if err != nil {
				f.Fatal(err)
			}
			changes = append(changes, storage.Change{Type: storage.Inserted, Key: e.Key()})
		}
	}
	if report := agg.Process(f.Context(), changes); len(report.Failures) > 0 {
		f.Fatal(report.Failures[0].Err)
	}
}

// purgeSome sends a purge with a query.
func (f *fixture) purgeSome(query string) events.APIGatewayV2HTTPResponse {
	f.Helper()
	r := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "POST /v1/sites/{id}/purge", RawPath: "/v1/sites/shop.example/purge",
		RawQueryString: query,
	}
	r.RequestContext.HTTP.Method, r.RequestContext.HTTP.Path = "POST", r.RawPath
	payload, err := json.Marshal(r)
	if err != nil {
		f.Fatal(err)
	}
	text, err := f.Invoke(f.Context(), payload)
	var response events.APIGatewayV2HTTPResponse
	if err == nil {
		err = json.Unmarshal(text, &response)
	}
	if err != nil {
		f.Fatal(err)
	}
	return response
}

func TestPurge_RemovesAValueFromRollupsWhoseEventsAreGone(t *testing.T) {
	const value = "rollupsValue=path%3D%2F"
	f := newFixture(t)
	f.putViews()
	f.foldViews()
	got := f.purgeSome(value + "&dryRun=true")
	if got.StatusCode != 200 || !strings.Contains(got.Body, `"events":10`) {
		t.Errorf("dry run: %d %s, want the 10 events that have the value", got.StatusCode, got.Body)
	}
	if got := f.purgeSome(value); got.StatusCode != 409 || !strings.Contains(got.Body, "value-stored") {
		t.Errorf("while events have the value: %d %s, want a conflict", got.StatusCode, got.Body)
	}
	if got := f.purgeSome("eventsWhere=path%3D%2F"); got.StatusCode != 200 {
		t.Fatalf("remove the events: %d %s", got.StatusCode, got.Body)
	}
	got = f.purgeSome(value)
	if got.StatusCode != 200 || strings.Contains(got.Body, `"removed":0`) ||
		!strings.Contains(got.Body, `"next":null`) {
		t.Fatalf("remove the value: %d %s", got.StatusCode, got.Body)
	}
	kind, _ := f.catalog.Kind("PAGEVIEW")
	series := model.Series{Subject: model.Subject{Type: "SITE", ID: "shop.example"}, Kind: kind.Name}
	key := rollup.Key{Series: series, Tier: "hour", Start: tier.Hour.BucketAt(f.now()).Start}
	row, err := f.table.Row(f.Context(), key)
	if err != nil || row == nil || row.Summary.HasValue("path", "/") {
		t.Errorf("the hour is %+v, %v; want it without the value", row, err)
	}
}

func TestPurge_RefusesAValueThatNoRollupCounts(t *testing.T) {
	f := newFixture(t)
	f.putViews()
	for query, want := range map[string]string{
		"rollupsValue=path":                                        "want field=value",
		"rollupsValue=pth%3D%2F":                                   "no dimension counts",
		"rollupsValue=path%3D%2F&rollupsKind=pageview":             "did you mean pageviews?",
		"rollupsKind=pageviews":                                    "needs rollupsValue",
		"rollupsValue=path%3D%2F&eventsWhere=path%3D%2F":           "remove the events first",
		"rollupsValue=path%3D%2F&graceHours=3":                     "at once",
		"rollupsValue=path%3D%2F&cursor=" + strings.Repeat("!", 4): "want next of an earlier response",
	} {
		if got := f.purgeSome(query); got.StatusCode != 400 || !strings.Contains(got.Body, want) {
			t.Errorf("%s: %d %s, want %q", query, got.StatusCode, got.Body, want)
		}
	}
}
