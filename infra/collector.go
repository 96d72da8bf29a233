package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/pkg/domains/web"
)

// collectRoute is the one route beside the catalog's: pages have no credentials, so it
// is opened by their site's key.
const collectRoute = "POST " + web.CollectPath + "{" + web.KeyParameter + "}"

// fromPages lets scripts of any site's pages send JSON, for which browsers ask first.
// It holds for the whole API and opens nothing: every other route wants a signature or
// a token, and no header to show one in is allowed here.
func fromPages() *awsapigatewayv2.CfnApi_CorsProperty {
	return &awsapigatewayv2.CfnApi_CorsProperty{
		AllowOrigins: jsii.Strings("*"),
		AllowMethods: jsii.Strings("POST"),
		AllowHeaders: jsii.Strings("content-type"),
		MaxAge:       new(86400.0),
	}
}

// addCollector makes the route that pages send their views to, in front of ingest.
func (s *stack) addCollector(target *string) {
	authorizer := s.siteKeyAuthorizer()
	awsapigatewayv2.NewCfnRoute(s.Stack, new("CollectRoute"), &awsapigatewayv2.CfnRouteProps{
		ApiId:             s.api.Ref(),
		RouteKey:          new(collectRoute),
		Target:            target,
		AuthorizationType: new("CUSTOM"),
		AuthorizerId:      authorizer.Ref(),
	})
	s.admit("CollectPermission", ingest, apiGateway, nil, s.callOf("*/POST"+web.CollectPath+"{"+web.KeyParameter+"}"))
	s.admit("SiteKeyPermission", authorize, apiGateway, nil, s.callOf("authorizers/"+*authorizer.Ref()))
}

// siteKeyAuthorizer asks authorize about every request. Its answers are not kept: they
// are kept by identity sources, and of a request's path, where the key stands, no HTTP
// API documents one; by any other source the answer for one site would be given to the
// pages of another.
func (s *stack) siteKeyAuthorizer() awsapigatewayv2.CfnAuthorizer {
	return awsapigatewayv2.NewCfnAuthorizer(s.Stack, new("SiteKeyAuthorizer"), &awsapigatewayv2.CfnAuthorizerProps{
		ApiId:          s.api.Ref(),
		Name:           new("site-keys"),
		AuthorizerType: new("REQUEST"),
		AuthorizerUri: new(fmt.Sprintf("arn:%s:apigateway:%s:lambda:path/2015-03-31/functions/%s/invocations",
			*s.Partition(), *s.Region(), *s.functions[authorize].FunctionArn())),
		AuthorizerPayloadFormatVersion: new("2.0"),
		EnableSimpleResponses:          true,
		AuthorizerResultTtlInSeconds:   new(0.0),
	})
}
