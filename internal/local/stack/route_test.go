package stack

import (
	"net/http"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

// The front accepts the routes of the deployed API and no others: a request that works here works
// there, and a mistyped path creates nothing.
func TestFind_MatchesRoutesAsDeployed(t *testing.T) {
	kinds, err := config.Default(domains.Kinds()...).Catalog()
	if err != nil {
		t.Fatal(err)
	}
	var routes []Route
	for _, r := range httpapi.GatewayRoutes(httpapi.Routes(kinds)) {
		routes = append(routes, Route{Method: r.Method, Path: r.Path})
	}
	for _, c := range []struct{ method, path, want, id string }{
		{"GET", "/v1/devices", "/v1/{read+}", ""},
		{"GET", "/v1", "", ""},
		{"GET", "/v1/devices/a%2Fb", "/v1/devices/{id}", "a/b"},
		{"GET", "/v1/devices/a/readings/latest", "/v1/{read+}", ""},
		{"GET", "/v1/devices/a/readings/2026-11-01T00:00:00Z", "/v1/{read+}", ""},
		{"PUT", "/v1/devices/a", "/v1/devices/{id}", "a"},
		{"PUT", "/v1/devices/a/b", "/v1/{manage+}", ""}, // function manage rejects it
		{"PATCH", "/v1/devices/a/b", "", ""},
		{"POST", "/v1/readings", "/v1/readings", ""},
		{"POST", "/v1/reading", "/v1/{manage+}", ""},
		{"HEAD", "/v1/devices", "", ""},
		{"DELETE", "/v1/devices/a/purge", "/v1/devices/{id}/purge", "a"},
	} {
		route, values, ok := find(routes, c.method, c.path)
		if route.Path != c.want || ok != (c.want != "") || values["id"] != c.id {
			t.Errorf("%s %s: %s with %v, want %q with the id %q", c.method, c.path, route.Path, values, c.want, c.id)
		}
	}
}

func TestFront_OnlyTheCollectorServesPagesOfOtherWebsites(t *testing.T) {
	function := &seen{answer: `{"statusCode":204}`}
	front, err := StartFront("0", "run-1", clock.Clock{}, []Route{
		{Method: "POST", Path: "/v1/collect/{key}", To: function, AnyOrigin: true},
		{Method: "POST", Path: "/v1/readings", To: function},
	}, http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { front.Stop(t.Context()) })
	for path, want := range map[string]int{"/v1/collect/key": http.StatusNoContent,
		"/v1/readings": http.StatusForbidden} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, front.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Origin", "https://example.com")
		req.Header.Set("Access-Control-Request-Method", "POST")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want ||
			(resp.Header.Get("Access-Control-Allow-Origin") == "*") != (want == http.StatusNoContent) {
			t.Errorf("preflight of %s: %s with %v, want %d", path, resp.Status, resp.Header, want)
		}
	}
}
