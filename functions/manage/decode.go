package main

import (
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
)

// command is a decoded request, less its body.
type command struct {
	*httpapi.Request
	httpapi.Target
	query httpapi.Parameters
}

// parameters lists the query parameters of each action that has some.
var parameters = map[httpapi.Action][]string{
	httpapi.DeleteSubject: {"forever"},
	httpapi.PurgeSubject: {
		"dryRun", "graceHours", eventsWhere, eventsKind, rollupsValue, rollupsKind, "cursor",
	},

	httpapi.CorrectEvent:     {"stream", "strict"},
	httpapi.CorrectEventByID: {"stream", "strict"},
	httpapi.DeleteEvent:      {"stream"},
	httpapi.DeleteEventByID:  {"stream"},
}

// repeated reports whether a parameter may be sent several times.
func repeated(name string) bool { return name == eventsWhere }

// decode reads the path, the caller's owner and the query of a request.
func (h *handler) decode(r *httpapi.Request) (command, *httpapi.Problem) {
	c, problem := h.decodePath(r)
	if problem != nil {
		return command{}, problem
	}
	if _, problem = r.CheckOwner(h.ownerClaim, c.Action.Access().Owner, c.Values["id"]); problem != nil {
		return command{}, problem
	}
	c.query, problem = httpapi.ParseParameters(r.RawQuery, parameters[c.Action], repeated)
	return c, problem
}

// decodePath reads what the method and the path of a request name.
func (h *handler) decodePath(r *httpapi.Request) (command, *httpapi.Problem) {
	t, found := httpapi.FindAuthorized(h.catalog, r.Route, r.Method, r.Path)
	if !found || actions[t.Action] == nil {
		return command{}, h.unknown(r)
	}
	if err := tablekeys.Purge(t.Subject()).Check(); err != nil {
		return command{}, httpapi.ProblemNotFound.New("%.64q… is not a valid id: %v", t.Values["id"], err)
	}
	return command{Request: r, Target: t}, nil
}

// unknown returns the problem of a request that is for no route of this function.
func (h *handler) unknown(r *httpapi.Request) *httpapi.Problem {
	all := httpapi.Methods(h.catalog, r.Path)
	methods := strings.Join(all, ", ")
	if slices.Contains(all, r.Method) {
		return httpapi.ProblemNotFound.New("%.200q is not of the route %s, by which the request was authorized: "+
			"write a slash in an id as %%2F", r.Path, r.Route)
	}
	if methods == "" {
		return httpapi.ProblemNotFound.New(
			"%.200q: %s lists all routes; the time of an event is like 2026-04-20T14:00:00Z", r.Path, httpapi.PathAPI)
	}
	return httpapi.ProblemMethod.New("%.16s %.200s: want %s", r.Method, r.Path, methods).With("Allow", methods)
}
