package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/httpevent/gatewaytest"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

func post(t *testing.T, h *Handler, r httpapi.Request) httpapi.Response {
	t.Helper()
	r.Path = access.PathStats
	if r.Method == "" {
		r.Method = "POST"
	}
	return h.serve(t.Context(), &r)
}

func TestHandle_ServesQueriesOfWebsites(t *testing.T) {
	h := newSite(t)
	h.Limits = config.Default().Limits
	const views = `{"site_id": "my-site", "metrics": ["pageviews", "visitors"], "date_range": "day"}`
	response := post(t, h, httpapi.Request{Body: views})
	if response.Status != 200 ||
		!strings.Contains(response.Body, `"results":[{"metrics":[4,3],"dimensions":[]}]`) {
		t.Errorf("%d %s, want the views and visitors", response.Status, response.Body)
	}
	if response.Headers[headerRequests] == "" {
		t.Error("the response does not say what it cost")
	}
	requireProblem(t, post(t, h, httpapi.Request{Method: "GET"}), "/problems/method-not-allowed")
	requireProblem(t, post(t, h,
		httpapi.Request{Body: `{"site_id": "my-site", "metrics": ["pages"], "date_range": "7d"}`}),
		"/problems/bad-query")
	requireProblem(t, post(t, h, httpapi.Request{Body: strings.Repeat("x", h.Limits.Body+1)}),
		httpapi.ProblemTooLarge.URI)
	h.OwnerClaim = "sub"
	requireProblem(t, post(t, h, httpapi.Request{Body: views, Claims: map[string]string{"sub": "other"}}),
		httpapi.ProblemForeign.URI)
}

// The reports of version 1, as their published examples ask for them.
func TestHandle_ServesReportsOfWebsites(t *testing.T) {
	h := newSite(t)
	report := func(name, query string) httpapi.Response {
		r := httpapi.Request{Method: "GET", Path: access.PathReports + name, RawQuery: query}
		return h.serve(t.Context(), &r)
	}
	const site = "site_id=my-site"
	for _, c := range []struct{ name, query, want string }{
		{"realtime/visitors", site, `2`},
		{"aggregate", site + "&period=day&metrics=pageviews,visitors",
			`{"results":{"pageviews":{"value":4},"visitors":{"value":3}}}`},
		{"breakdown", site + "&period=day&property=event:page&limit=1", `{"results":[{"page":"/","visitors":3}]}`},
		{"aggregate", site + "&period=day&filters=event:page==/b*;event:name==pageview",
			`{"results":{"visitors":{"value":1}}}`},
	} {
		if got := report(c.name, c.query); got.Status != 200 || strings.TrimSpace(got.Body) != c.want {
			t.Errorf("%s?%s: %d %s, want %s", c.name, c.query, got.Status, got.Body, c.want)
		}
	}
	requireProblem(t, report("aggregate", "period=day"), "/problems/bad-query")
	requireProblem(t, report("funnels", site), "/problems/bad-query")
}

// Clients that are made for Plausible show the member "error" of a response that failed. Others read detail.
func TestHandle_RefusesQueriesInTheFormOfPlausible(t *testing.T) {
	h := newSite(t)
	h.Limits = config.Default().Limits
	for path, c := range map[string]struct {
		request httpapi.Request
		want    string
	}{
		access.PathStats: {
			httpapi.Request{
				Method: "POST", Body: `{"site_id": "s", "metrics": ["pages"], "date_range": "day"}`,
			}, `metric "pages"`},
		access.PathReports + "aggregate": {
			httpapi.Request{Method: "GET", RawQuery: "period=day"}, "site_id is required"},
		access.PathReports + "breakdown": {httpapi.Request{Method: "POST"}, "use GET"},
		"/v1/sites/my-site/nothing":      {httpapi.Request{Method: "GET"}, ""},
	} {
		c.request.Path = path
		response := h.serve(t.Context(), &c.request)
		var got struct{ Error, Detail string }
		if err := json.Unmarshal([]byte(response.Body), &got); err != nil {
			t.Fatalf("%s: %v: %s", path, err, response.Body)
		}
		hasError := got.Error != "" && got.Error == got.Detail && strings.Contains(got.Error, c.want)
		if response.Status < 400 || hasError != (c.want != "") {
			t.Errorf("%s: %d %s, want an error with %q", path, response.Status, response.Body, c.want)
		}
	}
}

// A read key shows its sites and no other, in both versions. An owner claim does not apply to it.
func TestHandle_AReadKeyShowsItsSites(t *testing.T) {
	h := newSite(t)
	h.Limits, h.OwnerClaim = config.Default().Limits, "sub"
	const views = `{"site_id": "my-site", "metrics": ["pageviews"], "date_range": "day"}`
	for sites, want := range map[string]bool{"my-site": true, "other my-site": true, "my": false,
		"my-site-2": false} {
		context := access.Scope{Key: "k", Sites: strings.Fields(sites)}.Context()
		report := httpapi.Request{
			Method: "GET", Path: access.PathReports + "aggregate", RawQuery: "site_id=my-site", Authorizer: context,
		}
		for name, got := range map[string]httpapi.Response{
			"query":  post(t, h, httpapi.Request{Body: views, Authorizer: context}),
			"report": h.serve(t.Context(), &report),
		} {
			if shown := got.Status == 200; shown != want {
				t.Errorf("%s by a key of %s: %d %s", name, sites, got.Status, got.Body)
			}
		}
	}
}

// A query of some kilobytes cannot hold the function: the patterns of a filter, its values and nested filters
// are limited before they are compiled.
func TestStats_RefusesAtOnceWhatIsTooMuch(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.Limits = config.Default().Limits
	values := func(n int) string { return `["is","event:page",[` + strings.Repeat(`"/",`, n) + `"/"]]` }
	matches := func(pattern string) string { return `["matches","event:page",["` + pattern + `"]]` }
	nested := func(n int, before, after string) string {
		return strings.Repeat(before, n) + values(0) + strings.Repeat(after, n)
	}
	for name, c := range map[string]struct {
		filter string
		want   int
	}{
		"a thousand values":           {values(1000), 200},
		"two hundred thousand values": {values(200_000), 400},
		"a pattern":                   {matches(`^/blog/[0-9]{4}/`), 200},
		"a pattern of stars":          {matches(strings.Repeat(`(a*)*`, 20_000)), 400},
		"a pattern of repetitions":    {matches(strings.Repeat(`\\pL{999}`, 150)), 400},
		"nested filters":              {nested(10, `["and",[`, `]]`), 200},
		"filters nested 4,000 times":  {nested(4000, `["and",[`, `]]`), 400},
		"opposites 4,000 times":       {nested(4000, `["not",`, `]`), 400},
	} {
		body := `{"site_id":"my-site","metrics":["visitors"],"date_range":["2026-04-01","2026-04-20"],` +
			`"filters":[` + c.filter + `]}`
		began := time.Now()
		got := s.serve(t.Context(), &httpapi.Request{Method: "POST", Path: access.PathStats, Body: body})
		if took := time.Since(began); got.Status != c.want || took > 2*time.Second {
			t.Errorf("%s: %d after %s, want %d: %.300s", name, got.Status, took, c.want, got.Body)
		}
	}
	got := s.serve(t.Context(), &httpapi.Request{Method: "GET", Path: access.PathReports + "breakdown",
		RawQuery: "site_id=my-site&property=event:page&filters=event:page==/" + strings.Repeat("*", 20_000)})
	if got.Status != 400 {
		t.Errorf("a report with a long filter: %d", got.Status)
	}
}

// Links and keys of other routes read no figures of websites, nor does the owner of another one.
func TestHandle_WhoReadsWebsites(t *testing.T) {
	h := newSite(t)
	h.Limits, h.OwnerClaim = config.Default().Limits, "sub"
	const id = "acme:shop"
	const views = `{"site_id": "` + id + `", "metrics": ["pageviews"], "date_range": "day",
		"timezone": "UTC"}`
	type caller struct {
		claims  map[string]string
		context map[string]any
	}
	callers := map[string]caller{
		"another owner": {claims: map[string]string{"sub": "other"}},
		"a part of it":  {claims: map[string]string{"sub": "acm"}},
		"no claim":      {},
	}
	for name, context := range gatewaytest.Bound(t, "sites/"+id, id) {
		callers[name] = caller{context: context}
		callers[name+" with a claim"] = caller{context: context, claims: map[string]string{"sub": "acme"}}
	}
	for name, c := range callers {
		sites, isReader := access.ReadSites(c.context)
		want := http.StatusForbidden
		if isReader && slices.Contains(sites, id) {
			want = http.StatusBadRequest // the table has no such site
		}
		for _, r := range []httpapi.Request{
			{Method: "POST", Path: access.PathStats, Body: views},
			{Method: "GET", Path: access.PathReports + "aggregate", RawQuery: "site_id=" + id},
			{Method: "GET", Path: access.PathReports + "realtime/visitors", RawQuery: "site_id=" + id},
		} {
			r.Claims, r.Authorizer = c.claims, c.context
			if got := h.serve(t.Context(), &r); got.Status != want {
				t.Errorf("%s sends %s: %d %s, want %d", name, r.Path, got.Status, got.Body, want)
			}
		}
	}
}
