package envelope

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

// Answer gives a response in the shape of the gateway that sent the request.
type Answer func(events.APIGatewayV2HTTPResponse) any

// ReadRequest reads a caller's request as the HTTP API words it (payload format 2.0),
// whichever gateway sent it: the HTTP API and function URLs word it so themselves, a
// REST API or a load balancer in the older form.
func ReadRequest(payload []byte) (*events.APIGatewayV2HTTPRequest, Answer, error) {
	s := shapeOf(payload)
	if s.text("httpMethod") == "" {
		r := new(events.APIGatewayV2HTTPRequest)
		if err := json.Unmarshal(payload, r); err != nil {
			return nil, nil, fmt.Errorf("read the request of the HTTP API: %w", err)
		}
		return r, func(response events.APIGatewayV2HTTPResponse) any { return response }, nil
	}
	var older events.APIGatewayProxyRequest
	if err := json.Unmarshal(payload, &older); err != nil {
		return nil, nil, fmt.Errorf("read the request of the REST API or load balancer: %w", err)
	}
	r := newer(&older)
	if s.text("version") == "1.0" { // the HTTP API's own older form, its stage in the path
		r.RequestContext.Stage = older.RequestContext.Stage
	}
	if s.context().Balancer != nil {
		return r, balanced(older.MultiValueHeaders != nil), nil
	}
	return r, proxied, nil
}

// newer words a request of the older form in the newer.
func newer(o *events.APIGatewayProxyRequest) *events.APIGatewayV2HTTPRequest {
	query := o.MultiValueQueryStringParameters
	if query == nil {
		query = lists(o.QueryStringParameters)
	}
	r := &events.APIGatewayV2HTTPRequest{
		Version:               "2.0",
		RawPath:               unescaped(o.Path),
		RawQueryString:        url.Values(query).Encode(),
		Headers:               joined(o.Headers, o.MultiValueHeaders),
		QueryStringParameters: joined(o.QueryStringParameters, o.MultiValueQueryStringParameters),
		PathParameters:        o.PathParameters,
		Body:                  o.Body,
		IsBase64Encoded:       o.IsBase64Encoded,
	}
	r.RequestContext.HTTP = events.APIGatewayV2HTTPRequestContextHTTPDescription{
		Method:    o.HTTPMethod,
		Path:      r.RawPath,
		SourceIP:  cmp.Or(o.RequestContext.Identity.SourceIP, lastOf(Header(r, "X-Forwarded-For"))),
		UserAgent: cmp.Or(o.RequestContext.Identity.UserAgent, Header(r, "User-Agent")),
	}
	r.RequestContext.RequestID = cmp.Or(o.RequestContext.RequestID, Header(r, "X-Amzn-Trace-Id"))
	r.RequestContext.Authorizer = authorizer(o.RequestContext.Authorizer)
	return r
}

// authorizer is what a REST API's authorizer said: claims of a token, or values of
// its own. A load balancer has none.
func authorizer(said map[string]any) *events.APIGatewayV2HTTPRequestContextAuthorizerDescription {
	if said == nil {
		return nil
	}
	a := &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{Lambda: said}
	if claims, ok := said["claims"].(map[string]any); ok {
		a.JWT = &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{}}
		for name, value := range claims {
			if text, ok := value.(string); ok {
				a.JWT.Claims[name] = text
			}
		}
	}
	return a
}

// proxied is the answer of a REST API.
func proxied(r events.APIGatewayV2HTTPResponse) any {
	return events.APIGatewayProxyResponse{
		StatusCode: r.StatusCode, Headers: r.Headers, MultiValueHeaders: r.MultiValueHeaders,
		Body: r.Body, IsBase64Encoded: r.IsBase64Encoded,
	}
}

// balanced is the answer of a load balancer, which takes headers in the form that it
// sends them in, and no other.
func balanced(listed bool) Answer {
	return func(r events.APIGatewayV2HTTPResponse) any {
		response := events.ALBTargetGroupResponse{
			StatusCode:        r.StatusCode,
			StatusDescription: strconv.Itoa(r.StatusCode) + " " + http.StatusText(r.StatusCode),
			Body:              r.Body, IsBase64Encoded: r.IsBase64Encoded,
		}
		if listed {
			response.MultiValueHeaders = lists(r.Headers)
		} else {
			response.Headers = r.Headers
		}
		return response
	}
}

// unescaped is a path as it was meant; one that cannot be is left as it came.
func unescaped(path string) string {
	if plain, err := url.PathUnescape(path); err == nil {
		return plain
	}
	return path
}

// joined is one value a name, several apart by commas.
func joined(single map[string]string, several map[string][]string) map[string]string {
	all := maps.Clone(single)
	if all == nil && several != nil {
		all = map[string]string{}
	}
	for name, values := range several {
		all[name] = strings.Join(values, ",")
	}
	return all
}

func lists(single map[string]string) map[string][]string {
	all := make(map[string][]string, len(single))
	for name, value := range single {
		all[name] = []string{value}
	}
	return all
}

// lastOf is the address that the gateway itself has seen.
func lastOf(forwardedFor string) string {
	hops := strings.Split(forwardedFor, ",")
	return strings.TrimSpace(hops[len(hops)-1])
}
