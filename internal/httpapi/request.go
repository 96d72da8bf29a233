package httpapi

import "strings"

// Request is one request to the HTTP API, independent of the gateway that delivered it.
// Its zero value is a request without a caller, headers or body.
type Request struct {
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
