package httpapi

import (
	"slices"
	"strings"
)

// RouteKey is the route by which a gateway authorized a request: "DELETE /v1/devices/{id}". Its method may be
// ANY, and its last part greedy, as {proxy+}. It is "" if the gateway has no routes, such as a load balancer:
// that authorizes every path alike.
//
// A gateway may match a path before it decodes the path, or after. So what a request names is read by its
// route: the path alone can name what another route, with another authorization, is for.
type RouteKey string

// NewRouteKey returns the RouteKey of a method and of the path of a gateway's route, "" if it is a default
// route, which has no path.
func NewRouteKey(method, path string) RouteKey {
	if !strings.HasPrefix(path, "/") {
		return ""
	}
	return RouteKey(method + " " + path)
}

// ParseRouteKey returns the RouteKey of a gateway's text, as "GET /v1/devices/{id}" or "$default".
func ParseRouteKey(text string) RouteKey {
	method, path, _ := strings.Cut(text, " ")
	return NewRouteKey(method, path)
}

// split returns the method and the parts of the path, which are nil if every path is authorized alike.
func (k RouteKey) split() (method string, parts []string) {
	method, path, ok := strings.Cut(string(k), " ")
	if !ok {
		return "ANY", nil
	}
	return method, strings.Split(path, "/")
}

// Allows reports whether a request of this route may be served as the route of a method and a path, whose
// parameters are in braces under any name. A greedy parameter stands for all parts that follow, unless it is
// named after a right: then only for actions of the catalog that need the right, which FindAuthorized finds.
func (k RouteKey) Allows(method, path string) bool {
	own, parts := k.split()
	return (own == "ANY" || own == method) && k.right() == "" && covers(parts, strings.Split(path, "/"))
}

// AllowsPath is Allows for a request of a path, which is without the stage: where the route is wider than the
// other one, whose last part may be a parameter, the path must be one of the other's.
func (k RouteKey) AllowsPath(method, route, path string) bool {
	before, _, several := strings.Cut(route, "{")
	named := path == route || several && strings.HasPrefix(path, before)
	return k.Allows(method, route) && (named || !k.Wide() || k.Is(method, route))
}

// Is reports whether the route has exactly this method and path.
func (k RouteKey) Is(method, path string) bool { return k == NewRouteKey(method, path) }

// By returns the same route by another method, for the request of a method that the path does not have.
func (k RouteKey) By(method string) RouteKey {
	if _, path, ok := strings.Cut(string(k), " "); ok {
		return NewRouteKey(method, path)
	}
	return k
}

// Wide reports whether the route stands for several of the catalog.
func (k RouteKey) Wide() bool { return k == "" || strings.HasSuffix(string(k), "+}") }

// right returns the right that a greedy parameter is named after, "" if there is none: the routes of
// GatewayRoutes that stand for several say so what they authorize.
func (k RouteKey) right() Scope {
	_, parts := k.split()
	if len(parts) == 0 || !isGreedy(parts[len(parts)-1]) {
		return ""
	}
	right := Scope(strings.Trim(parts[len(parts)-1], "{+}"))
	if !slices.Contains(Scopes, right) {
		return ""
	}
	return right
}

// permits reports whether a request of this route may be the action of a row, with these values of its
// parameters.
func (k RouteKey) permits(row routeRow, values map[string]string) bool {
	if right := k.right(); right != "" && right != row.action.Scope() {
		return false
	}
	return !k.Wide() || !row.plainID || !strings.Contains(values["id"], "/")
}

// covers reports whether each part of a gateway's route stands for the part of another route: a fixed part
// for itself, a parameter for a parameter.
func covers(key, route []string) bool {
	for len(key) > 0 && !isGreedy(key[0]) {
		if len(route) == 0 || isParameter(key[0]) != isParameter(route[0]) ||
			!isParameter(key[0]) && key[0] != route[0] {
			return false
		}
		key = key[1:]
		route = route[1:]
		if len(key) == 0 {
			return len(route) == 0
		}
	}
	return true
}

func isParameter(part string) bool { return strings.HasPrefix(part, "{") }

func isGreedy(part string) bool { return strings.HasSuffix(part, "+}") }

// afterPart returns the parts of a gateway's route after the one that stands for a part of the catalog's
// route, in a path with this part. ok is false if it does not stand for it. Parts that are nil allow
// anything.
func afterPart(key []string, route, part string) (rest []string, ok bool) {
	switch {
	case key == nil || len(key) > 0 && isGreedy(key[0]):
		return nil, true
	case len(key) == 0:
		return nil, false
	case isParameter(key[0]):
		return key[1:], isParameter(route)
	}
	return key[1:], key[0] == part && (isParameter(route) || route == part)
}
