package tidemarkcdk

import (
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/infra/internal/access"
)

// everyStage has the names of all stages of the tests.
var everyStage = []string{
	"dev", "prod", "full", "canary", "lean", "restored", "fronted", "guarded", "batched", "devices", "teams",
}

// A part of the stack that sends requests to another is allowed to: alarms publish to the topic, rules
// invoke, mappings read, functions use what their environment names.
func TestAccess_EveryRequestOfAStackIsAllowed(t *testing.T) {
	actions := map[string]int{}
	for _, name := range everyStage {
		edges := access.Edges(resources(t, name))
		for _, e := range access.Denied(edges, access.Statements(resources(t, name))) {
			t.Errorf("%s: no policy allows %s of %s: %s on %s", name, e.Principal, e.From, e.Action, e.To)
		}
		for _, e := range edges {
			actions[e.Action]++
		}
	}
	for _, action := range []string{
		"sns:Publish", "sqs:SendMessage", "sqs:ReceiveMessage", "lambda:InvokeFunction", "dynamodb:GetRecords",
		"dynamodb:GetItem",
		"kinesis:GetRecords", "events:PutEvents", "secretsmanager:GetSecretValue", "kms:Decrypt", "kms:GenerateDataKey",
		"logs:PutLogEvents", "xray:PutTraceSegments", "execute-api:Invoke",
	} {
		if actions[action] == 0 {
			t.Errorf("no stage has a request %s", action)
		}
	}
	t.Logf("requests by action: %v", actions)
}

// withoutRequest are the statements that no resource of a template needs, with what does.
var withoutRequest = map[string]string{
	"Batches": "the code of ingest, aggregate and manage writes batches of invalidations",
	"Alerts":  "the code of aggregate and manage queries the index of alerts",
	"Indexes": "the code of query reads the indexes",
	"Visits":  "the code of ingest finds the visit of a page view",
	"Deletes": "the code of aggregate deletes items of its own",
	"Aliases": "CodeDeploy moves aliases",
	"Alarms":  "CodeDeploy reads alarms",
}

// Each statement is needed: without it, a request is denied.
func TestAccess_EachStatementIsNeeded(t *testing.T) {
	needed := 0
	for _, name := range everyStage {
		edges, statements := access.Edges(resources(t, name)), access.Statements(resources(t, name))
		for i, s := range statements {
			// The CDK adds statements for requests through Secrets Manager.
			if withoutRequest[s.Sid] != "" || s.Has("kms:ViaService") {
				continue
			}
			rest := slices.Delete(slices.Clone(statements), i, i+1)
			if len(access.Denied(edges, rest)) == 0 {
				t.Errorf("%s: statement %d of %s (%s) allows what nothing sends", name, i, s.Owner, s.Sid)
			}
			needed++
		}
	}
	t.Logf("%d statements, each of which a request needs", needed)
}
