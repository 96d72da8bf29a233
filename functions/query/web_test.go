package main

import (
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// newSite returns a handler of a site with four page views and a request, and their
// rollups.
func newSite(t *testing.T) *Handler {
	t.Helper()
	kinds, err := catalog.New(web.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	clock := func() model.Time { return now }
	table := memory.New(clock)
	views, _ := kinds.Kind(web.PageViews.Name)
	requests, _ := kinds.Kind(web.Requests.Name)
	storeViews(t, table, views,
		view(views, "a", "2026-04-20T14:28:10Z", "v1", "/"),
		view(views, "b", "2026-04-20T14:29:10Z", "v1", "/blog"),
		view(views, "c", "2026-04-20T14:29:20Z", "v2", "/"), view(views, "d", "2026-04-20T13:00:00Z", "v3", "/"))
	storeViews(t, table, requests, view(requests, "e", "2026-04-20T14:28:11Z", "v1", "/style.css"))
	profile := item.FromProfile(&model.Profile{Subject: model.Subject{Type: "SITE", ID: "my-site"},
		Attrs: model.Attrs{text("name", "My site")}, CreatedAt: now})
	if err := table.PutItem(t.Context(), profile); err != nil {
		t.Fatal(err)
	}
	service := &query.Service{Store: table, Now: clock, CursorKey: []byte(localCursorKey)}
	return &Handler{Catalog: kinds, Query: service, Log: slog.New(slog.DiscardHandler)}
}

func view(k *catalog.Kind, id, when, visitor, path string) model.Event {
	order := model.Order{At: at(when), ID: id}
	attrs := model.Attrs{number("bytes", "100"), text("path", path), text("visitor", visitor)}
	return model.Event{Series: k.Series("my-site", "", order), Order: order, Attrs: attrs, IndexBy: k.IndexBy}
}

func storeViews(t *testing.T, table *memory.Table, k *catalog.Kind, views ...model.Event) {
	t.Helper()
	rows := map[rollup.Key]*rollup.Fold{}
	for i, e := range views {
		if _, err := table.Put(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		for _, unit := range []tier.Unit{tier.Minute, tier.Day} {
			key := rollup.Key{Series: e.Series.WithoutShard(), Tier: unit.String(), Start: unit.BucketAt(e.At).Start}
			if rows[key] == nil {
				rows[key] = rollup.NewFold(k.Spec())
			}
			rows[key].AddEvent(&views[i])
		}
	}
	for key, fold := range rows {
		if _, err := table.PutRow(t.Context(),
			&rollup.Row{Key: key, Fold: *fold, Rev: rollup.Rev{1}, WrittenAt: now}, rollup.Rev{}); err != nil {
			t.Fatal(err)
		}
	}
}

const bytesOf4 = `"bytes":{"count":4,"invalid":0,"sum":400,"min":100,"max":100,"avg":100,"stddev":0,"first":100,"last":100,"p50":100,"p95":100,"p99":100}`
const bytesOf5 = `"bytes":{"count":5,"invalid":0,"sum":500,"min":100,"max":100,"avg":100,"stddev":0,"first":100,"last":100,"p50":100,"p95":100,"p99":100}`

func TestHandle_ServesAKindWithoutLatestItems(t *testing.T) {
	h := newSite(t)
	for path, want := range map[string]struct {
		status int
		body   string // JSON, or the problem's type
	}{
		"/v1/sites/my-site": {200, `{"subject":"my-site","createdAt":"2026-04-20T14:30:00.000Z","fields":{"name":"My site"}}`},
		"/v1/sites/other":   {404, "/problems/no-profile"},
		"/v1/sites/my-site/pageviews/rollups/day": {200, `{"rollups":[{"bucket":"2026-04-20T00:00:00.000Z","end":"2026-04-21T00:00:00.000Z","tier":"day",
			"exact":true,"open":true,"truncated":false,"unreadable":0,"events":4,"measures":{` + bytesOf4 + `},
			"dimensions":{"country_path":{"values":[{"value":"\t/","count":3,"share":0.75},{"value":"\t/blog","count":1,"share":0.25}],"other":0,"exact":true},
				"path":{"values":[{"value":"/","count":3,"share":0.75},{"value":"/blog","count":1,"share":0.25}],"other":0,"exact":true}},
			"distinct":{"visitor":{"count":3,"exact":true}}}],"next":null}`},
		"/v1/sites/my-site/rollups/day": {200, `{"rollups":[{"bucket":"2026-04-20T00:00:00.000Z","end":"2026-04-21T00:00:00.000Z","tier":"day",
			"exact":true,"open":true,"truncated":false,"unreadable":0,"events":5,"kinds":{"PAGEVIEW":4,"REQUEST":1,"MALFORMED":0,"CUSTOMEVENT":0},"measures":{` + bytesOf5 + `},
			"dimensions":{"country_path":{"values":[{"value":"\t/","count":3,"share":0.75},{"value":"\t/blog","count":1,"share":0.25}],"other":0,"exact":true},
				"path":{"values":[{"value":"/","count":3,"share":0.6},{"value":"/blog","count":1,"share":0.2},{"value":"/style.css","count":1,"share":0.2}],"other":0,"exact":true}},
			"distinct":{"visitor":{"count":3,"exact":true}}}],"next":null}`},
		"/v1/sites/my-site/pageviews/top/path?limit=1": {200, `{"dimension":"path","tier":"day","buckets":1,"open":true,"events":4,
			"values":[{"value":"/","count":3,"share":0.75}],"other":1,"exact":true}`},
		"/v1/sites/my-site/pageviews/top/path?tier=minute&last=2m": {200, `{"dimension":"path","tier":"minute","buckets":1,"open":false,"events":2,
			"values":[{"value":"/","count":1,"share":0.5},{"value":"/blog","count":1,"share":0.5}],"other":0,"exact":true}`},
		"/v1/sites/my-site/top/path?tier=minute&last=5m&limit=1": {200, `{"dimension":"path","tier":"minute","buckets":2,"open":false,"events":4,
			"kinds":{"PAGEVIEW":3,"REQUEST":1,"MALFORMED":0,"CUSTOMEVENT":0},"values":[{"value":"/","count":2,"share":0.5}],"other":2,"exact":true}`},
		"/v1/pageviews/visitor/v1": {200, `{"events":[
			{"subject":"my-site","stream":"","at":"2026-04-20T14:29:10.000Z","id":"b","fields":{"bytes":100,"path":"/blog","visitor":"v1"}},
			{"subject":"my-site","stream":"","at":"2026-04-20T14:28:10.000Z","id":"a","fields":{"bytes":100,"path":"/","visitor":"v1"}}],"next":null}`},
		"/v1/pageviews/visitor/v9":                                                      {200, `{"events":[],"next":null}`},
		"/v1/pageviews/path/x":                                                          {404, "/problems/not-indexed"},
		"/v1/requests/visitor/v1":                                                       {404, "/problems/unknown-subject-type"},
		"/v1/sites/my-site/pageviews/top/cargo":                                         {404, "/problems/unknown-dimension"},
		"/v1/sites/my-site/top/path?tier=week":                                          {404, "/problems/unknown-tier"},
		"/v1/sites/my-site/top/path?last=yesterday":                                     {400, "/problems/bad-span"},
		"/v1/sites/my-site/top/path?last=-5m":                                           {400, "/problems/bad-span"},
		"/v1/sites/my-site/top/path?last=5m&from=2026":                                  {400, "/problems/bad-span"},
		"/v1/sites/my-site/rollups/day?last=5m&to=2026":                                 {400, "/problems/bad-span"},
		"/v1/sites/my-site/top/path?limit=0":                                            {400, "/problems/bad-limit"},
		"/v1/sites/my-site/top/path?order=newest":                                       {400, "/problems/unknown-parameter"},
		"/v1/pageviews/visitor/v1?stream=bots":                                          {400, "/problems/unknown-parameter"},
		"/v1/sites/my-site/pageviews/latest":                                            {404, "/problems/no-latest"},
		"/v1/sites/my-site/pageviews?from=2026-04-20T15:00:00Z&to=2026-04-20T14:00:00Z": {400, "/problems/inverted-range"},
	} {
		response := get(t, h, path)
		if response.Status != want.status {
			t.Errorf("%s: %d %s, want %d", path, response.Status, response.Body, want.status)
			continue
		}
		if want.body[0] == '/' {
			requireProblem(t, response, want.body)
			continue
		}
		if diff := cmp.Diff(decoded(t, want.body), decoded(t, response.Body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func decoded(t *testing.T, body string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return v
}

// Sessions of a visitor are cut on reading; a session is named by its first view and its visitor.
func TestHandle_CutsSessionsOfAVisitor(t *testing.T) {
	h := newSite(t)
	const session = `{"at":"2026-04-20T14:28:10.000Z","id":"v1","fields":{"bounce":0,"duration":60000,"entry":"/","exit":"/blog","views":2,"visitor":"v1"}}`
	for path, want := range map[string]struct {
		status int
		body   string
	}{
		"/v1/sites/my-site/sessions?where=visitor%3Dv1":                     {200, `{"events":[` + session + `],"next":null}`},
		"/v1/sites/my-site/sessions?where=visitor%3Dv9":                     {200, `{"events":[],"next":null}`},
		"/v1/sites/my-site/sessions/2026-04-20T14:28:10Z/v1":                {200, session},
		"/v1/sites/my-site/sessions/2026-04-20T14:29:10Z/v1":                {404, httpapi.ProblemNoEvent.URI},
		"/v1/sites/my-site/sessions/2026-04-20T14:28:10Z":                   {404, httpapi.ProblemNotFound.URI},
		"/v1/sites/my-site/sessions":                                        {400, "/problems/bad-condition"},
		"/v1/sites/my-site/sessions?where=visitor%3Dv1&consistent=true":     {400, "/problems/bad-condition"},
		"/v1/sites/my-site/sessions/count?where=visitor%3Dv1":               {404, httpapi.ProblemNotFound.URI},
		"/v1/sessions/visitor/v1":                                           {404, "/problems/unknown-subject-type"},
		"/v1/sites/my-site/sessions/2026-04-20T14:28:10Z/v1?stream=bots":    {404, httpapi.ProblemNoEvent.URI},
		"/v1/sites/my-site/sessions?where=visitor%3Dv1&from=2026-04-20T15Z": {400, "/problems/bad-time"},
	} {
		response := get(t, h, path)
		if response.Status != want.status {
			t.Errorf("%s: %d %s, want %d", path, response.Status, response.Body, want.status)
		} else if want.body[0] == '/' {
			requireProblem(t, response, want.body)
		} else if diff := cmp.Diff(decoded(t, want.body), decoded(t, response.Body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}
