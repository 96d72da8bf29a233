package tidemarkcdk

import (
	"slices"
	"strings"
	"testing"
)

// The distribution sends the secret that ingest reads, by reference, forwards no Authorization and has the
// web ACL.
func TestCloudFront_SendsTheOriginSecretBehindAWebACL(t *testing.T) {
	for name, acl := range map[string]string{"fronted": "WebACL.Arn",
		"guarded": "arn:aws:wafv2:us-east-1:123456789012:global/webacl/shared/1"} {
		all := resources(t, name)
		d := all["Distribution"].Properties["DistributionConfig"].(map[string]any)
		if got := render(d["WebACLId"]); got != acl {
			t.Errorf("%s: web ACL %s, want %s", name, got, acl)
		}
		origin := d["Origins"].([]any)[0].(map[string]any)
		header := origin["OriginCustomHeaders"].([]any)[0].(map[string]any)
		if render(header["HeaderName"]) != "X-Tidemark-Origin" ||
			render(header["HeaderValue"]) != "{{resolve:secretsmanager:OriginSecret:SecretString:::}}" {
			t.Errorf("%s: the origin receives %v", name, header)
		}
		if got := render(at(all["IngestFunction"].Properties, "Environment", "Variables",
			"TIDEMARK_ORIGIN_SECRET")); got != "OriginSecret" {
			t.Errorf("%s: ingest reads the secret %q", name, got)
		}
		behavior := d["DefaultCacheBehavior"].(map[string]any)
		// CachingDisabled
		if behavior["ViewerProtocolPolicy"] != "https-only" ||
			behavior["CachePolicyId"] != "4135ea2d-6df8-44a3-9df3-4b5a84be39ad" {
			t.Errorf("%s: behavior %v", name, behavior)
		}
		for id, r := range all {
			if r.Type != "AWS::CloudFront::OriginRequestPolicy" {
				continue
			}
			config := r.Properties["OriginRequestPolicyConfig"].(map[string]any)
			forwarded := strings.Fields(render(at(config, "HeadersConfig", "Headers")))
			if !slices.Contains(forwarded, "CloudFront-Viewer-Country") ||
				!slices.Contains(forwarded, "CloudFront-Viewer-Country-Region") ||
				slices.Contains(forwarded, "Authorization") || len(forwarded) > 10 {
				t.Errorf("%s: %s forwards %v", name, id, forwarded)
			}
		}
	}
}

func TestCloudFront_HasTheNameAndTheCertificateOfTheStage(t *testing.T) {
	d := resources(t, "guarded")["Distribution"].Properties["DistributionConfig"].(map[string]any)
	if render(d["Aliases"]) != "stats.example.com" || render(
		at(d, "ViewerCertificate", "AcmCertificateArn")) != "arn:aws:acm:us-east-1:123456789012:certificate/1" {
		t.Errorf("names %v, certificate %v", d["Aliases"], d["ViewerCertificate"])
	}
	if d := resources(t, "fronted")["Distribution"].Properties["DistributionConfig"].(map[string]any); d["Aliases"] != nil || d["ViewerCertificate"] != nil {
		t.Errorf("a stage without a domain has names %v, certificate %v", d["Aliases"], d["ViewerCertificate"])
	}
}

func TestCloudFront_BlocksAnAddressAboveTheRate(t *testing.T) {
	p := resources(t, "fronted")["WebACL"].Properties
	rule := p["Rules"].([]any)[0].(map[string]any)
	if p["Scope"] != "CLOUDFRONT" || at(p, "DefaultAction", "Allow") == nil ||
		at(rule, "Action", "Block") == nil ||
		render(at(rule, "Statement", "RateBasedStatement", "Limit")) != "2000" ||
		at(rule, "Statement", "RateBasedStatement", "AggregateKeyType") != "IP" {
		t.Errorf("web ACL %v", p)
	}
	if _, found := resources(t, "guarded")["WebACL"]; found {
		t.Error("a stage that names a web ACL creates another")
	}
}

func TestCloudFront_OnlyAStageThatNamesItHasADistribution(t *testing.T) {
	for _, name := range all {
		for id, r := range resources(t, name) {
			if strings.HasPrefix(r.Type, "AWS::CloudFront") || strings.HasPrefix(r.Type, "AWS::WAF") {
				t.Errorf("%s has %s", name, id)
			}
		}
	}
}
