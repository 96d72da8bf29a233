package tidemarkcdk

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// wantPrivileges is the complete list of rights: role, action, resource.
var wantPrivileges = map[string][]string{
	"IngestRole": {
		"dynamodb:BatchGetItem on Table.Arn",
		"dynamodb:BatchWriteItem on Table.Arn",
		"dynamodb:ConditionCheckItem on Table.Arn",
		"dynamodb:GetItem on Table.Arn",
		"dynamodb:PutItem on Table.Arn",
		"dynamodb:Query on Table.Arn/index/gsi2",
		"dynamodb:UpdateItem on Table.Arn",
		"logs:CreateLogStream on IngestLogs.Arn",
		"logs:PutLogEvents on IngestLogs.Arn",
		"sqs:SendMessage on UndeliveredQueue.Arn",
	},
	"AggregateRole": {
		"dynamodb:BatchGetItem on Table.Arn",
		"dynamodb:BatchWriteItem on Table.Arn",
		"dynamodb:DeleteItem on Table.Arn",
		"dynamodb:DescribeStream on Table.StreamArn",
		"dynamodb:GetItem on Table.Arn",
		"dynamodb:GetRecords on Table.StreamArn",
		"dynamodb:GetShardIterator on Table.StreamArn",
		"dynamodb:ListStreams on Table.Arn/stream/*",
		"dynamodb:PutItem on Table.Arn",
		"dynamodb:Query on Table.Arn",
		"dynamodb:Query on Table.Arn/index/gsi1",
		"dynamodb:UpdateItem on Table.Arn",
		"events:PutEvents on AlertBus.Arn",
		"logs:CreateLogStream on AggregateLogs.Arn",
		"logs:PutLogEvents on AggregateLogs.Arn",
		"sqs:SendMessage on OnFailureQueue.Arn",
	},
	"QueryRole": {
		"dynamodb:GetItem on Table.Arn",
		"dynamodb:Query on Table.Arn",
		"dynamodb:Query on Table.Arn/index/gsi1",
		"dynamodb:Query on Table.Arn/index/gsi2",
		"logs:CreateLogStream on QueryLogs.Arn",
		"logs:PutLogEvents on QueryLogs.Arn",
		"secretsmanager:GetSecretValue on CursorSecret",
	},
	"ManageRole": {
		"dynamodb:BatchGetItem on Table.Arn",
		"dynamodb:BatchWriteItem on Table.Arn",
		"dynamodb:ConditionCheckItem on Table.Arn",
		"dynamodb:DeleteItem on Table.Arn",
		"dynamodb:GetItem on Table.Arn",
		"dynamodb:PutItem on Table.Arn",
		"dynamodb:Query on Table.Arn",
		"dynamodb:Query on Table.Arn/index/gsi1",
		"dynamodb:UpdateItem on Table.Arn",
		"logs:CreateLogStream on ManageLogs.Arn",
		"logs:PutLogEvents on ManageLogs.Arn",
	},
	"PurgeRole": {
		"dynamodb:BatchWriteItem on Table.Arn",
		"dynamodb:ConditionCheckItem on Table.Arn",
		"dynamodb:DeleteItem on Table.Arn",
		"dynamodb:DescribeStream on Table.StreamArn",
		"dynamodb:GetItem on Table.Arn",
		"dynamodb:GetRecords on Table.StreamArn",
		"dynamodb:GetShardIterator on Table.StreamArn",
		"dynamodb:ListStreams on Table.Arn/stream/*",
		"dynamodb:PutItem on Table.Arn",
		"dynamodb:Query on Table.Arn",
		"dynamodb:UpdateItem on Table.Arn",
		"logs:CreateLogStream on PurgeLogs.Arn",
		"logs:PutLogEvents on PurgeLogs.Arn",
		"sqs:SendMessage on OnFailureQueue.Arn",
	},
	"AuthorizeRole": {
		"dynamodb:GetItem on Table.Arn",
		"logs:CreateLogStream on AuthorizeLogs.Arn",
		"logs:PutLogEvents on AuthorizeLogs.Arn",
		"secretsmanager:GetSecretValue on SiteSecret",
	},
	"RuleFailureRole": {
		"sqs:SendMessage on UndeliveredQueue.Arn",
	},
}

// fullPrivileges are the additional rights in stage full.
var fullPrivileges = map[string][]string{
	"IngestRole": {
		"kinesis:DescribeStream on InletStream.Arn",
		"kinesis:DescribeStreamSummary on InletStream.Arn",
		"kinesis:GetRecords on InletStream.Arn",
		"kinesis:GetShardIterator on InletStream.Arn",
		"kinesis:ListShards on InletStream.Arn",
		"sqs:DeleteMessage on InboxQueue.Arn",
		"sqs:GetQueueAttributes on InboxQueue.Arn",
		"sqs:ReceiveMessage on InboxQueue.Arn",
	},
	"RuleFailureRole": {
		"kms:Decrypt on Key.Arn",
		"kms:GenerateDataKey on Key.Arn",
	},
}

// wantFullPrivileges returns all rights in stage full, including those to the customer key and
// for traces.
func wantFullPrivileges() map[string][]string {
	all := map[string][]string{}
	for role, actions := range wantPrivileges {
		actions = slices.Concat(actions, fullPrivileges[role])
		if role != "RuleFailureRole" {
			actions = append(actions,
				"kms:Decrypt on Key.Arn", "kms:DescribeKey on Key.Arn", "kms:Encrypt on Key.Arn",
				"kms:GenerateDataKey on Key.Arn",
				"kms:ReEncryptFrom on Key.Arn", "kms:ReEncryptTo on Key.Arn",
				"xray:PutTelemetryRecords on *", "xray:PutTraceSegments on *")
		}
		slices.Sort(actions)
		all[role] = actions
	}
	return all
}

// ownInvocations is the right of aggregate to invoke itself.
func ownInvocations(stage string) string {
	return "lambda:InvokeFunction on arn:AWS::Partition:lambda:AWS::Region:AWS::AccountId:function:tidemark-" +
		stage + "-aggregate"
}

func TestPrivileges_AreComplete(t *testing.T) {
	for _, name := range all {
		want := maps.Clone(wantPrivileges)
		if name == "full" {
			want = wantFullPrivileges()
		}
		want["AggregateRole"] = append(slices.Clone(want["AggregateRole"]), ownInvocations(name))
		slices.Sort(want["AggregateRole"])
		got := map[string][]string{}
		for id, r := range resourcesOfType(t, name, "AWS::IAM::Role") {
			if r.Properties["ManagedPolicyArns"] != nil {
				t.Errorf("%s: %s has managed policies: %v", name, id, r.Properties["ManagedPolicyArns"])
			}
			for _, p := range r.Properties["Policies"].([]any) {
				got[id] = append(got[id], allowed(t, at(p.(map[string]any), "PolicyDocument"))...)
			}
			slices.Sort(got[id])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for id, r := range resources(t, name) {
			if r.Type == "AWS::IAM::Policy" || r.Type == "AWS::IAM::ManagedPolicy" {
				t.Errorf("%s: %s gives privileges outside the roles", name, id)
			}
		}
	}
}

// allowed returns the rights of a policy, one for each action and resource.
func allowed(t *testing.T, document any) (all []string) {
	t.Helper()
	for _, s := range document.(map[string]any)["Statement"].([]any) {
		statement := s.(map[string]any)
		if statement["Effect"] == "Deny" && at(statement, "Condition", "ForAnyValue:StringLike") != nil {
			continue // partitions_test.go
		}
		if statement["Effect"] != "Allow" || statement["NotAction"] != nil || statement["NotResource"] != nil {
			t.Errorf("a statement is not a simple Allow: %v", statement)
		}
		for _, action := range listed(statement["Action"]) {
			for _, resource := range listed(statement["Resource"]) {
				all = append(all, render(action)+" on "+render(resource))
			}
		}
	}
	return all
}

func listed(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}
	return []any{value}
}

// wildcards lists every statement with * in an action or a resource, in all stages, with the
// reason for it.
var wildcards = map[string]string{
	"Deny sqs:* on OnFailureQueue.Arn":    "rejects all requests without TLS",
	"Deny sqs:* on UndeliveredQueue.Arn":  "rejects all requests without TLS",
	"Deny sqs:* on InboxQueue.Arn":        "rejects all requests without TLS",
	"Deny sqs:* on DeadAlertsQueue.Arn":   "rejects all requests without TLS",
	"Allow xray:PutTraceSegments on *":    "X-Ray has no resources to name",
	"Allow xray:PutTelemetryRecords on *": "X-Ray has no resources to name",
	// In a key policy, * means that key. The account must be able to change the policy.
	"Allow kms:* on *":                "key policy: the account administers its own key",
	"Allow kms:Decrypt on *":          "key policy: * is that key",
	"Allow kms:Encrypt on *":          "key policy: * is that key",
	"Allow kms:GenerateDataKey on *":  "key policy: * is that key",
	"Allow kms:GenerateDataKey* on *": "key policy: written by the CDK for the services that use the key",
	"Allow kms:ReEncryptFrom on *":    "key policy: * is that key",
	"Allow kms:ReEncryptTo on *":      "key policy: * is that key",
	"Allow kms:ReEncrypt* on *":       "key policy: written by the CDK for the services that use the key",
	"Allow kms:CreateGrant on *":      "key policy: for Secrets Manager, in this account",
	"Allow kms:DescribeKey on *":      "key policy: for Secrets Manager, in this account",
	// A thing publishes below its own name; the rules select the topics.
	"Allow iot:Publish on arn:AWS::Partition:iot:AWS::Region:AWS::AccountId:topic/tidemark-dev/devices/${iot:Connection.Thing.ThingName}/*":  "topics of the thing itself",
	"Allow iot:Publish on arn:AWS::Partition:iot:AWS::Region:AWS::AccountId:topic/tidemark-prod/devices/${iot:Connection.Thing.ThingName}/*": "topics of the thing itself",
	"Allow iot:Publish on arn:AWS::Partition:iot:AWS::Region:AWS::AccountId:topic/plant7/devices/${iot:Connection.Thing.ThingName}/*":        "topics of the thing itself",
	"Allow dynamodb:ListStreams on Table.Arn/stream/*": "streams of this table: a stream's name is not known before it is created",
}

func TestWildcards_HaveAReason(t *testing.T) {
	found := map[string]bool{}
	for _, name := range all {
		for id, r := range resources(t, name) {
			for _, statement := range statementsIn(r.Properties) {
				for _, action := range listed(statement["Action"]) {
					for _, resource := range listed(statement["Resource"]) {
						what := render(statement["Effect"]) + " " + render(action) + " on " + render(resource)
						if !strings.Contains(render(action), "*") && !strings.HasSuffix(render(resource), "*") {
							continue
						}
						found[what] = true
						if wildcards[what] == "" {
							t.Errorf("%s: %s has a wildcard without a reason: %s", name, id, what)
						}
					}
				}
			}
		}
	}
	for _, what := range slices.Sorted(maps.Keys(wildcards)) {
		if !found[what] {
			t.Errorf("wildcards lists a statement that does not exist: %s", what)
		}
	}
}

// statementsIn returns all policy statements anywhere in a value.
func statementsIn(value any) (found []map[string]any) {
	switch v := value.(type) {
	case []any:
		for _, part := range v {
			found = append(found, statementsIn(part)...)
		}
	case map[string]any:
		if v["Effect"] != nil && v["Action"] != nil {
			return []map[string]any{v}
		}
		for _, part := range v {
			found = append(found, statementsIn(part)...)
		}
	}
	return found
}

// A subject type without kinds has profiles, which the second index may list.
func TestSecondIndex_IsReadForProfilesOfAnyType(t *testing.T) {
	for index, want := range map[string]bool{catalog.FirstIndex: false, catalog.SecondIndex: true} {
		staff := catalog.SubjectType{Name: "STAFF", Profile: &catalog.Profile{
			Indexes: []catalog.ProfileIndex{{Field: "team", Index: index}},
		}}
		kinds, err := catalog.NewWith([]catalog.SubjectType{staff})
		if err != nil {
			t.Fatal(err)
		}
		if got := (&Tidemark{kinds: kinds}).secondIndex(); got != want {
			t.Errorf("profiles in %s: %t, want %t", index, got, want)
		}
	}
}
