package tidemarkcdk

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The authorizer uses the payload format of functions/authorize and does not cache, so that a
// result for one key is never used for another.
func TestCollector_ChecksTheKeyOfEveryRequest(t *testing.T) {
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
		if got := render(deployed["AuthorizerUri"]); got != uri {
			t.Errorf("%s: the authorizer invokes %s, want %s", name, got, uri)
		}
	}
}

func TestCollector_TheAPIMayInvokeForItsRouteAndItsAuthorizer(t *testing.T) {
	const api = "arn:AWS::Partition:execute-api:AWS::Region:AWS::AccountId:Api/"
	for _, name := range all {
		for id, want := range map[string][2]string{
			"IngestPostPermission": {"IngestFunction.Arn", api + "*/POST/*"},
			"AuthorizePermission":  {"AuthorizeFunction.Arn", api + "authorizers/*"},
		} {
			p := resources(t, name)[id].Properties
			if got := [2]string{render(p["FunctionName"]), render(p["SourceArn"])}; got != want ||
				p["Principal"] != "apigateway.amazonaws.com" {
				t.Errorf("%s: %s is %v for %v, want %v", name, id, got, p["Principal"], want)
			}
		}
	}
}
