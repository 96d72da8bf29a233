package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"

	"github.com/tidemark-db/tidemark/internal/script"
	"github.com/tidemark-db/tidemark/internal/sitekey"
)

// The routes that are not in the catalog. Web pages have no credentials, so collectRoute is
// authorized by the site key in its path. eventRoute has no authorizer and exists only if
// collector.domains declares sites: ingest accepts events of these.
const (
	collectRoute = "POST " + sitekey.PathPrefix + "{" + sitekey.PathParam + "}"
	eventRoute   = "POST " + sitekey.PathEvent
	scriptRoute  = "GET " + script.PathPrefix + "{name}" // public, like the pages that load it
)

// addCollector creates the routes that web pages send their events to. Ingest serves them.
func (s *stack) addCollector(target *string) {
	// Its results are not cached: the cache key is an identity source, and an HTTP API has none
	// for the path, which contains the key. With any other identity source, the result for one
	// site would be used for another.
	authorizer := s.keyAuthorizer("SiteKeyAuthorizer", "site-keys", 0, nil)
	awsapigatewayv2.NewCfnRoute(s.Stack, new("CollectRoute"), &awsapigatewayv2.CfnRouteProps{
		ApiId:             s.api.Ref(),
		RouteKey:          new(collectRoute),
		Target:            target,
		AuthorizationType: new("CUSTOM"),
		AuthorizerId:      authorizer.Ref(),
	})
	s.allowInvoke("CollectPermission", ingest, apiGateway, nil, s.apiSource("*/POST"+sitekey.PathPrefix+"{"+sitekey.PathParam+"}"))
	if len(s.settings.Collector.Domains) > 0 {
		awsapigatewayv2.NewCfnRoute(s.Stack, new("EventRoute"), &awsapigatewayv2.CfnRouteProps{
			ApiId: s.api.Ref(), RouteKey: new(eventRoute), Target: target, AuthorizationType: new("NONE"),
		})
		s.allowInvoke("EventPermission", ingest, apiGateway, nil, s.apiSource("*/POST"+sitekey.PathEvent))
	}
	awsapigatewayv2.NewCfnRoute(s.Stack, new("ScriptRoute"), &awsapigatewayv2.CfnRouteProps{
		ApiId: s.api.Ref(), RouteKey: new(scriptRoute), Target: target, AuthorizationType: new("NONE"),
	})
	s.allowInvoke("ScriptPermission", ingest, apiGateway, nil, s.apiSource("*/GET"+script.PathPrefix+"*"))
	s.allowInvoke("SiteKeyPermission", authorize, apiGateway, nil, s.apiSource("authorizers/"+*authorizer.Ref()))
}
