package stack

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
)

// newHTTPRequest converts r to payload format 2.0 of API Gateway: the path is decoded, header names are in
// lower case, repeated values are joined by commas, and bodies that are not text are in base64.
func newHTTPRequest(r *http.Request, route Route, values map[string]string, body []byte,
	now time.Time) events.APIGatewayV2HTTPRequest {
	key := route.Method + " " + route.Path
	sourceIP, _, _ := net.SplitHostPort(r.RemoteAddr)
	host, _, _ := strings.Cut(r.Host, ":")
	p := events.APIGatewayV2HTTPRequest{
		Version:               "2.0",
		RouteKey:              key,
		RawPath:               r.URL.Path,
		RawQueryString:        r.URL.RawQuery,
		Headers:               headers(r),
		QueryStringParameters: joined(r.URL.Query()),
		PathParameters:        values,
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey:     key,
			AccountID:    "000000000000",
			Stage:        "$default",
			RequestID:    newInvocation(nil).id,
			APIID:        "local",
			DomainName:   host,
			DomainPrefix: "local",
			Time:         now.UTC().Format("02/Jan/2006:15:04:05 -0700"),
			TimeEpoch:    now.UnixMilli(),
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method:    r.Method,
				Path:      r.URL.Path,
				Protocol:  r.Proto,
				SourceIP:  sourceIP,
				UserAgent: r.UserAgent(),
			},
		},
	}
	for _, c := range r.Cookies() {
		p.Cookies = append(p.Cookies, c.String())
	}
	if p.IsBase64Encoded = len(body) > 0 && !(isText(r.Header) && utf8.Valid(body)); p.IsBase64Encoded {
		p.Body = base64.StdEncoding.EncodeToString(body)
	} else {
		p.Body = string(body)
	}
	return p
}

func headers(r *http.Request) map[string]string {
	out := map[string]string{"host": r.Host}
	for name, values := range r.Header {
		if name != "Cookie" {
			out[strings.ToLower(name)] = strings.Join(values, ",")
		}
	}
	return out
}

// joined returns the parameters of a query string, or nil if there are none, as API Gateway does.
func joined(values map[string][]string) map[string]string {
	if len(values) == 0 {
		return nil
	}
	out := make(map[string]string, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out[name] = strings.Join(values[name], ",")
	}
	return out
}

// isText reports whether API Gateway passes the body on without encoding it.
func isText(h http.Header) bool {
	if h.Get("Content-Encoding") != "" {
		return false
	}
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return strings.HasPrefix(kind, "text/") ||
		slices.Contains([]string{"application/json", "application/javascript", "application/xml"}, kind)
}

// writeResponse writes the response of the function. A response without a status code is the body
// itself, as in format 2.0.
func writeResponse(w http.ResponseWriter, response []byte) {
	var p events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(response, &p); err != nil || p.StatusCode == 0 {
		w.Header().Set("Content-Type", "application/json")
		w.Write(response)
		return
	}
	body := []byte(p.Body)
	if p.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(p.Body); err != nil {
			writeMessage(w, http.StatusInternalServerError, "Internal Server Error")
			return
		}
	}
	for name, value := range p.Headers {
		w.Header().Set(name, value)
	}
	for name, values := range p.MultiValueHeaders {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	for _, cookie := range p.Cookies {
		w.Header().Add("Set-Cookie", cookie)
	}
	w.WriteHeader(p.StatusCode)
	w.Write(body)
}
