package tidemarkcdk

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

// apiGateway invokes functions on behalf of the API.
const apiGateway = "apigateway.amazonaws.com"

// addAPI creates the HTTP API: the catalog's routes, the collector's and the senders'. Every route is
// authorized.
func (s *Tidemark) addAPI() {
	if s.given.API != nil {
		s.useAPI()
	} else {
		s.newAPI()
	}
	mode, authorizer := s.authorizer()
	targets := map[string]*string{}
	for _, function := range []string{ingest, query, manage} {
		targets[function] = s.integration(capitalize(function)+"Integration", function)
	}
	for _, r := range httpapi.GatewayRoutes(s.routes()) {
		function := functionFor(r.Action)
		s.route(routeID(r)+"Route", r.Method+" "+r.Path, targets[function], mode, authorizer,
			s.oauthScopes(r.Action))
		s.allowInvokeForMethod(function, r.Method)
	}
	if s.stage.Sources.Pages {
		s.addCollector(targets[ingest])
		s.addReads("Stats", query, targets[query], access.PathStats, mode, authorizer, "POST")
		s.addReports(targets[query])
	}
	if s.stage.Sources.Senders {
		s.addSenders(targets[ingest])
	}
	if s.settings.Prometheus {
		s.addReads("Prometheus", prometheus, s.integration("PrometheusIntegration", prometheus),
			httpapi.PrometheusPath+"/{proxy+}", mode, authorizer, "GET", "POST")
	}
	if s.stage.UI {
		s.addPages(targets[query])
	}
	if s.given.API == nil {
		s.addAPIStage()
		s.addDomain()
	}
}

// newAPI creates the stage's own API.
func (s *Tidemark) newAPI() {
	api := awsapigatewayv2.NewCfnApi(s.Construct, new("Api"), &awsapigatewayv2.CfnApiProps{
		Name: &s.prefix, ProtocolType: new("HTTP"),
		CorsConfiguration: s.cors(),
	})
	s.API = awsapigatewayv2.HttpApi_FromHttpApiAttributes(s.Construct, new("ApiReference"),
		&awsapigatewayv2.HttpApiAttributes{HttpApiId: api.Ref(), ApiEndpoint: api.AttrApiEndpoint()})
}

// route creates a route; authorizer and scopes may be nil.
func (s *Tidemark) route(id, key string, target *string, mode string, authorizer any,
	scopes *[]*string) awsapigatewayv2.CfnRoute {
	return awsapigatewayv2.NewCfnRoute(s.Construct, &id, &awsapigatewayv2.CfnRouteProps{
		ApiId: s.API.ApiId(), RouteKey: &key, Target: target, AuthorizationType: &mode, AuthorizerId: authorizer,
		AuthorizationScopes: scopes,
	})
}

// publicRoute creates a route that anyone may request who has seen a web page or a link: authorizer, which
// may be nil, checks no more than its key. The stage limits the route's requests by publicThrottle.
func (s *Tidemark) publicRoute(id, key string, target *string, authorizer any) awsapigatewayv2.CfnRoute {
	mode := "NONE"
	if authorizer != nil {
		mode = "CUSTOM"
	}
	route := s.route(id, key, target, mode, authorizer, nil)
	s.public = append(s.public, route)
	return route
}

// limitPublicRoutes limits the requests of the public routes, each by itself.
func (s *Tidemark) limitPublicRoutes() {
	if s.given.API != nil {
		s.warnOfPublicRoutes()
		return
	}
	stage := s.Node().FindChild(new("ApiStage")).(awsapigatewayv2.CfnStage)
	settings := map[string]any{}
	for _, route := range s.public {
		stage.AddDependency(route) // API Gateway refuses settings of a route that does not exist
		settings[*route.RouteKey()] = map[string]any{
			"ThrottlingRateLimit":    s.stage.PublicThrottle.Rate,
			"ThrottlingBurstLimit":   s.stage.PublicThrottle.Burst,
			"DetailedMetricsEnabled": !s.lean(),
		}
	}
	if len(settings) > 0 {
		stage.SetRouteSettings(settings)
	}
}

// allowInvokeForMethod allows the API to invoke a function for all routes of one method; manage, of POST,
// PUT and PATCH. The routes limit which requests arrive; a permission for each would exceed a policy's
// limit of 20 KB.
func (s *Tidemark) allowInvokeForMethod(function, method string) {
	if function == manage && method != "DELETE" {
		method = "P*"
	}
	id := capitalize(function) + capitalize(method) + "Permission"
	if s.Node().TryFindChild(&id) == nil {
		s.allowInvoke(id, function, apiGateway, nil, s.apiSource("*/"+method+"/*"))
	}
}

// apiSource is the source ARN that API Gateway uses when it invokes for a part of the API.
func (s *Tidemark) apiSource(part string) string {
	return fmt.Sprintf("arn:%s:execute-api:%s:%s:%s/%s", *s.stack.Partition(), *s.stack.Region(),
		*s.stack.Account(), *s.API.ApiId(), part)
}

// functionFor returns the function that serves an action.
func functionFor(a httpapi.Action) string {
	switch {
	case a == httpapi.Append:
		return ingest
	case a.Changes():
		return manage
	}
	return query
}

var notInIDs = regexp.MustCompile(`[^A-Za-z0-9]`)

// routeID is a route's logical id: ReadingAppend, and GetRead of the proxy route GET /v1/{read+}.
func routeID(r httpapi.Route) string {
	if httpapi.NewRouteKey(r.Method, r.Path).Wide() {
		return capitalize(r.Method) + capitalize(string(r.Action.Scope()))
	}
	return capitalize(r.Kind) + capitalize(string(r.Action))
}

func capitalize(word string) string {
	word = notInIDs.ReplaceAllString(word, "")
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + strings.ToLower(word[1:])
}

// authorizer returns the authorization type of the routes and the authorizer's id, which is
// nil when callers sign their requests.
func (s *Tidemark) authorizer() (mode string, id any) {
	access := s.stage.Access
	if !access.ByToken() {
		return "AWS_IAM", nil
	}
	return "JWT", awsapigatewayv2.NewCfnAuthorizer(s.Construct, new("Authorizer"),
		&awsapigatewayv2.CfnAuthorizerProps{
			ApiId:          s.API.ApiId(),
			Name:           new("tokens"),
			AuthorizerType: new("JWT"),
			IdentitySource: jsii.Strings("$request.header.Authorization"),
			JwtConfiguration: &awsapigatewayv2.CfnAuthorizer_JWTConfigurationProperty{
				Issuer: &access.Issuer, Audience: jsii.Strings(access.Audience...),
			},
		}).Ref()
}

// integration passes requests to a function in payload format 2.0.
func (s *Tidemark) integration(id, function string) *string {
	i := awsapigatewayv2.NewCfnIntegration(s.Construct, &id, &awsapigatewayv2.CfnIntegrationProps{
		ApiId:                s.API.ApiId(),
		IntegrationType:      new("AWS_PROXY"),
		IntegrationUri:       s.invoked(function),
		PayloadFormatVersion: new("2.0"),
	})
	return new("integrations/" + *i.Ref())
}

// allowInvoke allows a service to invoke a function on behalf of one resource and, if account
// is not nil, only for that account.
func (s *Tidemark) allowInvoke(id, function, service string, account *string,
	sourceArn string) awslambda.CfnPermission {
	return awslambda.NewCfnPermission(s.Construct, &id, &awslambda.CfnPermissionProps{
		Action:        new("lambda:InvokeFunction"),
		FunctionName:  s.invoked(function),
		Principal:     &service,
		SourceAccount: account,
		SourceArn:     &sourceArn,
	})
}

// accessLog is the format of a line of the access log. It has the principal or the token's subject. It has
// no address and no path, because a path contains site keys and subjects: the route is enough. Errors are
// named by their type: a message may contain quotes, which end the text in the line.
const accessLog = `{"time":"$context.requestTime","requestId":"$context.requestId",` +
	`"route":"$context.routeKey","status":"$context.status",` +
	`"bytes":"$context.responseLength","latency":"$context.responseLatency",` +
	`"caller":"$context.identity.caller","subject":"$context.authorizer.claims.sub",` +
	`"error":"$context.error.responseType","integration":"$context.integrationStatus"}`

// addAPIStage deploys the API with its throttle and access log.
func (s *Tidemark) addAPIStage() {
	// All groups with this beginning share one statement of the account's resource policy, which has room for
	// some ten groups with other names.
	logs := s.logGroup("ApiLogs", "/aws/vendedlogs/apigateway/"+s.prefix)
	awsapigatewayv2.NewCfnStage(s.Construct, new("ApiStage"), &awsapigatewayv2.CfnStageProps{
		ApiId:      s.API.ApiId(),
		StageName:  new("$default"),
		AutoDeploy: true,
		AccessLogSettings: &awsapigatewayv2.CfnStage_AccessLogSettingsProperty{
			DestinationArn: logs.LogGroupArn(), Format: new(accessLog),
		},
		DefaultRouteSettings: &awsapigatewayv2.CfnStage_RouteSettingsProperty{
			ThrottlingRateLimit:    new(float64(s.stage.Throttle.Rate)),
			ThrottlingBurstLimit:   new(float64(s.stage.Throttle.Burst)),
			DetailedMetricsEnabled: !s.lean(),
		},
	})
}

// addReads creates routes that are not in the catalog. Callers are authorized as for reads: a POST
// request is a query in its body.
func (s *Tidemark) addReads(id, function string, target *string, path, mode string, authorizer any,
	methods ...string) {
	for _, method := range methods {
		s.route(id+capitalize(method)+"Route", method+" "+path, target, mode, authorizer,
			s.oauthScopes(httpapi.ReadHistory))
		s.allowInvokeForMethod(function, method)
	}
}
