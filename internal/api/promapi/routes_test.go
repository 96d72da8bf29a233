package promapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/httpevent"
	"github.com/tidemark-db/tidemark/internal/api/httpevent/gatewaytest"
)

// Prometheus's API is served by its own route, in every payload form.
func TestServe_ServesTheRouteOfEachGateway(t *testing.T) {
	a := newAPI(t)
	gatewaytest.RequireRouted(t, a.Catalog, map[string]gatewaytest.Request{
		"ANY " + httpapi.PrometheusPath + "/{proxy+}": {
			Method: http.MethodGet, Path: httpapi.PrometheusPath + "/api/v1/labels"},
	}, func(ctx context.Context, payload json.RawMessage) (any, error) {
		r, encode, err := httpevent.Decode(payload)
		if err != nil {
			return nil, err
		}
		return encode(a.Serve(ctx, r)), nil
	})
}
