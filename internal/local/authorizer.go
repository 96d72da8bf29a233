package local

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-lambda-go/events"
)

// callAuthorizer invokes the authorizer of a route as API Gateway does, with payload format 2.0
// and simple responses. It stores the context of the response in r. ok is false if the request is
// not authorized.
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
	r.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{Lambda: response.Context}
	return response.IsAuthorized, nil
}
