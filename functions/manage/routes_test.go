package main

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpevent/gatewaytest"
)

// What is changed is what the route authorized, in every payload form.
func TestHTTP_ServesTheRouteOfEachGateway(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	gatewaytest.RequireRouted(t, f.catalog, map[string]gatewaytest.Request{
		"PUT /v1/{manage+}":           {Method: http.MethodPut, Path: "/v1/devices/a", Body: "{}"},
		"POST /v1/devices/{id}/purge": {Method: http.MethodPost, Path: "/v1/devices/a/purge", Body: "{}"},
	}, func(ctx context.Context, payload json.RawMessage) (any, error) {
		response, err := f.Invoke(ctx, payload)
		return json.RawMessage(response), err
	})
}
