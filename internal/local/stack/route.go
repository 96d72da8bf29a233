package stack

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

// Invoker is a function that the front calls.
type Invoker interface {
	// Invoke calls the function with payload and returns its response. It can be called concurrently.
	Invoke(ctx context.Context, payload []byte) ([]byte, error)
}

// Route sends the requests of a method and a path to a function, as a route of the deployed API
// does. A part of the path in braces matches any one part, {proxy+} at the end all that follow.
type Route struct {
	Method string
	Path   string
	To     Invoker
	// Authorizer authorizes requests; nil authorizes all.
	Authorizer Invoker
	// AnyOrigin serves the pages of every website too, as the collector does.
	AnyOrigin bool
}

// find returns the route of a request, and the values of its path parameters. Of several routes
// the first part that differs decides: fixed before a parameter, a parameter before {proxy+}. A
// part that is escaped is one part, also if it contains slashes.
func find(routes []Route, method, escapedPath string) (best Route, values map[string]string, ok bool) {
	parts := strings.Split(escapedPath, "/")
	var rank string
	for _, r := range routes {
		if r.Method != method {
			continue
		}
		if found, its, matches := r.match(parts); matches && (!ok || its < rank) {
			best = r
			values = found
			rank = its
			ok = true
		}
	}
	return best, values, ok
}

// match compares the parts of a path. rank sorts the routes that match: a letter for each part.
func (r Route) match(parts []string) (values map[string]string, rank string, ok bool) {
	pattern := strings.Split(r.Path, "/")
	values = map[string]string{}
	for i, p := range pattern {
		name, isParameter := strings.CutPrefix(p, "{")
		name = strings.TrimSuffix(name, "}")
		switch {
		case strings.HasSuffix(name, "+") && len(parts) > i:
			values[strings.TrimSuffix(name, "+")] = unescaped(strings.Join(parts[i:], "/"))
			return values, rank + "c", true
		case i >= len(parts), isParameter && parts[i] == "", !isParameter && p != parts[i]:
			return nil, "", false
		case isParameter:
			values[name] = unescaped(parts[i])
			rank += "b"
		default:
			rank += "a"
		}
	}
	return values, rank, len(parts) == len(pattern)
}

func unescaped(part string) string {
	text, err := url.PathUnescape(part)
	if err != nil {
		return part
	}
	return text
}

// actionFunction returns the name of the function that serves an action, as deployed.
func actionFunction(a httpapi.Action) string {
	switch {
	case a == httpapi.Append:
		return ingest
	case a.Changes():
		return manage
	}
	return query
}

// preflight serves the request by which a browser learns that a page of another website may
// send page views, and reports whether it did. The deployed API does the same.
func preflight(w http.ResponseWriter, r *http.Request, routes []Route) bool {
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	route, _, ok := find(routes, r.Header.Get("Access-Control-Request-Method"), r.URL.EscapedPath())
	if !ok || !route.AnyOrigin {
		return false
	}
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Allow-Methods", route.Method)
	w.Header().Set("Access-Control-Allow-Headers", "content-type")
	w.WriteHeader(http.StatusNoContent)
	return true
}
