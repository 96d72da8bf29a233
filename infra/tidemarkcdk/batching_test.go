package tidemarkcdk

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
)

// Rules of a batched stage send signed requests, in the largest batches that AWS IoT makes, and name each
// message. AWS IoT confirms the address, which the rules' own begins with, before a rule exists.
func TestBatching_RulesSendToAConfirmedAddress(t *testing.T) {
	all := resources(t, "batched")
	for _, id := range []string{"ReadingRule", "ReadingBatchRule"} {
		rule := all[id]
		action := at(rule.Properties, "TopicRulePayload",
			"Actions").([]any)[0].(map[string]any)["Http"].(map[string]any)
		got := []string{render(action["Url"]), render(action["ConfirmationUrl"]),
			render(at(action, "Auth", "Sigv4", "RoleArn"))}
		want := []string{"Api.ApiEndpoint/things/rules/messages", "Api.ApiEndpoint/things/rules",
			"RuleRequestRole.Arn"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
		batch := map[string]any{"BatchAcrossTopics": true, "MaxBatchOpenMs": 200.0, "MaxBatchSize": 10.0,
			"MaxBatchSizeBytes": 131072.0}
		if diff := cmp.Diff(batch, action["BatchConfig"]); diff != "" || action["EnableBatching"] != true {
			t.Errorf("%s: batches (-want +got):\n%s", id, diff)
		}
		if sql := at(rule.Properties, "TopicRulePayload", "Sql").(string); !strings.Contains(sql,
			"traceid() AS "+envelope.RuleDelivery) {
			t.Errorf("%s: messages have no identity: %s", id, sql)
		}
		if !slices.Contains(after(rule), "ThingsDestination") {
			t.Errorf("%s is made before its address is confirmed: after %v", id, after(rule))
		}
		if permission, ok := all[id+"Permission"]; ok {
			t.Errorf("%s may invoke ingest besides: %v", id, permission.Properties)
		}
	}
	for _, needed := range []string{"ThingsRoute", "ConfirmationRoute", "ApiStage", "IngestPostPermission"} {
		if made := after(all["ThingsDestination"]); !slices.Contains(made, needed) {
			t.Errorf("AWS IoT asks for the confirmation before %s exists: after %v", needed, made)
		}
	}
	routes := map[string]string{"ThingsRoute": "POST /things/rules/messages AWS_IAM",
		"ConfirmationRoute": "POST /things/{proxy+} NONE"}
	for id, want := range routes {
		if got := render(all[id].Properties["RouteKey"]) + " " +
			render(all[id].Properties["AuthorizationType"]); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
	statement := at(all["RuleRequestRole"].Properties["Policies"].([]any)[0].(map[string]any), "PolicyDocument",
		"Statement").([]any)[0].(map[string]any)
	if got := render(statement["Action"]) + " on " + render(statement["Resource"]); !strings.HasSuffix(got,
		":Api/*/POST/things/rules/messages") || !strings.HasPrefix(got, "execute-api:Invoke on arn:") {
		t.Errorf("rules may %s", got)
	}
}

// after returns the resources that exist before a resource is made.
func after(r resource) []string { return strings.Fields(render(r.Attributes["DependsOn"])) }
