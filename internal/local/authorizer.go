package local

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-lambda-go/events"
)

// askAuthorizer asks a route's authorizer, as API Gateway asks one of payload format 2.0
// that gives simple answers. What it passes on comes to the function with the request;
// ok is false where it refuses.
func askAuthorizer(ctx context.Context, by Invoker, r *events.APIGatewayV2HTTPRequest) (ok bool, _ error) {
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
		return false, fmt.Errorf("ask the authorizer: %w", err)
	}
	said, err := by.Invoke(ctx, payload)
	if err != nil {
		return false, fmt.Errorf("ask the authorizer: %w", err)
	}
	var answer events.APIGatewayV2CustomAuthorizerSimpleResponse
	if err := json.Unmarshal(said, &answer); err != nil {
		return false, fmt.Errorf("read the authorizer's answer: %w", err)
	}
	r.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{Lambda: answer.Context}
	return answer.IsAuthorized, nil
}
