package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// apiGateway invokes functions on behalf of the API.
const apiGateway = "apigateway.amazonaws.com"

// addAPI makes the HTTP API: the catalog's routes and the collector's, none of them open.
func (s *stack) addAPI() {
	s.api = awsapigatewayv2.NewCfnApi(s.Stack, new("Api"), &awsapigatewayv2.CfnApiProps{
		Name: s.StackName(), ProtocolType: new("HTTP"),
		CorsConfiguration: fromPages(),
	})
	mode, authorizer := s.authorizer()
	targets := map[string]*string{ingest: s.integration("IngestIntegration", ingest), query: s.integration("QueryIntegration", query), purge: s.integration("PurgeIntegration", purge)}
	for _, r := range s.routes() {
		function := server(r.Action)
		awsapigatewayv2.NewCfnRoute(s.Stack, new(routeID(r)+"Route"), &awsapigatewayv2.CfnRouteProps{
			ApiId:             s.api.Ref(),
			RouteKey:          new(r.Method + " " + r.Path),
			Target:            targets[function],
			AuthorizationType: &mode,
			AuthorizerId:      authorizer,
		})
		s.admitMethod(function, r.Method)
	}
	s.addCollector(targets[ingest])
	s.addAPIStage()
}

// admitMethod lets the API call a function for the routes of one method. The routes
// themselves say which those are; a permission for each of them would fill the 20 KB
// that a function's policy may have.
func (s *stack) admitMethod(function, method string) {
	id := capital(function) + capital(method) + "Permission"
	if s.Node().TryFindChild(&id) == nil {
		s.admit(id, function, apiGateway, nil, s.callOf("*/"+method+"/*"))
	}
}

// callOf is the ARN of a part of the API, as API Gateway names it when it invokes.
func (s *stack) callOf(part string) string {
	return fmt.Sprintf("arn:%s:execute-api:%s:%s:%s/%s", *s.Partition(), *s.Region(), *s.Account(), *s.api.Ref(), part)
}

// routes are the catalog's, those of the service itself among them.
func (s *stack) routes() []catalog.Route { return s.kinds.AllRoutes() }

// server is the function that answers an action.
func server(a catalog.Action) string {
	switch {
	case a == catalog.Append:
		return ingest
	case a.Changes():
		return purge
	}
	return query
}

var notInIDs = regexp.MustCompile(`[^A-Za-z0-9]`)

// routeID is a route in words that CloudFormation takes: ReadingHistory.
func routeID(r catalog.Route) string { return capital(r.Kind) + capital(string(r.Action)) }

func capital(word string) string {
	word = notInIDs.ReplaceAllString(word, "")
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + strings.ToLower(word[1:])
}

// authorizer is how callers prove who they are; its id is nil where they sign.
func (s *stack) authorizer() (mode string, id any) {
	access := s.stage.Access
	if !access.ByToken() {
		return "AWS_IAM", nil
	}
	return "JWT", awsapigatewayv2.NewCfnAuthorizer(s.Stack, new("Authorizer"), &awsapigatewayv2.CfnAuthorizerProps{
		ApiId:          s.api.Ref(),
		Name:           new("tokens"),
		AuthorizerType: new("JWT"),
		IdentitySource: jsii.Strings("$request.header.Authorization"),
		JwtConfiguration: &awsapigatewayv2.CfnAuthorizer_JWTConfigurationProperty{
			Issuer: &access.Issuer, Audience: jsii.Strings(access.Audience...),
		},
	}).Ref()
}

// integration hands a request to a function as payload format 2.0.
func (s *stack) integration(id, function string) *string {
	i := awsapigatewayv2.NewCfnIntegration(s.Stack, &id, &awsapigatewayv2.CfnIntegrationProps{
		ApiId:                s.api.Ref(),
		IntegrationType:      new("AWS_PROXY"),
		IntegrationUri:       s.functions[function].FunctionArn(),
		PayloadFormatVersion: new("2.0"),
	})
	return new("integrations/" + *i.Ref())
}

// admit lets a service invoke a function on behalf of one resource and, where the
// service says whose that is, of one account.
func (s *stack) admit(id, function, service string, account *string, sourceArn string) awslambda.CfnPermission {
	return awslambda.NewCfnPermission(s.Stack, &id, &awslambda.CfnPermissionProps{
		Action:        new("lambda:InvokeFunction"),
		FunctionName:  s.functions[function].FunctionArn(),
		Principal:     &service,
		SourceAccount: account,
		SourceArn:     &sourceArn,
	})
}

// accessLog is a line of the access log, and where its fields come from. It names the
// principal or the token's subject, and nothing of what was said; no address, and no
// path, since site keys and subjects stand in it: the route says enough.
const accessLog = `{"time":"$context.requestTime","requestId":"$context.requestId",` +
	`"route":"$context.routeKey","status":"$context.status",` +
	`"bytes":"$context.responseLength","latency":"$context.responseLatency",` +
	`"caller":"$context.identity.caller","subject":"$context.authorizer.claims.sub",` +
	`"error":"$context.error.message","integration":"$context.integrationErrorMessage"}`

// addAPIStage deploys the API with its throttle and access log.
func (s *stack) addAPIStage() {
	logs := s.logGroup("ApiLogs", "/aws/apigateway/"+*s.StackName())
	awsapigatewayv2.NewCfnStage(s.Stack, new("ApiStage"), &awsapigatewayv2.CfnStageProps{
		ApiId:      s.api.Ref(),
		StageName:  new("$default"),
		AutoDeploy: true,
		AccessLogSettings: &awsapigatewayv2.CfnStage_AccessLogSettingsProperty{
			DestinationArn: logs.LogGroupArn(), Format: new(accessLog),
		},
		DefaultRouteSettings: &awsapigatewayv2.CfnStage_RouteSettingsProperty{
			ThrottlingRateLimit:    new(float64(s.stage.Throttle.Rate)),
			ThrottlingBurstLimit:   new(float64(s.stage.Throttle.Burst)),
			DetailedMetricsEnabled: true,
		},
	})
}
