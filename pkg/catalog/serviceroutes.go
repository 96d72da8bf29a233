package catalog

// The actions on the service itself.
const (
	ReadAPI     Action = "openapi"
	ReadHealth  Action = "health"
	ReadRelease Action = "release" // of the service
)

// The paths of the service itself, beside those of kinds and subjects.
const (
	PathAPI     = "/openapi.json"
	PathHealth  = "/health"
	PathRelease = "/version"
)

// ServiceRoutes are the routes that say something of the service itself: what it
// answers, whether it does, and which release it is. Their Kind is empty.
func ServiceRoutes() []Route {
	return []Route{
		{Method: "GET", Path: PathAPI, Action: ReadAPI},
		{Method: "GET", Path: PathHealth, Action: ReadHealth},
		{Method: "GET", Path: PathRelease, Action: ReadRelease},
	}
}

// AllRoutes is every route there is, once: those of kinds, of the lives of subjects, of alerts and
// of the service. What an API lets through, what the functions answer and what the
// API's description tells are this list.
func (c *Catalog) AllRoutes() []Route {
	all := append(c.Routes(), c.SubjectRoutes()...)
	all = append(all, c.AlertRoutes()...)
	return append(all, ServiceRoutes()...)
}
