package httpapi

import (
	"strings"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Route is one method and path of the HTTP API, with the action that serves it.
type Route struct {
	Method string
	Path   string // its parameters are in braces, as {id}, {tier}, {dimension} and {value}
	Action Action
	Kind   string // a kind's name, or a subject type's where the route serves all its kinds; "" for the service
}

// Routes returns every route of the HTTP API once: the routes of series, subjects, alerts and the
// service. The gateway, the functions and the OpenAPI description are built from this list.
func Routes(c *catalog.Catalog) (all []Route) {
	for i := range c.Kinds {
		k := &c.Kinds[i]
		members := ""
		if of, ok := c.Kind(k.GroupsOf); ok {
			members = of.Subject.Path
		}
		path := strings.NewReplacer("{kinds}", k.Path, "{subjects}", k.Subject.Path, "{field}", k.IndexBy,
			"{members}", members)
		owner := routeOwner{kinds: c, subject: k.Subject, kind: k}
		all = append(all, ownRoutes(kindRoutes, owner, k.Name, path)...)
	}
	for _, rows := range [][]routeRow{summaryRoutes, lifecycleRoutes, alertRoutes} {
		for _, s := range c.Subjects() {
			path := strings.NewReplacer("{subjects}", s.Path)
			all = append(all, ownRoutes(rows, routeOwner{kinds: c, subject: s}, s.Name, path)...)
		}
	}
	return append(all, ownRoutes(serviceRoutes, routeOwner{kinds: c}, "", strings.NewReplacer())...)
}

// ownRoutes returns the routes of an owner that has what they need.
func ownRoutes(rows []routeRow, owner routeOwner, name string, path *strings.Replacer) (all []Route) {
	for _, r := range rows {
		if owner.has(r) {
			all = append(all, Route{Method: r.method, Path: path.Replace(r.path), Action: r.action, Kind: name})
		}
	}
	return all
}

// The paths of the service itself, in addition to the paths of kinds and subjects.
const (
	PathAPI     = "/openapi.json"
	PathHealth  = "/health"
	PathRelease = "/version"
)

// PrometheusPath begins the paths of Prometheus's HTTP API, which a function of its own serves by GET
// and POST. A data source is configured with the address up to here.
const PrometheusPath = "/prometheus"

// PagePaths are the paths of the files of the pages, which a function of its own serves by GET where a stage
// has them.
var PagePaths = []string{"/ui", "/ui/", "/ui/{file}"}
