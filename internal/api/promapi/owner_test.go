package promapi_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/promapi"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The selectors of an owner's queries: each kind of matcher, of own subjects and of others.
var (
	ownerMatchers = []string{
		"", `subject="acme:1"`, `subject="other:1"`, `subject="acme"`,
		`subject!="acme:1"`, `subject!="other:1"`,
		`subject=~".*"`, `subject=~".+"`, `subject=~".*1"`, `subject=~"other:1|acme:2"`, `subject=~"other:1"`,
		`subject=~"acme[2:].*"`, `subject=~"(?i)OTHER:1|ACME:1"`, `subject!~"acme:.*"`, `subject!~"other.*"`,
		`subject=""`, `subject!=""`, `subject=~"|other:1"`, `subject="other:1",subject=~".*"`, `stream=""`,
	}
	ownerQueries = []string{
		"temperature{}", "tidemark_events{}", "count(temperature{})", "absent(temperature{})",
		"count_over_time(tidemark_inexact{}[3h])", "max_over_time(tidemark_events{}[3h:1h])",
		`count_values("n", tidemark_events{})`, `{__name__=~"temp.*|tidemark_complete.*"}`,
	}
)

// everyRequest returns requests of every endpoint with every selector.
func everyRequest() (all []httpapi.Request) {
	add := func(path string, values url.Values) {
		all = append(all, httpapi.Request{Method: "GET", Path: httpapi.PrometheusPath + "/api/v1/" + path,
			RawQuery: values.Encode()})
	}
	add("metadata", nil)
	add("status/buildinfo", nil)
	add("labels", nil)
	add("label/subject/values", nil)
	for _, matchers := range ownerMatchers {
		for _, text := range ownerQueries {
			text = strings.Replace(text, "{}", "{"+matchers+"}", 1)
			text = strings.Replace(text, `complete.*"}`, `complete.*",`+matchers+"}", 1)
			add("query", url.Values{"query": {text}})
			add("query_range", url.Values{"query": {text}, "start": {"2026-04-20T00:00:00Z"},
				"end": {"2026-04-20T14:00:00Z"}, "step": {"4h"}})
		}
		selector := url.Values{"match[]": {"{__name__=~\".+\"," + matchers + "}"}}
		for _, path := range []string{"series", "labels", "label/subject/values", "label/__name__/values"} {
			add(path, selector)
		}
	}
	return all
}

// A caller who is bound to an owner queries a table that has the owner's series alone. Without the claim, and
// with a key or a link, the caller queries nothing.
func TestAPI_AnOwnerFindsItsOwnSeries(t *testing.T) {
	t.Parallel()
	from := at("2026-04-20T00:00:00Z")
	reading := func(int, model.Time) (model.Attrs, bool) {
		return model.Attrs{{Name: "temperature", Value: model.NumberValue(model.NewDecimal(int64(20)))}}, true
	}
	own := newAPIWith(t, from, []string{"acme:1", "acme:2"}, reading)
	all := newAPIWith(t, from, []string{"acme:1", "other:1", "acme:2", "acme2:1", "acme"}, reading)
	all.OwnerClaim = "account"
	serve := func(a *promapi.API, r httpapi.Request, claim string) httpapi.Response {
		r.Claims = map[string]string{"account": claim}
		return a.Serve(t.Context(), &r)
	}
	requests := everyRequest()
	for _, r := range requests {
		for _, name := range []string{"other", "acme2"} { // what they have listed is not the caller's
			serve(all, r, name)
		}
		want, got := serve(own, r, "acme"), serve(all, r, "acme")
		if want.Status != 200 || got.Status != 200 || got.Body != want.Body {
			t.Errorf("%s?%s: %d %s, want %d %s", r.Path, r.RawQuery, got.Status, got.Body,
				want.Status, want.Body)
		}
		if got := serve(all, r, ""); got.Status != 403 {
			t.Errorf("%s?%s without a claim: %d %s", r.Path, r.RawQuery, got.Status, got.Body)
		}
		for _, bound := range []access.Scope{{Key: "k1"}, {Sites: []string{"acme:1"}}} {
			keyed := r
			keyed.Authorizer = bound.Context()
			if got := serve(all, keyed, "acme"); got.Status != 403 {
				t.Errorf("%s?%s of %s: %d %s", r.Path, r.RawQuery, bound, got.Status, got.Body)
			}
		}
	}
	if len(requests) < 300 {
		t.Errorf("%d requests, want each endpoint with each matcher", len(requests))
	}
}
