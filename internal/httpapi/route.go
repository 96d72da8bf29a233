package httpapi

import "github.com/tidemark-db/tidemark/pkg/catalog"

// Action is the operation that a route performs.
type Action string

// The actions on series.
const (
	Append      Action = "append"
	ReadHistory Action = "history"
	ReadLatest  Action = "latest"
	ReadCount   Action = "count"
	ReadRollups Action = "rollups"
	ReadChart   Action = "chart"    // rollups of the tier that suits the range
	ReadTotal   Action = "total"    // the summary of any range
	ReadTop     Action = "top"      // the most frequent values of a dimension
	ReadByIndex Action = "by-value" // events of any subject by the value of their indexed field
	// ReadLatestBy are latest items of any subject, by the values of indexed fields.
	ReadLatestBy Action = "latest-by"
	ReadProfile  Action = "profile"
	// All kinds of a subject merged.
	ReadAllRollups Action = "all-rollups"
	ReadAllChart   Action = "all-chart"
	ReadAllTop     Action = "all-top"
	ReadAllTotal   Action = "all-total"
)

// Route is one method and path of the HTTP API, with the action that serves it.
type Route struct {
	Method string
	Path   string // its parameters are in braces, as {id}, {tier}, {dimension} and {value}
	Action Action
	Kind   string // a kind's name, or a subject type's where the route serves all its kinds; "" for the service
}

// Routes returns every route of the HTTP API once: those of series, subjects, alerts and the service. The
// gateway, the functions and the OpenAPI description are built from this list.
func Routes(c *catalog.Catalog) []Route {
	all := append(seriesRoutes(c), subjectRoutes(c)...)
	all = append(all, alertRoutes(c)...)
	return append(all, ServiceRoutes()...)
}

// seriesRoutes returns the routes of the kinds, then those of the subject types, in the order of declaration.
// A kind without stored events, latest items, dimensions or an index has no route for them.
func seriesRoutes(c *catalog.Catalog) []Route {
	var all []Route
	for i := range c.Kinds {
		k := &c.Kinds[i]
		series := "/v1/" + k.Subject.Path + "/{id}/" + k.Path
		if k.HasEvents() {
			all = append(all,
				Route{"POST", "/v1/" + k.Path, Append, k.Name},
				Route{"GET", series, ReadHistory, k.Name},
				Route{"GET", series + "/" + WordCount, ReadCount, k.Name})
		}
		all = append(all,
			Route{"GET", series + "/" + WordRollups, ReadChart, k.Name},
			Route{"GET", series + "/" + WordRollups + "/" + WordTotal, ReadTotal, k.Name},
			Route{"GET", series + "/" + WordRollups + "/{tier}", ReadRollups, k.Name})
		if k.HasLatest() {
			all = append(all, Route{"GET", series + "/" + WordLatest, ReadLatest, k.Name})
		}
		if len(k.Dimensions) > 0 {
			all = append(all, Route{"GET", series + "/" + WordTop + "/{dimension}", ReadTop, k.Name})
		}
		if len(k.LatestBy) > 0 {
			all = append(all, Route{"GET", "/v1/" + k.Path + "/" + WordLatest, ReadLatestBy, k.Name})
		}
		switch {
		case k.HasEvents() && k.IndexBy != "":
			all = append(all, Route{"GET", "/v1/" + k.Path + "/" + k.IndexBy + "/{value}", ReadByIndex, k.Name})
		case k.IndexBy != "":
			all = append(all, Route{"GET", series, ReadHistory, k.Name}, Route{"GET", series + "/{time}/{event}", ReadEventByID, k.Name})
		}
		if k.HasEvents() {
			all = append(all, eventRoutes(k, series)...)
		}
	}
	for _, s := range c.Subjects() {
		all = append(all, typeRoutes(s, len(catalog.WithEvents(c.KindsOf(s))) > 1)...)
	}
	return all
}

// typeRoutes returns the routes that read a subject's profile and, if its type has
// several kinds, all of them merged.
func typeRoutes(s catalog.SubjectType, several bool) []Route {
	one := "/v1/" + s.Path + "/{id}"
	all := []Route{{"GET", one, ReadProfile, s.Name}}
	if several {
		all = append(all,
			Route{"GET", one + "/" + WordRollups, ReadAllChart, s.Name},
			Route{"GET", one + "/" + WordRollups + "/" + WordTotal, ReadAllTotal, s.Name},
			Route{"GET", one + "/" + WordRollups + "/{tier}", ReadAllRollups, s.Name},
			Route{"GET", one + "/" + WordTop + "/{dimension}", ReadAllTop, s.Name})
	}
	return all
}

// The actions on the service itself.
const (
	ReadAPI     Action = "openapi"
	ReadHealth  Action = "health"
	ReadRelease Action = "release" // of the service
)

// The paths of the service itself, in addition to those of kinds and subjects.
const (
	PathAPI     = "/openapi.json"
	PathHealth  = "/health"
	PathRelease = "/version"
)

// ServiceRoutes returns the routes that describe the service itself: its API, its health
// and its release. Their Kind is empty.
func ServiceRoutes() []Route {
	return []Route{
		{Method: "GET", Path: PathAPI, Action: ReadAPI},
		{Method: "GET", Path: PathHealth, Action: ReadHealth},
		{Method: "GET", Path: PathRelease, Action: ReadRelease},
	}
}

// PathStats is the path of queries of websites, which are in the form of Plausible's Stats API v2.
const PathStats = "/api/v2/query"

// PrometheusPath begins the paths of Prometheus's HTTP API, which a function of its own serves by GET
// and POST. A data source is configured with the address up to here.
const PrometheusPath = "/prometheus"

// PagePaths are the paths of the files of the pages, which a function of its own serves by GET where a stage
// has them.
var PagePaths = []string{"/ui", "/ui/", "/ui/{file}"}
