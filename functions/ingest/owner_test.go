package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/httpevent/gatewaytest"
)

// TestHTTP_EveryAppendIsOfTheOwnersSubjects sends every route that appends as callers of owners.
func TestHTTP_EveryAppendIsOfTheOwnersSubjects(t *testing.T) {
	t.Parallel()
	f := newCollector(t, nil, nil)
	f.appends.OwnerClaim = "account"
	sent := 0
	for _, route := range httpapi.Routes(f.appends.Catalog) {
		if route.Action != httpapi.Append {
			continue
		}
		kind, _ := f.appends.Catalog.Kind(route.Kind)
		for claim, owns := range map[string]bool{"acme": true, "other": false, "": false, "acme:1": false,
			"acm": false} {
			body := fmt.Sprintf(`{"%s":"acme:1","timestamp":"not a time"}`, kind.Subject.Field)
			r := events.APIGatewayV2HTTPRequest{Version: "2.0", RouteKey: route.Method + " " + route.Path,
				RawPath: route.Path, Body: body}
			r.RequestContext.HTTP.Method = route.Method
			r.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
				JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{"account": claim}},
			}
			payload, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			response, err := f.handle(invocation(t, route.Path+claim), payload)
			if err != nil {
				t.Fatal(err)
			}
			got := response.(events.APIGatewayV2HTTPResponse)
			// The observation of the owner is invalid for another reason, so that no kind needs its fields
			// here.
			foreign := got.StatusCode == http.StatusForbidden || strings.Contains(got.Body, "foreign-subject")
			if foreign == owns || got.StatusCode < 400 {
				t.Errorf("owner %q sends %s: %d %s, want it refused as foreign: %v", claim, route.Path,
					got.StatusCode, got.Body, !owns)
			}
			sent++
		}
	}
	if sent < 10 {
		t.Errorf("%d requests were sent, want the appends of every kind", sent)
	}
	if stored := f.events(t); len(stored) != 0 {
		t.Errorf("stored %v, want nothing", stored)
	}
}

// An integer is stored as the text of its digits, which begins with no owner.
func TestHTTP_ANumberIsNoSubjectOfAnOwner(t *testing.T) {
	t.Parallel()
	f := newCollector(t, nil, nil)
	f.appends.OwnerClaim = "account"
	r := events.APIGatewayV2HTTPRequest{Version: "2.0", RouteKey: "POST /v1/readings",
		RawPath: "/v1/readings", Body: `{"deviceId":5,"timestamp":"2026-04-20T14:00:00Z","temperature":1}`}
	r.RequestContext.HTTP.Method = http.MethodPost
	r.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
		JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{
			Claims: map[string]string{"account": "acme"}},
	}
	payload, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	response, err := f.handle(invocation(t, "1"), payload)
	if err != nil {
		t.Fatal(err)
	}
	got := response.(events.APIGatewayV2HTTPResponse)
	if !strings.Contains(got.Body, "foreign-subject") {
		t.Errorf("%d %s, want foreign-subject", got.StatusCode, got.Body)
	}
	requireEvents(t, f)
}

// A link shows, and a read key reads: neither appends. A write key has routes of its own.
func TestHTTP_NoKeyAndNoLinkUsesTheRoutesOfCallers(t *testing.T) {
	t.Parallel()
	f := newCollector(t, nil, nil)
	sent := 0
	for caller, context := range gatewaytest.Bound(t, "devices/acme:1", "acme:1") {
		for _, route := range httpapi.Routes(f.appends.Catalog) {
			if route.Action != httpapi.Append {
				continue
			}
			kind, _ := f.appends.Catalog.Kind(route.Kind)
			body := fmt.Sprintf(`{"%s":"acme:1","timestamp":"2026-04-20T14:00:00Z"}`, kind.Subject.Field)
			for _, prefix := range []string{"", access.LinkPathPrefix} {
				path := prefix + route.Path
				r := events.APIGatewayV2HTTPRequest{Version: "2.0", RouteKey: "POST " + path, RawPath: path,
					Body: body}
				r.RequestContext.HTTP.Method = route.Method
				r.RequestContext.Authorizer =
					&events.APIGatewayV2HTTPRequestContextAuthorizerDescription{Lambda: context}
				payload, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				response, err := f.handle(invocation(t, caller+path), payload)
				if err != nil {
					t.Fatal(err)
				}
				got := response.(events.APIGatewayV2HTTPResponse)
				if got.StatusCode != 403 && (prefix == "" || got.StatusCode != 404) {
					t.Errorf("%s sends %s: %d %s, want it refused", caller, path, got.StatusCode, got.Body)
				}
				sent++
			}
		}
	}
	if sent < 12 {
		t.Errorf("%d requests were sent, want the appends of every kind", sent)
	}
	if stored := f.events(t); len(stored) != 0 {
		t.Errorf("stored %v, want nothing", stored)
	}
}
