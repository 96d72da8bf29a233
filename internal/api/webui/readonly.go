package webui

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

// ReadOnly returns a handler of the pages and of the reading routes of the API at address.
// transport sends the requests to the API, with a signature or a token; nil sends them as they
// are. Only GET and HEAD requests of the handler's own origin pass, and queries of websites: other websites
// cannot spend the user's reads. The caller must refuse hosts other than this machine. stack returns what
// AWS knows of the stack of the API, as JSON; it is nil if no stack is known.
func ReadOnly(address string, transport http.RoundTripper,
	stack func(context.Context) (any, error)) (http.Handler, error) {
	at, err := url.Parse(address)
	if err != nil || at.Host == "" {
		return nil, fmt.Errorf(
			"the URL of the HTTP API is %q: want a URL such as https://abc.execute-api.eu-west-1.amazonaws.com",
			address)
	}
	api := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { rewrite(r, at) },
		Transport: transport,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			problem(w, http.StatusBadGateway, fmt.Sprintf("%s could not be read: %v", at.Host, err))
		},
	}
	mux := http.NewServeMux()
	mux.Handle(Path, Pages())
	mux.Handle("/{$}", http.RedirectHandler(Path, http.StatusFound))
	mux.HandleFunc("GET "+PathStatus, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	mux.Handle(PathStack, reads(stackHandler(stack)))
	passed := []string{"/v1/", access.PathStats, httpapi.PathAPI, httpapi.PathHealth, httpapi.PathRelease}
	for _, prefix := range passed {
		mux.Handle(prefix, reads(whole(api)))
	}
	return mux, nil
}

// whole returns a handler of a proxy that does not cut responses. Otherwise the server closes the body of a
// query when the response begins, and a proxy that still looks for its end gives up.
func whole(proxy http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		proxy.ServeHTTP(w, r)
	})
}

// stackHandler serves what AWS knows of the stack; without one, no content.
func stackHandler(stack func(context.Context) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if stack == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		known, err := stack(r.Context())
		if err != nil {
			problem(w, http.StatusBadGateway, err.Error())
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(known)
	})
}

// rewrite sends a request to the API with its own path and only the headers that a read needs:
// cookies and credentials of this origin stay here.
func rewrite(r *httputil.ProxyRequest, at *url.URL) {
	r.SetURL(at)
	r.Out.Header = http.Header{}
	for _, name := range []string{"Accept", "Content-Type", "If-None-Match"} {
		if v := r.In.Header.Get(name); v != "" {
			r.Out.Header.Set(name, v)
		}
	}
}

// reads refuses changes, and requests that another website caused.
func reads(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from := r.Header.Get("Sec-Fetch-Site")
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead && !isQuery(r):
			problem(w, http.StatusMethodNotAllowed,
				"tidemark ui is read-only: change data with the tidemark command or the HTTP API")
		case strings.HasPrefix(from, "cross") || from == "same-site":
			problem(w, http.StatusForbidden,
				"a page of another website sent this request: open "+Path+" of this address instead")
		default:
			api.ServeHTTP(w, r)
		}
	})
}

// isQuery reports whether a request reads by POST.
func isQuery(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Path == access.PathStats
}

// problem writes an error in the form of API Gateway, which the pages show.
func problem(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"message": message})
}
