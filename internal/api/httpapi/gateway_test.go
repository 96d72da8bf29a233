package httpapi

import (
	"strings"
	"testing"
)

// A gateway has each route once, and each leads to one function by one right.
func TestGatewayRoutes_AuthorizeEachRouteByItsRight(t *testing.T) {
	routes := Routes(manyRoutes(t))
	gateway := map[RouteKey]Route{}
	for _, r := range GatewayRoutes(routes) {
		key := NewRouteKey(r.Method, r.Path)
		if other, found := gateway[key]; found {
			t.Errorf("%s authorizes %s and %s", key, r.Action, other.Action)
		}
		gateway[key] = r
	}
	for _, r := range routes {
		by := gateway[NewRouteKey(r.Method, r.AtGateway().Path)]
		if by.Action.Scope() != r.Action.Scope() {
			t.Errorf("%s %s needs the right %s, and is authorized by %+v", r.Method, r.Path, r.Action.Scope(), by)
		}
		if by.Action.Changes() != r.Action.Changes() || (by.Action == Append) != (r.Action == Append) {
			t.Errorf("%s %s of the function for %s is sent to the function for %s", r.Method, r.Path, r.Action,
				by.Action)
		}
	}
	if len(gateway) == 0 || len(gateway) > len(routes)/2 {
		t.Errorf("%d routes for the %d of the catalog", len(gateway), len(routes))
	}
}

// Whatever a path names, and however it is written, a request has the right that the gateway's route
// authorized.
func TestGatewayRoutes_NoPathNeedsAnotherRight(t *testing.T) {
	c := manyRoutes(t)
	routes, served := Routes(c), map[Action]bool{}
	for _, authorized := range GatewayRoutes(routes) {
		key := NewRouteKey(authorized.Method, authorized.Path)
		for _, other := range routes {
			for _, path := range forms(example(other.Path)) {
				target, found := FindAuthorized(c, key, other.Method, path)
				if found && (target.Action.Scope() != authorized.Action.Scope() || other.Method != authorized.Method) {
					t.Errorf("route %s, request %s %s: served as %s", key, other.Method, path, target.Action)
				}
				served[target.Action] = served[target.Action] || found
			}
		}
	}
	for _, r := range routes {
		if !served[r.Action] {
			t.Errorf("no route serves %s", r.Action)
		}
	}
}

// An id with a slash is read where the gateway's route, or a part of the path, says what is the id.
func TestGatewayRoutes_ReadIDsWithSlashes(t *testing.T) {
	c := manyRoutes(t)
	for _, r := range Routes(c) {
		if !strings.Contains(r.Path, "{id}") {
			continue
		}
		path := example(strings.Replace(r.Path, "{id}", "a/b", 1))
		target, found := FindAuthorized(c, NewRouteKey(r.Method, r.AtGateway().Path), r.Method, path)
		if !found || target.Action != r.Action || target.Values["id"] != "a/b" {
			t.Errorf("%s %s: found %v, %s of %q, want %s of a/b", r.Method, path, found, target.Action,
				target.Values["id"], r.Action)
		}
	}
}
