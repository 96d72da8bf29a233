package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"

	"github.com/tidemark-db/tidemark/internal/httpapi"
)

// addPrometheus creates the routes of Prometheus's HTTP API. Callers are authorized as for reads:
// a POST request is a query whose parameters are a form.
func (s *stack) addPrometheus(mode string, authorizer any) {
	target := s.integration("PrometheusIntegration", prometheus)
	for _, method := range []string{"GET", "POST"} {
		awsapigatewayv2.NewCfnRoute(s.Stack, new("Prometheus"+capitalize(method)+"Route"), &awsapigatewayv2.CfnRouteProps{
			ApiId:               s.api.Ref(),
			RouteKey:            new(method + " " + httpapi.PrometheusPath + "/{proxy+}"),
			Target:              target,
			AuthorizationType:   &mode,
			AuthorizerId:        authorizer,
			AuthorizationScopes: s.scopesOf(httpapi.ReadHistory),
		})
		s.allowInvokeForMethod(prometheus, method)
	}
}
