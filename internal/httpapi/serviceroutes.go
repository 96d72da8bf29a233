package httpapi

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

// PrometheusPath begins the paths of Prometheus's HTTP API, which a function of its own serves by GET
// and POST. A data source is configured with the address up to here.
const PrometheusPath = "/prometheus"
