package main

import (
	"net/http"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/httpevent/gatewaytest"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
)

// The pages are served by their own routes, in every payload form.
func TestHandle_ServesTheRouteOfEachGateway(t *testing.T) {
	env := map[string]string{config.EnvSignIn: `{"issuer":"https://login.example.com","client":"pages","scope":"openid"}`}
	f, err := wire(t.Context(), func(name string) string { return env[name] }, nil)
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	gatewaytest.RequireRouted(t, kinds, map[string]gatewaytest.Request{
		"GET /ui/{file}": {Method: http.MethodGet, Path: "/ui/app.css", Alike: httpapi.PagePaths},
	}, f.handle)
}
