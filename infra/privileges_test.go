package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// whatEachMayDo is least privilege as a table: who, which actions, on what. It is the
// whole of it: what is not here, nobody may do.
var whatEachMayDo = map[string][]string{
	"IngestRole": {
		"dynamodb:ConditionCheckItem on Table.Arn",
		"dynamodb:GetItem on Table.Arn",
		"dynamodb:PutItem on Table.Arn",
		"dynamodb:UpdateItem on Table.Arn",
		"logs:CreateLogStream on IngestLogs.Arn",
		"logs:PutLogEvents on IngestLogs.Arn",
		"sqs:SendMessage on UndeliveredQueue.Arn",
	},
	"AggregateRole": {
		"dynamodb:BatchGetItem on Table.Arn",
		"dynamodb:DescribeStream on Table.StreamArn",
		"dynamodb:GetItem on Table.Arn",
		"dynamodb:GetRecords on Table.StreamArn",
		"dynamodb:GetShardIterator on Table.StreamArn",
		"dynamodb:ListStreams on Table.Arn/stream/*",
		"dynamodb:PutItem on Table.Arn",
		"dynamodb:Query on Table.Arn",
		"dynamodb:Query on Table.Arn/index/gsi1",
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
		"dynamodb:Query on Table.Arn/index/gsi1",
		"dynamodb:UpdateItem on Table.Arn",
		"logs:CreateLogStream on PurgeLogs.Arn",
		"logs:PutLogEvents on PurgeLogs.Arn",
		"sqs:SendMessage on OnFailureQueue.Arn",
	},
	"AuthorizeRole": {
		"logs:CreateLogStream on AuthorizeLogs.Arn",
		"logs:PutLogEvents on AuthorizeLogs.Arn",
		"secretsmanager:GetSecretValue on SiteSecret",
	},
	"RuleFailureRole": {
		"sqs:SendMessage on UndeliveredQueue.Arn",
	},
}

// whatFullAdds is what each may do besides where everything is switched on.
var whatFullAdds = map[string][]string{
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

// withEverything adds the customer key and the traces to the functions' own.
func withEverything() map[string][]string {
	whole := map[string][]string{}
	for role, actions := range whatEachMayDo {
		actions = slices.Concat(actions, whatFullAdds[role])
		if role != "RuleFailureRole" {
			actions = append(actions,
				"kms:Decrypt on Key.Arn", "kms:Encrypt on Key.Arn", "kms:GenerateDataKey on Key.Arn",
				"kms:ReEncryptFrom on Key.Arn", "kms:ReEncryptTo on Key.Arn",
				"xray:PutTelemetryRecords on *", "xray:PutTraceSegments on *")
		}
		slices.Sort(actions)
		whole[role] = actions
	}
	return whole
}

func TestPrivileges_AreExactlyThese(t *testing.T) {
	for _, name := range all {
		want := whatEachMayDo
		if name == "full" {
			want = withEverything()
		}
		got := map[string][]string{}
		for id, r := range typed(t, name, "AWS::IAM::Role") {
			if r.Properties["ManagedPolicyArns"] != nil {
				t.Errorf("%s: %s has policies that AWS keeps: %v", name, id, r.Properties["ManagedPolicyArns"])
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
				t.Errorf("%s: %s gives privileges beside the roles", name, id)
			}
		}
	}
}

// allowed are a policy's allowances, one for each action and resource.
func allowed(t *testing.T, document any) (all []string) {
	t.Helper()
	for _, s := range document.(map[string]any)["Statement"].([]any) {
		statement := s.(map[string]any)
		if statement["Effect"] != "Allow" || statement["NotAction"] != nil || statement["NotResource"] != nil {
			t.Errorf("a statement is no plain allowance: %v", statement)
		}
		for _, action := range listed(statement["Action"]) {
			for _, resource := range listed(statement["Resource"]) {
				all = append(all, say(action)+" on "+say(resource))
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

// wildcards are the statements with a * for an action or a resource, in every stage
// and whatever their effect, and why each must be.
var wildcards = map[string]string{
	"Deny sqs:* on OnFailureQueue.Arn":    "refuses requests without TLS, whatever they ask",
	"Deny sqs:* on UndeliveredQueue.Arn":  "refuses requests without TLS, whatever they ask",
	"Deny sqs:* on InboxQueue.Arn":        "refuses requests without TLS, whatever they ask",
	"Allow xray:PutTraceSegments on *":    "X-Ray has no resources to name",
	"Allow xray:PutTelemetryRecords on *": "X-Ray has no resources to name",
	// In a key's policy * means that key, and a key needs somebody in its account who
	// can change its policy, or nobody ever can.
	"Allow kms:* on *":                                 "a key's policy: the account administers its own key",
	"Allow kms:Decrypt on *":                           "a key's policy: * is that key",
	"Allow kms:Encrypt on *":                           "a key's policy: * is that key",
	"Allow kms:GenerateDataKey on *":                   "a key's policy: * is that key",
	"Allow kms:GenerateDataKey* on *":                  "a key's policy: written by the library for the services that use the key",
	"Allow kms:ReEncryptFrom on *":                     "a key's policy: * is that key",
	"Allow kms:ReEncryptTo on *":                       "a key's policy: * is that key",
	"Allow kms:ReEncrypt* on *":                        "a key's policy: written by the library for the services that use the key",
	"Allow kms:CreateGrant on *":                       "a key's policy: Secrets Manager's use of it, for this account",
	"Allow kms:DescribeKey on *":                       "a key's policy: Secrets Manager's use of it, for this account",
	"Allow dynamodb:ListStreams on Table.Arn/stream/*": "streams of this table: a stream's own name is not known before it is made",
}

func TestWildcards_AreOnlyThoseThatAWSForces(t *testing.T) {
	met := map[string]bool{}
	for _, name := range all {
		for id, r := range resources(t, name) {
			for _, statement := range statementsIn(r.Properties) {
				for _, action := range listed(statement["Action"]) {
					for _, resource := range listed(statement["Resource"]) {
						what := say(statement["Effect"]) + " " + say(action) + " on " + say(resource)
						if !strings.Contains(say(action), "*") && !strings.HasSuffix(say(resource), "*") {
							continue
						}
						met[what] = true
						if wildcards[what] == "" {
							t.Errorf("%s: %s has a wildcard nobody gave a reason for: %s", name, id, what)
						}
					}
				}
			}
		}
	}
	for _, what := range slices.Sorted(maps.Keys(wildcards)) {
		if !met[what] {
			t.Errorf("a reason is given for what is not there: %s", what)
		}
	}
}

// statementsIn are all policy statements anywhere in a value.
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
