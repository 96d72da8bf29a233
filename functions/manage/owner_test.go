package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/httpevent/gatewaytest"
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

// A key and a link are for their own routes, even where a gateway has a wider one. No change is among them.
func TestHTTP_NoKeyAndNoLinkChangesAnything(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	sent := 0
	for caller, context := range gatewaytest.Bound(t, "devices/acme:1", "acme:1") {
		for _, route := range httpapi.Routes(f.catalog) {
			if route.Method == http.MethodGet || route.Action == httpapi.Append {
				continue
			}
			path := strings.NewReplacer("{id}", "acme:1", "{time}", "2026-04-20T14:00:00Z", "{event}", "1",
				"{alert}", "x", "{rule}", "y").Replace(route.Path)
			for _, prefix := range []string{"", access.LinkPathPrefix} {
				r := events.APIGatewayV2HTTPRequest{RouteKey: route.Method + " " + prefix + route.Path,
					RawPath: prefix + path, Body: "{}"}
				r.RequestContext.HTTP.Method = route.Method
				r.RequestContext.Authorizer =
					&events.APIGatewayV2HTTPRequestContextAuthorizerDescription{Lambda: context}
				got := f.send(r)
				refused := strings.HasPrefix(got, "403 ") || prefix != "" && strings.HasPrefix(got, "404 ")
				if !refused {
					t.Errorf("%s sends %s %s: %s, want it refused", caller, route.Method, prefix+path, got)
				}
				sent++
			}
		}
	}
	if sent < 180 {
		t.Errorf("%d requests were sent, want every change of every kind", sent)
	}
}
