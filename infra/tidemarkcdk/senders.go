package tidemarkcdk

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/api/access"

	"github.com/tidemark-db/tidemark/internal/web/script"
)

// keyCache is how long the API may use the result of a write key again, in seconds: so long a revoked key may
// still be accepted. Without it, each request of a sender costs a second invocation.
const keyCache = 60.0

// addSenders creates the routes that senders of other databases write to, which are authorized by the write
// key in the header. A request without the header invokes nothing. Ingest serves the routes.
func (s *Tidemark) addSenders(target *string) {
	authorizer := s.keyAuthorizer("WriteKeyAuthorizer", "write-keys", keyCache,
		jsii.Strings("$request.header.Authorization"))
	for i, path := range access.WriteKeyPaths {
		s.route(fmt.Sprintf("Senders%dRoute", i+1), "POST "+path, target, "CUSTOM", authorizer.Ref(), nil)
		s.allowInvokeForMethod(ingest, "POST")
	}
	if !s.stage.Sources.Clients {
		return
	}
	for i, r := range access.ClientRoutes {
		id, key := fmt.Sprintf("SenderClient%dRoute", i+1), r.Method+" "+r.Path
		if s.allowInvokeForMethod(ingest, r.Method); r.Public {
			s.publicRoute(id, key, target, nil)
			continue
		}
		s.route(id, key, target, "CUSTOM", authorizer.Ref(), nil)
	}
}

// addReports creates the route of reports of websites, which dashboards read with a key. Query serves it.
func (s *Tidemark) addReports(target *string) {
	header := jsii.Strings("$request.header.Authorization")
	authorizer := s.keyAuthorizer("ReadKeyAuthorizer", "read-keys", keyCache, header)
	s.route("ReportsRoute", "GET "+access.ReportRoute, target, "CUSTOM", authorizer.Ref(), nil)
	s.allowInvokeForMethod(query, "GET")
}

// keyAuthorizer makes authorize check the requests of some routes. It is invoked for every
// request if the results are cached for 0 seconds. One permission is for all authorizers of the API.
func (s *Tidemark) keyAuthorizer(id, name string, cached float64,
	source *[]*string) awsapigatewayv2.CfnAuthorizer {
	if s.Node().TryFindChild(new("AuthorizePermission")) == nil {
		s.allowInvoke("AuthorizePermission", authorize, apiGateway, nil, s.apiSource("authorizers/*"))
	}
	return awsapigatewayv2.NewCfnAuthorizer(s.Construct, &id, &awsapigatewayv2.CfnAuthorizerProps{
		ApiId:          s.API.ApiId(),
		Name:           &name,
		AuthorizerType: new("REQUEST"),
		AuthorizerUri: new(fmt.Sprintf("arn:%s:apigateway:%s:lambda:path/2015-03-31/functions/%s/invocations",
			*s.stack.Partition(), *s.stack.Region(), *s.invoked(authorize))),
		AuthorizerPayloadFormatVersion: new("2.0"),
		EnableSimpleResponses:          true,
		AuthorizerResultTtlInSeconds:   &cached,
		IdentitySource:                 source,
	})
}

// The routes that are not in the catalog. Web pages have no credentials, so collectRoute is
// authorized by the site key in its path. eventRoute has no authorizer and exists only if
// collector.domains declares sites: ingest accepts events of these.
const (
	collectRoute = "POST " + access.SiteKeyPathPrefix + "{" + access.SiteKeyPathParam + "}"
	eventRoute   = "POST " + access.PathEvent
	scriptRoute  = "GET " + script.PathPrefix + "{name}" // public, like the pages that load it
)

// addCollector creates the routes that web pages send their events to. Ingest serves them.
func (s *Tidemark) addCollector(target *string) {
	// Its results are not cached: the cache key is an identity source, and an HTTP API has none
	// for the path, which contains the key. With any other identity source, the result for one
	// site would be used for another.
	authorizer := s.keyAuthorizer("SiteKeyAuthorizer", "site-keys", 0, nil)
	s.publicRoute("CollectRoute", collectRoute, target, authorizer.Ref())
	if len(s.settings.Collector.Domains) > 0 {
		s.publicRoute("EventRoute", eventRoute, target, nil)
	}
	s.publicRoute("ScriptRoute", scriptRoute, target, nil)
	s.allowInvokeForMethod(ingest, "GET")
}
