package local

import (
	"net"
	"net/http"
	"net/url"

	"github.com/tidemark-db/tidemark/internal/devfile"
)

// IDHeader is the header with the random id of a run of dev.
const IDHeader = devfile.IDHeader

// OnlyFromThisMachine returns a handler that refuses what fromThisMachine refuses.
func OnlyFromThisMachine(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fromThisMachine(w, r) {
			h.ServeHTTP(w, r)
		}
	})
}

// fromThisMachine reports whether a request may be served, else it writes the response. The front
// has no authentication. A page of another website, open in a browser on this machine, can send
// requests here: its origin says so, or the name under which it reached the loopback address.
func fromThisMachine(w http.ResponseWriter, r *http.Request) bool {
	if !isLoopback(r.Host) {
		writeMessage(w, http.StatusMisdirectedRequest, "the host of the request is not this machine: use http://127.0.0.1 or http://localhost")
		return false
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		at, err := url.Parse(origin)
		if err != nil || !isLoopback(at.Host) {
			writeMessage(w, http.StatusForbidden, "a page of another website sent this request: only pages of this machine are served")
			return false
		}
	}
	return true
}

// isLoopback reports whether a host, with or without a port, is this machine by a name that no
// other site can have.
func isLoopback(host string) bool {
	at := url.URL{Host: host}
	name := at.Hostname()
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}
