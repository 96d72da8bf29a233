package main

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/envelope"
)

const anyThing = `[{"tidemark_subject":"victim","tidemark_kind":"READING","timestamp":1776600001}]`

// gateways make the payload of a request that a gateway authorized by a route: of a token, and of a
// signature if signed. A load balancer has no routes.
var gateways = map[string]func(key, path, body string, signed bool) any{
	"HTTP API": func(key, path, body string, signed bool) any {
		r := events.APIGatewayV2HTTPRequest{Version: "2.0", RouteKey: key, RawPath: path, Body: body}
		r.RequestContext.RouteKey = key
		r.RequestContext.HTTP.Method = "POST"
		r.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
			JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{"account": "acme"}},
		}
		if signed {
			r.RequestContext.Authorizer.IAM = &events.APIGatewayV2HTTPRequestContextAuthorizerIAMDescription{UserARN: "arn:aws:sts::1:assumed-role/a/b"}
		}
		return r
	},
	"REST API": func(key, path, body string, signed bool) any {
		r := events.APIGatewayProxyRequest{HTTPMethod: "POST", Path: path, Body: body}
		_, _ = fmt.Sscanf(key, "POST %s", &r.Resource)
		r.RequestContext.Authorizer = map[string]any{"claims": map[string]any{"account": "acme"}}
		if signed {
			r.RequestContext.Identity.UserArn = "arn:aws:sts::1:assumed-role/a/b"
		}
		return r
	},
	"load balancer": func(_, path, body string, _ bool) any {
		return map[string]any{"httpMethod": "POST", "path": path, "body": body, "headers": map[string]string{},
			"requestContext": map[string]any{"elb": map[string]any{"targetGroupArn": "arn"}}}
	},
}

// keys are the routes of a stage that lead to this function, and wider ones that may be deployed.
func (f fixture) keys() []string {
	all := []string{"", "$default", "POST /{proxy+}", "POST /v1/{proxy+}", "POST /things/{proxy+}",
		"POST " + envelope.PathMessages,
		"POST " + access.SiteKeyRoute, "POST " + access.PathEvent, "GET /script/{name}", "POST /v1/readings", "POST /v1/pageviews"}
	for _, path := range access.WriteKeyPaths {
		all = append(all, "POST "+path)
	}
	return all
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
	for gateway, payload := range gateways {
		for _, signed := range []bool{true, false} {
			f := newCollector(t, nil, nil)
			f.appends.OwnerClaim = "account"
			for _, key := range f.keys() {
				for _, path := range thingsPaths {
					text, err := json.Marshal(payload(key, path, anyThing, signed))
					if err != nil {
						t.Fatal(err)
					}
					before := len(f.events(t))
					if _, err := f.handle(invocation(t, key+path), text); err != nil {
						t.Errorf("%s %q %s: %v", gateway, key, path, err)
					}
					stored := len(f.events(t)) > before
					allowed := signed && gateway != "load balancer" && key == "POST "+envelope.PathMessages
					if stored && !allowed {
						t.Errorf("%s, route %q, path %s, signed %v: stored", gateway, key, path, signed)
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

// A path of one of this function's routes is not served to a caller of another.
func TestRoutes_NoneIsServedToAnother(t *testing.T) {
	t.Parallel()
	paths := map[string]string{"POST /v1/readings": "/v1/readings", "POST " + access.PathEvent: access.PathEvent,
		"POST " + access.SiteKeyRoute: "/v1/collect/key"}
	for _, path := range access.WriteKeyPaths {
		paths["POST "+path] = path
	}
	f := newCollector(t, withSite, nil)
	for key := range paths {
		for own, path := range paths {
			const body = `{"deviceId":"acme:1","timestamp":31536001}`
			text, err := json.Marshal(gateways["HTTP API"](key, path, body, false))
			if err != nil {
				t.Fatal(err)
			}
			response, err := f.handle(invocation(t, key), text)
			if status := response.(events.APIGatewayV2HTTPResponse).StatusCode; err != nil ||
				(status == 404) != (key != own) {
				t.Errorf("route %s, path %s: %d, %v", key, path, status, err)
			}
		}
	}
}
