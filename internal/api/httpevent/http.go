// Package httpevent decodes the HTTP requests of each gateway of AWS, and encodes the responses that it
// expects.
package httpevent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

// EncodeResponse returns a response in the payload format of one gateway.
type EncodeResponse func(httpapi.Response) any

// Decode reads an HTTP request from any gateway: payload format 2.0 of the HTTP API and function URLs, or
// the older format of the REST API and load balancers. The response must be encoded by the returned function.
func Decode(payload []byte) (*httpapi.Request, EncodeResponse, error) {
	var from gateway
	_ = json.Unmarshal(payload, &from) // a member of another type is as none
	if from.Method == "" {
		var r events.APIGatewayV2HTTPRequest
		if err := json.Unmarshal(payload, &r); err != nil {
			return nil, nil, fmt.Errorf("read the request of the HTTP API: %w", err)
		}
		return fromFormat2(&r), toFormat2, nil
	}
	var r events.APIGatewayProxyRequest
	if err := json.Unmarshal(payload, &r); err != nil {
		return nil, nil, fmt.Errorf("read the request of the REST API or load balancer: %w", err)
	}
	request := fromFormat1(&r)
	if from.Version == "1.0" { // the HTTP API's format 1.0 has the stage in the path
		request.Path = WithoutStage(request.Path, r.RequestContext.Stage)
	}
	if from.Context.Balancer != nil {
		request.RawQuery = undecoded(r.QueryStringParameters, r.MultiValueQueryStringParameters)
		return request, toBalancer(r.MultiValueHeaders != nil), nil
	}
	return request, toFormat1, nil
}

// gateway has the members of a payload that say who sent it.
type gateway struct {
	Method  string `json:"httpMethod"` // not in payload format 2.0
	Version string `json:"version"`
	Context struct {
		Balancer *struct{} `json:"elb"`
	} `json:"requestContext"`
}

// fromFormat2 reads a request of payload format 2.0.
func fromFormat2(r *events.APIGatewayV2HTTPRequest) *httpapi.Request {
	request := &httpapi.Request{
		Route:    httpapi.ParseRouteKey(cmp.Or(r.RequestContext.RouteKey, r.RouteKey)),
		Method:   r.RequestContext.HTTP.Method,
		Path:     WithoutStage(r.RawPath, r.RequestContext.Stage),
		RawQuery: r.RawQueryString,
		Headers:  r.Headers,
		Body:     r.Body,
		Base64:   r.IsBase64Encoded,
		ID:       r.RequestContext.RequestID,
		SourceIP: r.RequestContext.HTTP.SourceIP,
	}
	a := r.RequestContext.Authorizer
	if a == nil {
		return request
	}
	request.Authorizer = a.Lambda
	if a.JWT != nil {
		request.Claims = a.JWT.Claims
	}
	if a.IAM != nil {
		request.UserARN = a.IAM.UserARN
	}
	return request
}

// WithoutStage removes the stage that a gateway with a named stage puts before the path.
func WithoutStage(path, stage string) string {
	if stage != "" && stage != "$default" {
		if rest, ok := strings.CutPrefix(path, "/"+stage); ok && strings.HasPrefix(rest, "/") {
			return rest
		}
	}
	return path
}

// fromFormat1 reads a request of a REST API or a load balancer.
func fromFormat1(r *events.APIGatewayProxyRequest) *httpapi.Request {
	query := r.MultiValueQueryStringParameters
	if query == nil {
		query = asLists(r.QueryStringParameters)
	}
	request := &httpapi.Request{
		Route:      httpapi.NewRouteKey(r.HTTPMethod, r.Resource),
		Method:     r.HTTPMethod,
		Path:       unescaped(r.Path),
		RawQuery:   url.Values(query).Encode(),
		Headers:    joined(r.Headers, r.MultiValueHeaders),
		Body:       r.Body,
		Base64:     r.IsBase64Encoded,
		Claims:     claims(r.RequestContext.Authorizer),
		UserARN:    r.RequestContext.Identity.UserArn,
		Authorizer: r.RequestContext.Authorizer,
	}
	request.ID = cmp.Or(r.RequestContext.RequestID, request.Header("X-Amzn-Trace-Id"))
	request.SourceIP = cmp.Or(r.RequestContext.Identity.SourceIP, lastHop(request.Header("X-Forwarded-For")))
	return request
}

// claims returns the token's claims that a REST API's authorizer passed on, as far as
// they are text. A load balancer passes none.
func claims(authorizer map[string]any) map[string]string {
	all, ok := authorizer["claims"].(map[string]any)
	if !ok {
		return nil
	}
	texts := map[string]string{}
	for name, value := range all {
		if text, ok := value.(string); ok {
			texts[name] = text
		}
	}
	return texts
}

func toFormat2(r httpapi.Response) any {
	return events.APIGatewayV2HTTPResponse{StatusCode: r.Status, Headers: r.Headers, Body: r.Body,
		IsBase64Encoded: r.Base64}
}

func toFormat1(r httpapi.Response) any {
	return events.APIGatewayProxyResponse{StatusCode: r.Status, Headers: r.Headers, Body: r.Body,
		IsBase64Encoded: r.Base64}
}

// toBalancer encodes for a load balancer, which accepts headers only in the form in which
// it sends them: as lists, or as single values.
func toBalancer(listed bool) EncodeResponse {
	return func(r httpapi.Response) any {
		response := events.ALBTargetGroupResponse{
			StatusCode:        r.Status,
			StatusDescription: strconv.Itoa(r.Status) + " " + http.StatusText(r.Status),
			Body:              r.Body, IsBase64Encoded: r.Base64,
		}
		if listed {
			response.MultiValueHeaders = asLists(r.Headers)
		} else {
			response.Headers = r.Headers
		}
		return response
	}
}

// unescaped returns the unescaped path, or the path itself if it has an invalid escape or is not
// UTF-8: JSON would replace its bytes, and so make the ids of two subjects one.
func unescaped(path string) string {
	if plain, err := url.PathUnescape(path); err == nil && utf8.ValidString(plain) {
		return plain
	}
	return path
}

// joined returns one value for each name; several values are joined by commas.
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

// undecoded returns the query of a load balancer, which passes names and values as they are in the URL.
func undecoded(single map[string]string, several map[string][]string) string {
	if several == nil {
		several = asLists(single)
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(several)) {
		for _, value := range several[name] {
			all = append(all, name+"="+value)
		}
	}
	return strings.Join(all, "&")
}

func asLists(single map[string]string) map[string][]string {
	all := make(map[string][]string, len(single))
	for name, value := range single {
		all[name] = []string{value}
	}
	return all
}

// lastHop returns the address that the gateway itself saw.
func lastHop(forwardedFor string) string {
	hops := strings.Split(forwardedFor, ",")
	return strings.TrimSpace(hops[len(hops)-1])
}
