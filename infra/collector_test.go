package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The authorizer speaks what functions/authorize reads and answers, and its answer for
// one key is never given for another.
func TestCollector_EveryRequestsKeyIsChecked(t *testing.T) {
	want := map[string]any{
		"AuthorizerType":                 "REQUEST",
		"AuthorizerPayloadFormatVersion": "2.0",
		"EnableSimpleResponses":          true,
		"AuthorizerResultTtlInSeconds":   0.0,
		"IdentitySource":                 nil,
	}
	for _, name := range all {
		deployed := resources(t, name)["SiteKeyAuthorizer"].Properties
		for property, value := range want {
			if diff := cmp.Diff(value, deployed[property]); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", name, property, diff)
			}
		}
		const uri = "arn:AWS::Partition:apigateway:AWS::Region:lambda:path/2015-03-31/functions/AuthorizeFunction.Arn/invocations"
		if got := say(deployed["AuthorizerUri"]); got != uri {
			t.Errorf("%s: the authorizer asks %s, want %s", name, got, uri)
		}
	}
}

func TestCollector_TheAPIMayInvokeForItsRouteAndItsAuthorizerAlone(t *testing.T) {
	const api = "arn:AWS::Partition:execute-api:AWS::Region:AWS::AccountId:Api/"
	for _, name := range all {
		for id, want := range map[string][2]string{
			"CollectPermission": {"IngestFunction.Arn", api + "*/POST/v1/collect/{siteKey}"},
			"SiteKeyPermission": {"AuthorizeFunction.Arn", api + "authorizers/SiteKeyAuthorizer"},
		} {
			p := resources(t, name)[id].Properties
			if got := [2]string{say(p["FunctionName"]), say(p["SourceArn"])}; got != want || p["Principal"] != "apigateway.amazonaws.com" {
				t.Errorf("%s: %s is %v for %v, want %v", name, id, got, p["Principal"], want)
			}
		}
	}
}

// Pages of any site may send JSON, and may show no credentials.
func TestCollector_PagesMaySendJSONWithoutCredentials(t *testing.T) {
	want := map[string]any{
		"AllowOrigins": []any{"*"}, "AllowMethods": []any{"POST"}, "AllowHeaders": []any{"content-type"}, "MaxAge": 86400.0,
	}
	for _, name := range all {
		if diff := cmp.Diff(want, resources(t, name)["Api"].Properties["CorsConfiguration"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
