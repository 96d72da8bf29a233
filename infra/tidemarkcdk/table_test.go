package tidemarkcdk

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// The deployed table has the definition of the local table.
func TestTable_EqualsTheLocalTable(t *testing.T) {
	for _, name := range all {
		table := resources(t, name)["Table"].Properties
		partition, sort := schema(table)
		got := dynamo.Definition{
			Partition: partition,
			Sort:      sort,
			TTL:       render(at(table, "TimeToLiveSpecification", "AttributeName")),
			Stream:    render(at(table, "StreamSpecification", "StreamViewType")),
			Billing:   render(table["BillingMode"]),
		}
		for _, i := range table["GlobalSecondaryIndexes"].([]any) {
			index := i.(map[string]any)
			partition, sort := schema(index)
			got.Indexes = append(got.Indexes,
				dynamo.Index{Name: render(index["IndexName"]), Partition: partition, Sort: sort})
			if projection := render(at(index, "Projection", "ProjectionType")); projection != "ALL" {
				t.Errorf("%s: index %s projects %s, want ALL", name, render(index["IndexName"]), projection)
			}
		}
		want := dynamo.Standard()
		if name == "full" {
			want.Billing = "" // provisioned, the default in a template
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-local +deployed):\n%s", name, diff)
		}
		for _, a := range table["AttributeDefinitions"].([]any) {
			if kind := render(a.(map[string]any)["AttributeType"]); kind != "S" {
				t.Errorf("%s: %v: keys are strings", name, a)
			}
		}
	}
}

func schema(of map[string]any) (partition, sort string) {
	for _, e := range of["KeySchema"].([]any) {
		element := e.(map[string]any)
		if element["KeyType"] == "HASH" {
			partition = render(element["AttributeName"])
		} else {
			sort = render(element["AttributeName"])
		}
	}
	return partition, sort
}

func TestTable_CanBeRestoredAndIsEncrypted(t *testing.T) {
	for _, name := range all {
		table := resources(t, name)["Table"].Properties
		if at(table, "PointInTimeRecoverySpecification", "PointInTimeRecoveryEnabled") != true {
			t.Errorf("%s: no point-in-time recovery", name)
		}
		if at(table, "SSESpecification", "SSEEnabled") != true {
			t.Errorf("%s: not encrypted with a KMS key", name)
		}
		if table["TableName"] != nil {
			t.Errorf("%s: the table has a fixed name, want none", name)
		}
	}
	if key := render(at(resources(t, "full")["Table"].Properties, "SSESpecification",
		"KMSMasterKeyId")); key != "Key.Arn" {
		t.Errorf("full: encrypted by %q, want the customer key", key)
	}
}

func TestTable_HasTheRemovalPolicyOfItsStage(t *testing.T) {
	for name, want := range map[string]struct {
		policy    string
		protected bool
	}{"dev": {"Delete", false}, "prod": {"RetainExceptOnCreate", true}, "full": {"RetainExceptOnCreate", true}} {
		table := resources(t, name)["Table"]
		if got := render(table.Attributes["DeletionPolicy"]); got != want.policy {
			t.Errorf("%s: the table's deletion policy is %s, want %s", name, got, want.policy)
		}
		if got := render(table.Attributes["UpdateReplacePolicy"]); got != strings.TrimSuffix(want.policy,
			"ExceptOnCreate") {
			t.Errorf("%s: the table's replacement policy is %s, want %s", name, got, want.policy)
		}
		if got := table.Properties["DeletionProtectionEnabled"]; got != want.protected {
			t.Errorf("%s: protected against deletion: %v, want %v", name, got, want.protected)
		}
	}
}

func TestTable_IndexesHaveTheTablesCapacity(t *testing.T) {
	table := resources(t, "full")["Table"].Properties
	want := map[string]any{"ReadCapacityUnits": 25.0, "WriteCapacityUnits": 50.0}
	for _, of := range append([]any{table}, table["GlobalSecondaryIndexes"].([]any)...) {
		if diff := cmp.Diff(want, at(of.(map[string]any), "ProvisionedThroughput")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// Each capacity scales by itself: a table that scales and an index that does not throttles writes.
func TestTable_AutoscalingCoversTheTableAndEachIndex(t *testing.T) {
	type scaled struct{ dimension, least, most, utilization string }
	got, targets := map[string]scaled{}, resources(t, "full")
	for _, policy := range targets {
		if policy.Type != "AWS::ApplicationAutoScaling::ScalingPolicy" {
			continue
		}
		of := targets[render(policy.Properties["ScalingTargetId"])].Properties
		tracking := policy.Properties["TargetTrackingScalingPolicyConfiguration"].(map[string]any)
		got[render(of["ResourceId"])+" "+
			render(at(tracking, "PredefinedMetricSpecification", "PredefinedMetricType"))] = scaled{
			dimension: render(of["ScalableDimension"]), least: render(of["MinCapacity"]),
			most: render(of["MaxCapacity"]), utilization: render(tracking["TargetValue"]),
		}
	}
	want := map[string]scaled{}
	for resource, of := range map[string]string{"table/Table": "table", "table/Table/index/gsi1": "index",
		"table/Table/index/gsi2": "index"} {
		want[resource+" DynamoDBReadCapacityUtilization"] = scaled{
			dimension: "dynamodb:" + of + ":ReadCapacityUnits", least: "25", most: "100", utilization: "70",
		}
		want[resource+" DynamoDBWriteCapacityUtilization"] = scaled{
			dimension: "dynamodb:" + of + ":WriteCapacityUnits", least: "50", most: "500", utilization: "70",
		}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(scaled{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A stage that names a table uses it everywhere: in mappings, functions, roles and outputs.
func TestTable_OfAStageWithATableIsNotCreated(t *testing.T) {
	const arn = "arn:aws:dynamodb:eu-central-1:123456789012:table/copy"
	for id, r := range resources(t, "restored") {
		if r.Type == "AWS::DynamoDB::Table" {
			t.Errorf("the stack has the table %s", id)
		}
	}
	text := string(stage(t, "restored"))
	for _, want := range []string{`"EventSourceArn": "` + arn + `/stream/2026-11-24T07:00:00.000"`,
		`"TIDEMARK_TABLE": "copy"`, `"` + arn + `/index/gsi1"`, `"Value": "copy"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the template has no %s", want)
		}
	}
	if strings.Contains(text, `"Ref": "Table"`) {
		t.Error("the template refers to a table of its own")
	}
}
