package tidemarkcdk

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscertificatemanager"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudfront"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudfrontorigins"
	"github.com/aws/aws-cdk-go/awscdk/v2/awswafv2"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/base/config"
)

// collected are the headers that the collector reads. CloudFront forwards no others: no Authorization, so
// that the routes that need it stay behind the API's own address.
var collected = jsii.Strings("CloudFront-Viewer-Address", "CloudFront-Viewer-Country",
	"CloudFront-Viewer-Country-Region", "User-Agent", "Accept-Language", "Origin",
	"Access-Control-Request-Method", "Access-Control-Request-Headers", "Sec-GPC", "DNT")

// addCloudFront puts a distribution with a web ACL in front of the collector. It sends the origin secret,
// which CloudFormation reads from Secrets Manager, so that the template does not have it.
func (s *Tidemark) addCloudFront() {
	if s.stage.CloudFront == (config.CloudFront{}) {
		return
	}
	acl := &s.stage.CloudFront.WebACL
	if rate := s.stage.CloudFront.Rate; rate > 0 {
		counted := &awswafv2.CfnWebACL_VisibilityConfigProperty{MetricName: s.name("web"),
			CloudWatchMetricsEnabled: new(true), SampledRequestsEnabled: new(false)}
		acl = awswafv2.NewCfnWebACL(s.Construct, new("WebACL"), &awswafv2.CfnWebACLProps{
			Scope: new("CLOUDFRONT"), DefaultAction: map[string]any{"allow": map[string]any{}},
			VisibilityConfig: counted,
			Rules: []any{&awswafv2.CfnWebACL_RuleProperty{
				Name: new("rate"), Priority: new(0.0), Action: map[string]any{"block": map[string]any{}},
				VisibilityConfig: counted,
				Statement: map[string]any{"rateBasedStatement": map[string]any{"limit": rate,
					"aggregateKeyType": "IP"}},
			}},
		}).AttrArn()
	}
	var names *[]*string
	var certificate awscertificatemanager.ICertificate
	if d := s.stage.CloudFront.Domain; d.Name != "" {
		names = jsii.Strings(d.Name)
		certificate = awscertificatemanager.Certificate_FromCertificateArn(s.Construct, new("CollectorCertificate"),
			&d.Certificate)
	}
	host := awscdk.Fn_Select(new(2.0), awscdk.Fn_Split(new("/"), s.API.ApiEndpoint(), nil))
	s.distribution = withLogicalID(s,
		awscloudfront.NewDistribution(s.Construct, new("Distribution"), &awscloudfront.DistributionProps{
			Comment: new("In front of the collector of " + s.prefix), WebAclId: acl, DomainNames: names,
			Certificate: certificate,
			DefaultBehavior: &awscloudfront.BehaviorOptions{
				Origin: awscloudfrontorigins.NewHttpOrigin(host, &awscloudfrontorigins.HttpOriginProps{
					OriginSslProtocols: &[]awscloudfront.OriginSslPolicy{awscloudfront.OriginSslPolicy_TLS_V1_2},
					CustomHeaders: &map[string]*string{
						"X-Tidemark-Origin": s.originSecret.SecretValue().UnsafeUnwrap()},
				}),
				AllowedMethods:       awscloudfront.AllowedMethods_ALLOW_ALL(),
				ViewerProtocolPolicy: awscloudfront.ViewerProtocolPolicy_HTTPS_ONLY,
				CachePolicy:          awscloudfront.CachePolicy_CACHING_DISABLED(),
				OriginRequestPolicy: awscloudfront.NewOriginRequestPolicy(s.Construct, new("CollectorPolicy"),
					&awscloudfront.OriginRequestPolicyProps{
						HeaderBehavior:      awscloudfront.OriginRequestHeaderBehavior_AllowList(*collected...),
						QueryStringBehavior: awscloudfront.OriginRequestQueryStringBehavior_All(),
					}),
			},
		}), "Distribution")
}
