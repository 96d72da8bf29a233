package tidemarkcdk

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
)

func TestRule_AddsTheSubjectFromTheTopicAndTheKind(t *testing.T) {
	for name, topic := range map[string]string{"dev": "tidemark-dev", "prod": "tidemark-prod",
		"full": "plant7"} {
		rule := at(resources(t, name)["ReadingRule"].Properties, "TopicRulePayload").(map[string]any)
		mark := ", topic(3) AS " + envelope.RuleSubject + ", timestamp() AS " + envelope.RuleTime
		from := ", 'READING' AS " + envelope.RuleKind + " FROM '" + topic + "/devices/+/readings"
		wrapped := "SELECT encode(*, 'base64') AS " + envelope.RuleBatch
		want := "SELECT *" + mark + from + "'"
		if got := rule["Sql"]; got != want {
			t.Errorf("%s: the rule's SQL is %q, want %q", name, got, want)
		}
		batches := at(resources(t, name)["ReadingBatchRule"].Properties, "TopicRulePayload", "Sql")
		if want := wrapped + mark + from + "/batch'"; batches != want {
			t.Errorf("%s: the SQL of the rule for batches is %q, want %q", name, batches, want)
		}
		sources := at(resources(t, name)["ReadingSourceRule"].Properties, "TopicRulePayload", "Sql")
		if want := wrapped + mark + ", topic(6) AS " + envelope.RuleSource + from + "/from/#'"; sources != want {
			t.Errorf("%s: the SQL of the rule for sources is %q, want %q", name, sources, want)
		}
		if rule["AwsIotSqlVersion"] != "2016-03-23" || rule["RuleDisabled"] != false {
			t.Errorf("%s: %v", name, rule)
		}
		if levels := strings.Split(topic+"/devices/+/readings", "/"); levels[3-1] != "+" {
			t.Errorf("topic(3) of %v is not the subject", levels)
		}
		if got := render(at(rule, "ErrorAction", "Sqs", "QueueUrl")); got != "UndeliveredQueue" {
			t.Errorf("%s: undelivered messages of the rule go to %q", name, got)
		}
	}
}

var oneMethodSource = regexp.MustCompile(`:AWS::AccountId:Api/\*/(GET|HEAD|POST|P\*|DELETE)/(\*|script/\*)$`)

// Every service may invoke a function only on behalf of a named resource, and AWS IoT and
// EventBridge only for this account.
func TestPermissions_NameTheirSource(t *testing.T) {
	for _, name := range all {
		for id, p := range resourcesOfType(t, name, "AWS::Lambda::Permission") {
			source := render(p.Properties["SourceArn"])
			switch principal := p.Properties["Principal"]; principal {
			case "iot.amazonaws.com":
				rule := resources(t, name)[strings.TrimSuffix(id, "Permission")].Properties["RuleName"]
				own := "arn:AWS::Partition:iot:AWS::Region:AWS::AccountId:rule/" + render(rule) + "*"
				if rule == nil || source != own || render(p.Properties["SourceAccount"]) != "AWS::AccountId" {
					t.Errorf("%s: %s allows %v, want %s", name, id, p.Properties, own)
				}
			case "apigateway.amazonaws.com":
				if id == "AuthorizePermission" {
					continue // for the authorizers of keys
				}
				if !oneMethodSource.MatchString(source) ||
					strings.Contains(source, "/P*/") != (id == "ManagePPermission") {
					t.Errorf("%s: %s allows %s", name, id, source)
				}
			case "events.amazonaws.com":
				if source != strings.TrimSuffix(id, "Permission")+".Arn" ||
					render(p.Properties["SourceAccount"]) != "AWS::AccountId" {
					t.Errorf("%s: %s allows %v", name, id, p.Properties)
				}
			default:
				t.Errorf("%s: %s allows %v", name, id, principal)
			}
		}
	}
}

func TestDevicePolicy_LimitsAThingToItsOwnTopics(t *testing.T) {
	const own = "arn:AWS::Partition:iot:AWS::Region:AWS::AccountId:"
	attached := map[string]any{"Bool": map[string]any{"iot:Connection.Thing.IsAttached": "true"}}
	var got []string
	for _, policy := range []string{"DevicesPolicy", "DevicesbatchPolicy"} {
		for _, s := range at(resources(t, "prod")[policy].Properties, "PolicyDocument", "Statement").([]any) {
			statement := s.(map[string]any)
			got = append(got, render(statement["Effect"])+" "+render(statement["Action"])+" "+
				render(statement["Resource"]))
			if diff := cmp.Diff(attached, statement["Condition"]); diff != "" {
				t.Errorf("condition (-want +got):\n%s", diff)
			}
		}
	}
	want := []string{
		"Allow iot:Connect " + own + "client/${iot:Connection.Thing.ThingName}",
		"Allow iot:Publish " + own + "topic/tidemark-prod/devices/${iot:Connection.Thing.ThingName}/* " +
			own + "topic/$aws/rules/tidemark_prod_READING/tidemark-prod/devices/${iot:Connection.Thing.ThingName}/readings",
		"Allow iot:Publish " + own + "topic/$aws/rules/tidemark_prod_READING_BATCH/tidemark-prod/devices/${iot:Connection.Thing.ThingName}/readings/batch",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for id, name := range map[string]string{"ReadingRule": "tidemark_prod_READING",
		"ReadingBatchRule": "tidemark_prod_READING_BATCH"} {
		if rule, ok := resources(t, "prod")[id]; !ok || rule.Properties["RuleName"] != name {
			t.Errorf("the policy allows Basic Ingest to %s, a rule that does not exist", name)
		}
	}
}
