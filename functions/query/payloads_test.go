package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// payloadForms make the payload of a request that a gateway authorized by a route: of a reader of acme, whose
// claims are where the gateway has them or, if forged, where another one has them.
var payloadForms = map[string]func(method, route, path string, forged bool) string{
	"HTTP API": func(method, route, path string, forged bool) string {
		authorizer := `{"jwt":{"claims":{"account":"acme"}}}`
		if forged {
			authorizer = `{"claims":{"account":"acme"},"lambda":{"account":"acme"}}`
		}
		return fmt.Sprintf(`{"version":"2.0","routeKey":"%s %s","rawPath":"/prod%s",
			"path":"/v1/devices/acme:1","headers":{"account":"acme"},
			"requestContext":{"stage":"prod","routeKey":"%[1]s %[2]s",
			"http":{"method":"%[1]s","path":"/health"},"authorizer":%[4]s}}`, method, route, path, authorizer)
	},
	"REST API": func(method, route, path string, forged bool) string {
		authorizer := `{"claims":{"account":"acme"}}`
		if forged {
			authorizer = `{"jwt":{"claims":{"account":"acme"}},"account":"acme"}`
		}
		return fmt.Sprintf(`{"httpMethod":"%s","resource":"%s","path":"%s","rawPath":"/v1/devices/acme:1",
			"headers":{"account":"acme"},"multiValueHeaders":{"Host":["a","b"],"host":["c"]},
			"requestContext":{"stage":"prod","path":"/prod/health","resourcePath":"/health",
			"authorizer":%s}}`, method, route, path, authorizer)
	},
}

// What is served is what the route authorized, of the owner that the gateway's own claims name, by the method
// of the route.
func TestHandle_ServesTheRouteOfEachPayloadForm(t *testing.T) {
	t.Parallel()
	h, _ := newHandler(t)
	h.OwnerClaim = "account"
	const own, foreign = "/v1/devices/acme:1/readings", "/v1/devices/other:1/readings"
	for form, payload := range payloadForms {
		for _, c := range []struct {
			method, route, path string
			forged              bool
			want                int
		}{
			{method: "GET", route: "/v1/{read+}", path: own, want: 200},
			{method: "GET", route: "/v1/{proxy+}", path: own, want: 200},
			{method: "GET", route: "/v1/devices/{id}/readings", path: own, want: 200},
			{method: "GET", route: "/v1/{read+}", path: foreign, want: 403},
			{method: "GET", route: "/v1/{read+}", path: own, forged: true, want: 403},
			{method: "GET", route: "/shared/{proxy+}", path: "/shared" + own, forged: true, want: 403},
			{method: "GET", route: "/shared/{proxy+}", path: own, want: 404},
			{method: "GET", route: "/v1/{manage+}", path: own, want: 404},
			{method: "GET", route: "/v1/devices/{id}", path: own, want: 404},
			{method: "GET", route: "/script/{name}", path: own, want: 404},
			{method: "GET", route: "/v1/{read+}", path: "/v1/DEVICES/acme:1/readings", want: 404},
			{method: "HEAD", route: "/v1/{read+}", path: own, want: 405},
			{method: "OPTIONS", route: "/v1/{read+}", path: own, want: 405},
			{method: "TRACE", route: "/v1/{read+}", path: own, want: 405},
			{method: "get", route: "/v1/{read+}", path: own, want: 405},
			{method: "POST", route: "/api/v2/query", path: own, want: 404},
		} {
			sent := payload(c.method, c.route, c.path, c.forged)
			response, err := h.Handle(t.Context(), json.RawMessage(sent))
			text, bad := json.Marshal(response)
			want := fmt.Sprintf(`"statusCode":%d,`, c.want)
			if err != nil || bad != nil || !strings.Contains(string(text), want) {
				t.Errorf("%s, %+v: %s %v", form, c, text, err)
			}
		}
	}
}
