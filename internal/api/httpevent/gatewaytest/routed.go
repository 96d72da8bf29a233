package gatewaytest

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// RequireRouted sends each request by each route of a stage, in the payload of each gateway, with its path
// written in many ways. The function serves the plain path by the routes that cover it, and by no other
// route anything. Requests is by the route of the stage that is for each, as "GET /v1/{read+}".
func RequireRouted(
	t *testing.T, kinds *catalog.Catalog, requests map[string]Request,
	handle func(context.Context, json.RawMessage) (any, error),
) {
	t.Helper()
	served, refused := 0, 0
	for own, r := range requests {
		for _, key := range stageRoutes(kinds, requests) {
			method, path, _ := strings.Cut(key, " ")
			if method != r.Method && method != "ANY" {
				continue // a gateway has found the route by the method
			}
			r.Route = path
			plain := r.Path
			for _, form := range forms(plain) {
				r.Path = form
				for gateway, payload := range Gateways {
					response, err := handle(t.Context(), payload(t, r))
					if err != nil {
						t.Fatalf("%s, route %s, %s %s: %v", gateway, key, r.Method, r.Path, err)
					}
					status := Status(t, response)
					ok := status != http.StatusNotFound && status != http.StatusMethodNotAllowed
					allowed := key == own || gateway == LoadBalancer || covers(path, own, plain) ||
						slices.Contains(r.Alike, path)
					if ok && !allowed || !ok && allowed && form == plain {
						t.Errorf("%s, route %s, %s %s: status %d, want it served: %v", gateway, key, r.Method,
							r.Path, status, allowed)
					}
					if ok {
						served++
					} else {
						refused++
					}
				}
			}
			r.Path = plain
		}
	}
	if served < len(requests) || refused < 10*len(requests) {
		t.Errorf("%d requests were served and %d refused, want more of each", served, refused)
	}
}

// covers reports whether a route authorizes a path, which another route of the stage is for: a greedy
// parameter that is named after a right stands for that right alone.
func covers(route, own, path string) bool {
	if route == "$default" {
		return true
	}
	right := greedy.FindString(route)
	if right != "" && right != "{proxy+}" && right != greedy.FindString(own) {
		return false
	}
	pattern := parameter.ReplaceAllString(greedy.ReplaceAllString(route, ".+"), "[^/]+")
	return regexp.MustCompile("^" + pattern + "$").MatchString(path)
}

var (
	greedy    = regexp.MustCompile(`{[a-z]+\+}`)
	parameter = regexp.MustCompile(`{[a-z]+}`)
)

// stageRoutes are the routes of all functions of a stage and of the requests, and wider ones that a team
// may deploy in their place.
func stageRoutes(kinds *catalog.Catalog, requests map[string]Request) []string {
	all := []string{"ANY $default", "ANY /{proxy+}", "ANY /v1/{proxy+}", "ANY /things/{proxy+}",
		"ANY /api/{proxy+}",
		"POST " + envelope.PathMessages, "POST " + access.SiteKeyRoute, "POST " + access.PathEvent,
		"POST " + access.PathStats, "GET " + access.ReportRoute, "GET " + access.LinkRoute, "GET /script/{name}",
		"ANY " + httpapi.PrometheusPath + "/{proxy+}"}
	for _, path := range access.WriteKeyPaths {
		all = append(all, "POST "+path)
	}
	for _, r := range access.ClientRoutes {
		all = append(all, r.Method+" "+r.Path)
	}
	for _, path := range httpapi.PagePaths {
		all = append(all, "GET "+path)
	}
	for _, r := range slices.Concat(httpapi.Routes(kinds), httpapi.GatewayRoutes(httpapi.Routes(kinds))) {
		all = append(all, r.Method+" "+r.Path)
	}
	for own := range requests {
		all = append(all, own)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// forms are ways to write a path, of which a gateway hands over some as they are. The first is plain.
func forms(path string) []string {
	last := strings.LastIndex(path, "/")
	head, tail := path[:last], path[last+1:]
	return []string{path, path + "/", head + "//" + tail, head + "/./" + tail, head + "/x/../" + tail,
		head + "%2F" + tail, head + "%252F" + tail, head + "%2e%2e/" + tail, "/" + path, strings.ToUpper(path),
		strings.ReplaceAll(path, "/", "%2F"), "/prod" + path, path + "%00", path + ";a=b"}
}
