package tidemarkcdk

import (
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
)

// routes returns the catalog's routes and the routes of the service itself. A stage without page
// views has none of the kinds and subjects of sites.
func (s *Tidemark) routes() []httpapi.Route {
	all := httpapi.Routes(s.kinds)
	if s.stage.Sources.Pages {
		return all
	}
	site := web.PageViews.Subject
	names := []string{site.Name}
	for _, kind := range s.kinds.SubjectKinds(site) {
		names = append(names, kind.Name)
	}
	return slices.DeleteFunc(all, func(r httpapi.Route) bool { return slices.Contains(names, r.Kind) })
}

// oauthScopes are the scopes of which a token must have one; nil if the stage requires none.
func (s *Tidemark) oauthScopes(a httpapi.Action) *[]*string {
	access := s.stage.Access
	if !access.ByToken() || access.ScopePrefix == "" {
		return nil
	}
	return jsii.Strings(access.ScopePrefix + string(a.Scope()))
}

// cors allows scripts on any site to send page views, and scripts of the configured origins to read
// with a token. It applies to the whole API, so with page views every origin may read: a script
// needs a token, which a browser never sends by itself.
func (s *Tidemark) cors() *awsapigatewayv2.CfnApi_CorsProperty {
	origins := s.stage.Origins
	methods := []string{}
	headers := []string{"content-type"}
	if len(origins) > 0 {
		methods, headers = append(methods, "GET"), append(headers, "authorization")
	}
	if s.stage.Sources.Pages {
		origins, methods = []string{"*"}, append(methods, "POST")
	}
	if len(origins) == 0 {
		return nil
	}
	return &awsapigatewayv2.CfnApi_CorsProperty{
		AllowOrigins: jsii.Strings(origins...),
		AllowMethods: jsii.Strings(methods...),
		AllowHeaders: jsii.Strings(headers...),
		// A script may read these headers of a response, and not only its body.
		ExposeHeaders: jsii.Strings(httpapi.ReadHeaders...),
		MaxAge:        new(86400.0),
	}
}

// addDomain gives the API the stage's domain name. Its DNS record is the owner's, to the output DomainTarget.
func (s *Tidemark) addDomain() {
	d := s.stage.Domain
	if d.Name == "" {
		return
	}
	name := awsapigatewayv2.NewCfnDomainName(s.Construct, new("Domain"), &awsapigatewayv2.CfnDomainNameProps{
		DomainName: &d.Name,
		DomainNameConfigurations: []any{&awsapigatewayv2.CfnDomainName_DomainNameConfigurationProperty{
			CertificateArn: &d.Certificate, EndpointType: new("REGIONAL"), SecurityPolicy: new("TLS_1_2"),
		}},
	})
	mapping := awsapigatewayv2.NewCfnApiMapping(s.Construct, new("DomainMapping"),
		&awsapigatewayv2.CfnApiMappingProps{
			ApiId: s.API.ApiId(), DomainName: name.Ref(), Stage: new("$default"),
		})
	mapping.AddDependency(s.Node().FindChild(new("ApiStage")).(awsapigatewayv2.CfnStage))
	awscdk.NewCfnOutput(s.Construct, new("DomainTarget"), &awscdk.CfnOutputProps{
		Value: name.AttrRegionalDomainName(), Description: new("Point a CNAME record of " + d.Name + " here"),
	})
}

// addBoundary limits every role of the stack by a policy of the account's owner.
func (s *Tidemark) addBoundary() {
	if s.stage.Boundary != "" {
		awsiam.PermissionsBoundary_Of(s.Construct).Apply(
			awsiam.ManagedPolicy_FromManagedPolicyArn(s.Construct, new("Boundary"), &s.stage.Boundary))
	}
}
