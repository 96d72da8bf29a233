package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/local/devfile"
	"github.com/tidemark-db/tidemark/internal/local/ownmachine"
)

// maxRequest is the largest body of a request, as in API Gateway.
const maxRequest = 10 << 20

// Front is an HTTP server on the loopback address that behaves as API Gateway: it converts each
// request to an HTTP API payload of version 2.0, invokes a function and returns its response.
type Front struct {
	URL    string
	ID     string // every response carries it in the header IDHeader; "" for none
	clock  clock.Clock
	routes []Route
	server *http.Server
}

// StartFront listens on a port of this machine; 0 selects a free one. id identifies this run in
// every response. The times of requests and responses are of the clock. rest serves the requests that match
// no route.
func StartFront(port, id string, at clock.Clock, routes []Route, rest http.Handler) (*Front, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return nil, err
	}
	f := &Front{URL: "http://" + listener.Addr().String(), ID: id, clock: at, routes: routes}
	f.server = ownmachine.OpenServer(f.handler(rest)) // page views are for any website
	go f.server.Serve(listener)
	return f, nil
}

// Stop ends the front after the running requests, or when ctx ends.
func (f *Front) Stop(ctx context.Context) {
	if f.server.Shutdown(ctx) != nil {
		f.server.Close()
	}
}

func (f *Front) handler(rest http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", f.clock.Now().UTC().Format(http.TimeFormat))
		if f.ID != "" {
			w.Header().Set(IDHeader, f.ID)
		}
		if !utf8.ValidString(r.URL.Path) {
			writeMessage(w, http.StatusBadRequest, "the path is not UTF-8: encode ids as UTF-8 before you escape them")
			return
		}
		if preflight(w, r, f.routes) {
			return
		}
		route, values, ok := find(f.routes, r.Method, r.URL.EscapedPath())
		switch {
		case ok && route.AnyOrigin:
			f.pass(w, r, route, values)
		case refused(w, r):
		case ok:
			f.pass(w, r, route, values)
		case strings.HasPrefix(r.URL.Path, "/v1/"):
			writeMessage(w, http.StatusNotFound, "Not Found")
		default:
			rest.ServeHTTP(w, r)
		}
	})
}

// pass serves one request with a function.
func (f *Front) pass(w http.ResponseWriter, r *http.Request, route Route, values map[string]string) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		writeMessage(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
		return
	}
	if err != nil {
		return // the client disconnected
	}
	request := newHTTPRequest(r, route, values, body, f.clock.Now())
	if route.Authorizer != nil {
		switch ok, err := callAuthorizer(r.Context(), route.Authorizer, &request); {
		case err != nil:
			writeMessage(w, http.StatusInternalServerError, "Internal Server Error")
			return
		case !ok:
			writeMessage(w, http.StatusForbidden, "Forbidden")
			return
		}
	}
	payload, err := json.Marshal(request)
	if err != nil {
		writeMessage(w, http.StatusBadRequest, "Bad Request")
		return
	}
	response, err := route.To.Invoke(r.Context(), payload)
	switch {
	case errors.Is(err, ErrTimedOut):
		writeMessage(w, http.StatusServiceUnavailable, "Service Unavailable")
	case err != nil:
		writeMessage(w, http.StatusInternalServerError, "Internal Server Error")
	default:
		writeResponse(w, response)
	}
}

// writeMessage writes a response of API Gateway itself.
func writeMessage(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"message": message})
}

// callAuthorizer invokes the authorizer of a route as API Gateway does, with payload format 2.0 and simple
// responses. It stores the context of the response in r. ok is false if the request is not authorized.
func callAuthorizer(ctx context.Context, by Invoker, r *events.APIGatewayV2HTTPRequest) (ok bool, _ error) {
	payload, err := json.Marshal(events.APIGatewayV2CustomAuthorizerV2Request{
		Version:               "2.0",
		Type:                  "REQUEST",
		RouteKey:              r.RouteKey,
		RawPath:               r.RawPath,
		RawQueryString:        r.RawQueryString,
		Cookies:               r.Cookies,
		Headers:               r.Headers,
		QueryStringParameters: r.QueryStringParameters,
		PathParameters:        r.PathParameters,
		RequestContext:        r.RequestContext,
	})
	if err != nil {
		return false, fmt.Errorf("call the authorizer: %w", err)
	}
	body, err := by.Invoke(ctx, payload)
	if err != nil {
		return false, fmt.Errorf("call the authorizer: %w", err)
	}
	var response events.APIGatewayV2CustomAuthorizerSimpleResponse
	if err := json.Unmarshal(body, &response); err != nil {
		return false, fmt.Errorf("decode the authorizer's response: %w", err)
	}
	r.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
		Lambda: response.Context}
	return response.IsAuthorized, nil
}

// IDHeader is the header with the random id of a run of dev.
const IDHeader = devfile.IDHeader

// refused reports whether a request comes from elsewhere, and writes the response if it does.
func refused(w http.ResponseWriter, r *http.Request) bool {
	status, why := ownmachine.Refusal(r)
	if status != 0 {
		writeMessage(w, status, why)
	}
	return status != 0
}
