package main

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/httpapi"
)

func post(t *testing.T, h *Handler, r httpapi.Request) httpapi.Response {
	t.Helper()
	r.Path = httpapi.PathStats
	if r.Method == "" {
		r.Method = "POST"
	}
	return h.serve(t.Context(), &r)
}

func TestHandle_ServesQueriesOfWebsites(t *testing.T) {
	h := newSite(t)
	h.Limits = config.Default().Limits
	const views = `{"site_id": "my-site", "metrics": ["pageviews", "visitors"], "date_range": "7d"}`
	response := post(t, h, httpapi.Request{Body: views})
	if response.Status != 200 || !strings.Contains(response.Body, `"results":[{"metrics":[4,3],"dimensions":[]}]`) {
		t.Errorf("%d %s, want the views and visitors", response.Status, response.Body)
	}
	if response.Headers[headerRequests] == "" {
		t.Error("the response does not say what it cost")
	}
	requireProblem(t, post(t, h, httpapi.Request{Method: "GET"}), "/problems/method-not-allowed")
	requireProblem(t, post(t, h, httpapi.Request{Body: `{"site_id": "my-site", "metrics": ["pages"], "date_range": "7d"}`}), "/problems/bad-query")
	requireProblem(t, post(t, h, httpapi.Request{Body: strings.Repeat("x", h.Limits.Body+1)}), httpapi.ProblemTooLarge.URI)
	h.OwnerClaim = "sub"
	requireProblem(t, post(t, h, httpapi.Request{Body: views, Claims: map[string]string{"sub": "other"}}), httpapi.ProblemForeign.URI)
}
