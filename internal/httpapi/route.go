package httpapi

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/tidemark-db/tidemark/internal/embedded"
	"github.com/tidemark-db/tidemark/internal/lists"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Route is one method and path of the HTTP API, with the action that serves it.
type Route struct {
	Method string
	Path   string // its parameters are in braces, as {id}, {tier}, {dimension} and {value}
	Action Action
	Kind   string // a kind's name, or a subject type's where the route serves all its kinds; "" for the service
}

// routeGroup is a group of rows of routes.json. Each kind, each subject type or the service has its routes.
type routeGroup struct {
	Of     string // "kind", "subject" or "service"
	Routes []routeRow
}

// routeRow is a route, in whose path {kinds}, {subjects} and {field} are replaced.
type routeRow struct {
	Needs        string // what the owner of the route must have; "" for nothing
	Method, Path string
	Action       Action
}

//go:embed routes.json
var routesText []byte

var routeGroups = sync.OnceValue(func() []routeGroup { return embedded.JSON[[]routeGroup](routesText) })

// routeOwner is a kind, a subject type or the service.
type routeOwner struct {
	name string
	path *strings.Replacer
	has  map[string]bool // what routes need
}

func kindOwner(k catalog.Kind) routeOwner {
	return routeOwner{k.Name, strings.NewReplacer("{kinds}", k.Path, "{subjects}", k.Subject.Path, "{field}", k.IndexBy), map[string]bool{
		"events":       k.HasEvents(),
		"optionalID":   k.HasEvents() && k.IDs == catalog.OptionalID, // events that always have ids have no route without one
		"eventIndex":   k.HasEvents() && k.IndexBy != "",
		"sessionIndex": !k.HasEvents() && k.IndexBy != "",
		"latest":       k.HasLatest(),
		"latestBy":     len(k.LatestBy) > 0,
		"dimensions":   len(k.Dimensions) > 0,
	}}
}

// routeOwners returns what has the routes of each group, in the order of declaration.
func routeOwners(c *catalog.Catalog) map[string][]routeOwner {
	subjectOwner := func(s catalog.SubjectType) routeOwner {
		several := len(catalog.WithEvents(c.KindsOf(s))) > 1
		return routeOwner{s.Name, strings.NewReplacer("{subjects}", s.Path), map[string]bool{"severalKinds": several, "rules": c.AllowsRules(s)}}
	}
	return map[string][]routeOwner{"kind": lists.Map(c.Kinds, kindOwner), "subject": lists.Map(c.Subjects(), subjectOwner), "service": {{path: strings.NewReplacer()}}}
}

// Routes returns every route of the HTTP API once: those of series, subjects, alerts and the service. The
// gateway, the functions and the OpenAPI description are built from this list.
func Routes(c *catalog.Catalog) (all []Route) {
	owners := routeOwners(c)
	for _, group := range routeGroups() {
		for _, o := range owners[group.Of] {
			for _, r := range group.Routes {
				if r.Needs == "" || o.has[r.Needs] {
					all = append(all, Route{r.Method, o.path.Replace(r.Path), r.Action, o.name})
				}
			}
		}
	}
	return all
}

// The paths of the service itself, in addition to those of kinds and subjects.
const (
	PathAPI     = "/openapi.json"
	PathHealth  = "/health"
	PathRelease = "/version"
)

// PathStats is the path of queries of websites, which are in the form of Plausible's Stats API v2.
const PathStats = "/api/v2/query"

// PrometheusPath begins the paths of Prometheus's HTTP API, which a function of its own serves by GET
// and POST. A data source is configured with the address up to here.
const PrometheusPath = "/prometheus"

// PagePaths are the paths of the files of the pages, which a function of its own serves by GET where a stage
// has them.
var PagePaths = []string{"/ui", "/ui/", "/ui/{file}"}
