package local

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// Invoker is a function as the front calls it.
type Invoker interface {
	// Invoke hands payload over and answers what the function answered. It may be
	// called concurrently.
	Invoke(ctx context.Context, payload []byte) ([]byte, error)
}

// Route sends the requests of a method and a path prefix to a function, as the routes
// of the deployed API do.
type Route struct {
	Method string
	Prefix string
	Suffix string // of the path; "" is any
	To     Invoker
	// Parameter names the rest of the path; "" means proxy.
	Parameter string
	// Authorizer must let a request through; nil lets all.
	Authorizer Invoker
}

// maxRequest is what the front takes, the limit of API Gateway.
const maxRequest = 10 << 20

// Front is the laptop's API Gateway: an HTTP server on this machine alone, which
// hands each request to a function as an HTTP API payload of version 2.0 and gives
// its answer back.
type Front struct {
	URL    string
	routes []Route
	server *http.Server
}

// StartFront listens on the port of this machine; 0 takes a free one. Requests of no
// route are given to rest.
func StartFront(port string, routes []Route, rest http.Handler) (*Front, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return nil, err
	}
	f := &Front{URL: "http://" + listener.Addr().String(), routes: routes}
	f.server = &http.Server{Handler: f.handler(rest), ReadHeaderTimeout: 10 * time.Second}
	go f.server.Serve(listener)
	return f, nil
}

// Stop ends the front after the requests under way, or when ctx ends.
func (f *Front) Stop(ctx context.Context) {
	if f.server.Shutdown(ctx) != nil {
		f.server.Close()
	}
}

func (f *Front) handler(rest http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, route := range f.routes {
			if r.Method == route.Method && strings.HasPrefix(r.URL.Path, route.Prefix) && strings.HasSuffix(r.URL.Path, route.Suffix) {
				pass(w, r, route)
				return
			}
		}
		rest.ServeHTTP(w, r)
	})
}

// pass is one request through one function.
func pass(w http.ResponseWriter, r *http.Request, route Route) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		say(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
		return
	}
	if err != nil {
		return // the caller went away
	}
	request := newHTTPRequest(r, route, body, time.Now())
	if route.Authorizer != nil {
		switch ok, err := askAuthorizer(r.Context(), route.Authorizer, &request); {
		case err != nil:
			say(w, http.StatusInternalServerError, "Internal Server Error")
			return
		case !ok:
			say(w, http.StatusForbidden, "Forbidden")
			return
		}
	}
	payload, err := json.Marshal(request)
	if err != nil {
		say(w, http.StatusBadRequest, "Bad Request")
		return
	}
	answer, err := route.To.Invoke(r.Context(), payload)
	switch {
	case errors.Is(err, ErrTimedOut):
		say(w, http.StatusServiceUnavailable, "Service Unavailable")
	case err != nil:
		say(w, http.StatusInternalServerError, "Internal Server Error")
	default:
		writeAnswer(w, answer)
	}
}

// say answers as API Gateway does where no function answered.
func say(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"message": message})
}
