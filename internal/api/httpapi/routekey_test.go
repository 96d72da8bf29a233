package httpapi

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// manyRoutes is a catalog in which every route exists.
func manyRoutes(t *testing.T) *catalog.Catalog {
	t.Helper()
	views := catalog.Kind{Name: "PAGEVIEW", Subject: catalog.SubjectType{Name: "SITE"}, Latest: catalog.NoLatest}
	views.Dimensions = []rollup.DimensionSpec{{Name: "path"}}
	views.IndexBy, views.IDs = "visitor", catalog.RequiredID
	clicks := catalog.Kind{Name: "CLICK", Subject: views.Subject}
	return newCatalog(t, flow, views, clicks)
}

// forms returns the decoded forms of a path that a gateway may hand over for one of its routes.
func forms(path string) []string {
	last := strings.LastIndex(path, "/")
	return []string{
		path, path + "/", path + "/purge", path + "/.", path[:last] + "//" + path[last+1:],
		strings.ToUpper(path), strings.ReplaceAll(path, "/", "%2F"), path[:last] + "%2F" + path[last+1:],
		path[:last] + "/../" + path[last+1:], path + "/../purge", path[:last] + "/x/y/" + path[last+1:],
	}
}

// example fills in the parameters of a route's path.
func example(path string) string {
	return strings.NewReplacer("{id}", "a", "{time}", "2026-04-20T14:00:00Z", "{event}", "e", "{value}", "v",
		"{tier}", "day", "{dimension}", "path",
		"{version}", "1", "{rule}", "hot", "{alert}", "1", "{shard}", "1").Replace(path)
}

// Whatever a path names, and however it is written, the route by which the gateway authorized it is served,
// or nothing.
func TestRouteKey_NoPathLeadsToAnotherRoute(t *testing.T) {
	c := manyRoutes(t)
	routes, served := Routes(c), map[RouteKey]bool{}
	for _, authorized := range routes {
		key := NewRouteKey(authorized.Method, authorized.Path)
		for _, other := range routes {
			for _, path := range forms(example(other.Path)) {
				for _, method := range []string{authorized.Method, other.Method} {
					target, found := FindAuthorized(c, key, method, path)
					if found && (target.Action != authorized.Action || method != authorized.Method) {
						t.Errorf("route %s, request %s %s: served as %s", key, method, path, target.Action)
					}
					served[key] = served[key] || found
				}
			}
		}
		if !served[key] {
			t.Errorf("route %s serves no path of this test", key)
		}
	}
	if len(routes) < 50 {
		t.Errorf("only %d routes are tested", len(routes))
	}
}

// A route that stands for several, or none, leaves the choice to the path.
func TestRouteKey_AWideRouteServesAllThatItCovers(t *testing.T) {
	c := manyRoutes(t)
	for key, path := range map[RouteKey]string{
		"": "/v1/pumps/a/flows", "GET /v1/{proxy+}": "/v1/pumps/a/flows", "ANY /{proxy+}": "/v1/pumps/a/flows",
		"GET /v1/pumps/{proxy+}": "/v1/pumps/a/flows", "GET /v1/{type}/{id}/flows": "/v1/pumps/a/b/flows",
	} {
		if target, found := FindAuthorized(c, key, "GET", path); !found || target.Action != ReadHistory {
			t.Errorf("%q, %s: %v %s, want the history", key, path, found, target.Action)
		}
	}
	for _, key := range []RouteKey{"GET /v2/{proxy+}", "GET /v1/sites/{proxy+}", "POST /v1/{proxy+}",
		"GET /v1/pumps/{id}/flows/{time}", "GET /v1/pumps/b/flows", "GET /v1/pumps"} {
		if target, found := FindAuthorized(c, key, "GET", "/v1/pumps/a/flows"); found {
			t.Errorf("%q serves %s", key, target.Action)
		}
	}
}

func TestRouteKey_IdsWithSlashesAreReadByTheRoute(t *testing.T) {
	c := manyRoutes(t)
	for key, want := range map[RouteKey]string{"DELETE /v1/pumps/{id}": "a/b/purge",
		"DELETE /v1/pumps/{id}/purge": "a/b"} {
		if target, found := FindAuthorized(c, key, "DELETE", "/v1/pumps/a/b/purge"); !found ||
			target.Values["id"] != want {
			t.Errorf("%s: %v %v, want id %s", key, found, target.Values, want)
		}
	}
}

// FuzzRouteKey: a route of the catalog never serves another one, whatever the path.
func FuzzRouteKey(f *testing.F) {
	f.Add("DELETE /v1/pumps/{id}", "DELETE", "/v1/pumps/a/purge")
	f.Add("GET /v1/{proxy+}", "GET", "/v1/pumps/a%2Fb/flows/latest")
	f.Add("DELETE /v1/{manage+}", "DELETE", "/v1/pumps/a/purge")
	f.Add("$default", "POST", "//")
	f.Fuzz(func(t *testing.T, key, method, path string) {
		c := newCatalog(t, flow)
		route := ParseRouteKey(key)
		target, found := FindAuthorized(c, route, method, path)
		if !found {
			return
		}
		if free, any := FindTarget(c, method, path); !any && route.Wide() {
			t.Fatalf("%q serves %q as %s, which the path alone does not name: %+v", key, path, target.Action, free)
		}
		for _, r := range Routes(c) {
			if route.Is(r.Method, r.Path) && r.Action != target.Action {
				t.Fatalf("%q serves %q as %s", key, path, target.Action)
			}
			if by := r.AtGateway(); route.Is(by.Method, by.Path) && by.Action.Scope() != target.Action.Scope() {
				t.Fatalf("%q serves %q as %s, which needs another right", key, path, target.Action)
			}
		}
	})
}
