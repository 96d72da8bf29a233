package httpapi

import (
	"net/http"
	"slices"
	"strings"
)

// proxied has the right of the gateway's route for several actions, by method. Most actions of the method
// need it; the others have routes of their own.
var proxied = map[string]Scope{
	http.MethodGet:    ScopeRead,
	http.MethodPut:    ScopeManage,
	http.MethodPatch:  ScopeManage,
	http.MethodPost:   ScopeManage,
	http.MethodDelete: ScopeManage,
}

// GatewayRoutes returns the routes by which a gateway authorizes requests of routes of the catalog: one route
// for all actions of a method that need the same right, as "GET /v1/{read+}", with one of these actions, and
// the others as they are. A gateway's template has few hundred resources, and a route for each action fills
// them.
//
// The greedy parameter is named after the right, so FindAuthorized refuses a path that names an action with
// another right, however the path is encoded.
func GatewayRoutes(routes []Route) (all []Route) {
	known := map[RouteKey]bool{}
	for _, r := range routes {
		r = r.AtGateway()
		if key := NewRouteKey(r.Method, r.Path); !known[key] {
			known[key] = true
			all = append(all, r)
		}
	}
	return all
}

// AtGateway returns the gateway's route that authorizes requests of a route. A proxy route is of no kind.
func (r Route) AtGateway() Route {
	right := r.Action.Scope()
	if right != proxied[r.Method] || !strings.HasPrefix(r.Path, "/v1/") || r.Action.hasPlainID() {
		return r
	}
	return Route{Method: r.Method, Path: "/v1/{" + string(right) + "+}", Action: r.Action}
}

// hasPlainID reports whether the paths of an action have an id that only a route of its own tells from what
// is beside it.
func (a Action) hasPlainID() bool {
	return slices.ContainsFunc(routeRows(), func(row routeRow) bool { return row.action == a && row.plainID })
}
