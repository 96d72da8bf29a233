package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// What a laptop creates is what deploys: the same definition, read back.
func TestTable_IsTheOneThatALaptopCreates(t *testing.T) {
	for _, name := range all {
		table := resources(t, name)["Table"].Properties
		partition, sort := schema(table)
		got := dynamo.Definition{
			Partition: partition,
			Sort:      sort,
			TTL:       say(at(table, "TimeToLiveSpecification", "AttributeName")),
			Stream:    say(at(table, "StreamSpecification", "StreamViewType")),
			Billing:   say(table["BillingMode"]),
		}
		for _, i := range table["GlobalSecondaryIndexes"].([]any) {
			index := i.(map[string]any)
			partition, sort := schema(index)
			got.Indexes = append(got.Indexes, dynamo.Index{Name: say(index["IndexName"]), Partition: partition, Sort: sort})
			if projection := say(at(index, "Projection", "ProjectionType")); projection != "ALL" {
				t.Errorf("%s: index %s projects %s, want ALL", name, say(index["IndexName"]), projection)
			}
		}
		want := dynamo.Standard()
		if name == "full" {
			want.Billing = "" // provisioned, which a template says by leaving it out
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-laptop +deployed):\n%s", name, diff)
		}
		for _, a := range table["AttributeDefinitions"].([]any) {
			if kind := say(a.(map[string]any)["AttributeType"]); kind != "S" {
				t.Errorf("%s: %v: keys are strings", name, a)
			}
		}
	}
}

func schema(of map[string]any) (partition, sort string) {
	for _, e := range of["KeySchema"].([]any) {
		element := e.(map[string]any)
		if element["KeyType"] == "HASH" {
			partition = say(element["AttributeName"])
		} else {
			sort = say(element["AttributeName"])
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
			t.Errorf("%s: not encrypted by a key of KMS", name)
		}
		if table["TableName"] != nil {
			t.Errorf("%s: the table has a name of its own, which a table that was kept would bar", name)
		}
	}
	if key := say(at(resources(t, "full")["Table"].Properties, "SSESpecification", "KMSMasterKeyId")); key != "Key.Arn" {
		t.Errorf("full: encrypted by %q, want the customer key", key)
	}
}

func TestTable_StaysWhereItsStageSaysSo(t *testing.T) {
	for name, want := range map[string]struct {
		policy    string
		protected bool
	}{"dev": {"Delete", false}, "prod": {"Retain", true}, "full": {"Retain", true}} {
		table := resources(t, name)["Table"]
		if got := say(table.Others["DeletionPolicy"]); got != want.policy {
			t.Errorf("%s: deleting the stack does %s to the table, want %s", name, got, want.policy)
		}
		if got := say(table.Others["UpdateReplacePolicy"]); got != want.policy {
			t.Errorf("%s: replacing it does %s to the table, want %s", name, got, want.policy)
		}
		if got := table.Properties["DeletionProtectionEnabled"]; got != want.protected {
			t.Errorf("%s: protected against deletion: %v, want %v", name, got, want.protected)
		}
	}
}

func TestTable_IndexesAreProvisionedLikeTheTable(t *testing.T) {
	table := resources(t, "full")["Table"].Properties
	want := map[string]any{"ReadCapacityUnits": 25.0, "WriteCapacityUnits": 50.0}
	for _, of := range append([]any{table}, table["GlobalSecondaryIndexes"].([]any)...) {
		if diff := cmp.Diff(want, at(of.(map[string]any), "ProvisionedThroughput")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
