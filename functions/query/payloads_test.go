package main

import (
	"net/http"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpevent/gatewaytest"
)

// What is served is what the route authorized, in every payload form.
func TestHandle_ServesTheRouteOfEachGateway(t *testing.T) {
	t.Parallel()
	h, _ := newHandler(t)
	gatewaytest.RequireRouted(t, h.Catalog, map[string]gatewaytest.Request{
		"GET /v1/{read+}":           {Method: http.MethodGet, Path: "/v1/devices/acme:1/readings"},
		"POST " + access.PathStats:  {Method: http.MethodPost, Path: access.PathStats, Body: "{}"},
		"GET " + access.ReportRoute: {Method: http.MethodGet, Path: access.PathReports + "aggregate"},
	}, h.Handle)
}

// A caller is of the owner whom the gateway's own claims name, and methods are as HTTP writes them. A load
// balancer names no claims.
func TestHandle_TakesTheClaimsOfEachGateway(t *testing.T) {
	t.Parallel()
	h, _ := newHandler(t)
	h.OwnerClaim = "account"
	const own, foreign = "/v1/devices/acme:1/readings", "/v1/devices/other:1/readings"
	for gateway, payload := range gatewaytest.Gateways {
		for _, c := range []struct {
			method, path string
			forged       bool
			want         int
		}{
			{method: "GET", path: own, want: 200},
			{method: "GET", path: foreign, want: 403},
			{method: "GET", path: own, forged: true, want: 403},
			{method: "GET", path: "/v1/DEVICES/acme:1/readings", want: 404},
			{method: "HEAD", path: own, want: 405},
			{method: "OPTIONS", path: own, want: 405},
			{method: "TRACE", path: own, want: 405},
			{method: "get", path: own, want: 405},
		} {
			want := c.want
			if gateway == gatewaytest.LoadBalancer && want == 200 {
				want = 403
			}
			r := gatewaytest.Request{Method: c.method, Route: "/v1/{read+}", Path: c.path, Forged: c.forged,
				Claims: map[string]any{"account": "acme"}}
			response, err := h.Handle(t.Context(), payload(t, r))
			if err != nil || gatewaytest.Status(t, response) != want {
				t.Errorf("%s, %+v: %+v, %v", gateway, c, response, err)
			}
		}
	}
}
