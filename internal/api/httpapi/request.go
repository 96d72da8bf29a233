package httpapi

import (
	"encoding/json"
	"strings"
)

// Request is one request to the HTTP API, independent of the gateway that delivered it.
// Its zero value is a request without a caller, headers or body.
type Request struct {
	Route    RouteKey // by which the gateway authorized the request
	Method   string
	Path     string // unescaped, without the gateway's stage
	RawQuery string
	Headers  map[string]string // names in any case: read them with Header
	Body     string            // as delivered: read it with Bytes
	Base64   bool              // Body is base64
	ID       string            // the gateway's id of the request
	SourceIP string

	Claims     map[string]string // of the verified token; nil without one
	UserARN    string            // of the credentials that signed the request; "" without any
	Authorizer map[string]any    // values that a Lambda authorizer returned
}

// Header returns the header field with this name in any case, "" if there is none.
func (r *Request) Header(name string) string {
	for n, v := range r.Headers {
		if strings.EqualFold(n, name) {
			return v
		}
	}
	return ""
}

// Caller identifies the caller in records of who changed what: the subject of the token,
// else the ARN of the signing credentials, else "http".
func (r *Request) Caller() string {
	switch {
	case r.Claims["sub"] != "":
		return r.Claims["sub"]
	case r.UserARN != "":
		return r.UserARN
	}
	return "http"
}

// Response is a response of the HTTP API, independent of the gateway that sends it.
type Response struct {
	Status  int
	Headers map[string]string
	Body    string
	Base64  bool // Body is base64
}

// JSON returns a response with a JSON body.
func JSON(status int, body any) Response {
	text, err := json.Marshal(body)
	if err != nil {
		status, text = 500, []byte(`{"type":"/problems/internal","title":"The service failed","status":500}`)
	}
	return Response{Status: status, Headers: map[string]string{"Content-Type": "application/json"},
		Body: string(text)}
}
