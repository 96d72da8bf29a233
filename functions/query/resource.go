package main

import (
	"net/http"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// resource is what the path of a request names.
type resource struct {
	httpapi.Target
	series query.Series  // without its stream, which is a parameter
	tier   string        // of rollups
	owner  httpapi.Owner // whose subjects a list may have
	// with are the other kinds of the subject, if the action merges all of them.
	with []*catalog.Kind
}

// mergedActions are the actions on all kinds of a subject.
var mergedActions = map[httpapi.Action]bool{httpapi.ReadAllRollups: true, httpapi.ReadAllChart: true,
	httpapi.ReadAllTop: true, httpapi.ReadAllTotal: true}

// parseResource reads a path by the gateway's route.
func parseResource(c *catalog.Catalog, key httpapi.RouteKey, path string) (resource, error) {
	t, found := httpapi.FindAuthorized(c, key.By(http.MethodGet), http.MethodGet, path)
	if !found {
		return resource{}, unknownPath(c, path)
	}
	merged := mergedActions[t.Action]
	r := resource{Target: t, tier: t.Values["tier"]}
	if t.Type == (catalog.SubjectType{}) {
		return r, nil // of the service
	}
	kinds := []*catalog.Kind{t.Kind}
	if t.Kind == nil {
		kinds = c.SubjectKinds(t.Type)
	}
	if merged {
		kinds = catalog.WithEvents(kinds)
		r.with = kinds[min(1, len(kinds)):]
	}
	switch {
	case len(kinds) > 0:
		r.series.Kind = kinds[0]
	case merged:
		return resource{}, unknownRoute(path)
	default:
		r.series.Kind = &catalog.Kind{Subject: t.Type} // what is read of a subject needs only its type
	}
	r.series.Subject = t.Values["id"]
	return r, nil
}

// unknownPath returns the problem of a path that no route has.
func unknownPath(c *catalog.Catalog, path string) error {
	parts := strings.Split(path, "/")
	if len(parts) < 3 || parts[1] != "v1" || parts[len(parts)-1] == "" || httpapi.IsWord(parts[2]) {
		return unknownRoute(path)
	}
	subject, ok := c.SubjectByPath(parts[2])
	if !ok {
		return unknownSubjectType(parts[2], c)
	}
	if len(parts) > 4 && !httpapi.IsWord(parts[4]) {
		if kind, ok := c.ByPath(parts[4]); !ok || kind.Subject != subject {
			return unknownKind(parts[4], subject, c)
		}
	}
	return unknownRoute(path)
}
