package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/api/httpevent/gatewaytest"
)

const anyThing = `[{"tidemark_subject":"victim","tidemark_kind":"READING","timestamp":1776600001}]`

// routes are the paths of the stage's routes to this function, and of wider ones that may be deployed.
func (f fixture) routes() []string {
	return append([]string{"$default", "/{proxy+}", "/v1/{proxy+}", "/things/{proxy+}", envelope.PathMessages,
		access.SiteKeyRoute, access.PathEvent, "/script/{name}", "/v1/readings", "/v1/pageviews"},
		access.WriteKeyPaths...)
}

// thingsPaths are the forms of the path of messages that a gateway may hand over, decoded or not.
var thingsPaths = []string{
	"/things/rules/messages", "/things/rules%2Fmessages", "/things%2Frules%2Fmessages", "/things/rules%252Fmessages", "/things/rules/messages/",
	"/things/rules/./messages", "/things/x/../rules/messages", "/THINGS/rules/messages", "//things/rules/messages", "/prod/things/rules/messages",
}

// The messages of rules name any thing. They are taken by their own route with a signature, whatever the
// gateway, the route and the path.
func TestThings_AreTakenFromNoOtherRoute(t *testing.T) {
	t.Parallel()
	taken := 0
	for gateway, payload := range gatewaytest.Gateways {
		for _, signer := range []string{"arn:aws:sts::1:assumed-role/a/b", ""} {
			f := newCollector(t, nil, nil)
			f.appends.OwnerClaim = "account"
			for _, route := range f.routes() {
				for _, path := range thingsPaths {
					text := payload(t, gatewaytest.Request{Method: http.MethodPost, Route: route, Path: path,
						Body: anyThing, Signer: signer, Claims: map[string]any{"account": "acme"}})
					before := len(f.events(t))
					if _, err := f.handle(invocation(t, route+path), text); err != nil {
						t.Errorf("%s %q %s: %v", gateway, route, path, err)
					}
					stored := len(f.events(t)) > before
					allowed := signer != "" && gateway != gatewaytest.LoadBalancer &&
						route == envelope.PathMessages
					if stored && !allowed {
						t.Errorf("%s, route %q, path %s, signer %q: stored", gateway, route, path, signer)
					}
					if stored {
						taken++
					}
				}
			}
		}
	}
	if taken == 0 {
		t.Error("the messages of a rule are not taken either")
	}
}

// What is stored is what the route authorized, in every payload form.
func TestRoutes_AreThoseOfEachGateway(t *testing.T) {
	t.Parallel()
	const body = `{"deviceId":"acme:1","timestamp":31536001}`
	requests := map[string]gatewaytest.Request{
		"POST /v1/readings":           {Path: "/v1/readings"},
		"POST " + access.PathEvent:    {Path: access.PathEvent},
		"POST " + access.SiteKeyRoute: {Path: "/v1/collect/key"},
	}
	for _, path := range access.WriteKeyPaths {
		requests["POST "+path] = gatewaytest.Request{Path: strings.Replace(path, "{source}", "station", 1)}
	}
	for key, r := range requests {
		r.Method, r.Body = http.MethodPost, body
		requests[key] = r
	}
	f := newCollector(t, withSite, nil)
	gatewaytest.RequireRouted(t, f.appends.Catalog, requests,
		func(_ context.Context, payload json.RawMessage) (any, error) {
			return f.handle(invocation(t, "1"), payload)
		})
}
