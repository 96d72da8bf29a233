package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

// TestHTTP_EveryChangeIsOfTheOwnersSubjects sends every route that changes something as callers of owners.
func TestHTTP_EveryChangeIsOfTheOwnersSubjects(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ownerClaim = "account"
	sent := 0
	for _, route := range httpapi.Routes(f.catalog) {
		if route.Method == http.MethodGet || route.Action == httpapi.Append {
			continue
		}
		path := strings.NewReplacer("{id}", "acme:1", "{time}", "2026-04-20T14:00:00Z", "{event}", "1",
			"{alert}", "x", "{rule}", "y").Replace(route.Path)
		for claim, owns := range map[string]bool{"acme": route.Action.Access().Owner == httpapi.OwnerSubject,
			"other": false,
			"":      false, "acme:1": false, "acm": false} {
			r := events.APIGatewayV2HTTPRequest{RouteKey: route.Method + " " + route.Path, RawPath: path,
				Body: "{}"}
			r.RequestContext.HTTP.Method = route.Method
			r.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
				JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{"account": claim}},
			}
			got := f.send(r)
			if refused := strings.HasPrefix(got, "403 /problems/foreign-subject"); refused == owns {
				t.Errorf("owner %q sends %s %s: %s, want it refused: %v", claim, route.Method, path, got,
					!owns)
			}
			sent++
		}
	}
	if sent < 150 {
		t.Errorf("%d requests were sent, want every change of every kind", sent)
	}
}
