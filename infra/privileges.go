package main

import (
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// privilege lets a function do named things to named resources.
type privilege struct {
	sid       string
	actions   []string
	resources []string
}

// tableVerbs are the requests that each function's code sends to the table. A
// transaction needs the right to each of its parts and has none of its own. Who is not
// here does not touch the table.
var tableVerbs = map[string][]string{
	ingest:    {"dynamodb:ConditionCheckItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"},
	aggregate: {"dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"},
	query:     {"dynamodb:GetItem", "dynamodb:Query"},
	purge: {"dynamodb:BatchWriteItem", "dynamodb:ConditionCheckItem", "dynamodb:DeleteItem", "dynamodb:GetItem",
		"dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem"},
}

// privileges are all that a function may do: what every function may, then its own.
func (s *stack) privileges(function string) []privilege {
	all := []privilege{{"Logs", []string{"logs:CreateLogStream", "logs:PutLogEvents"}, []string{*s.logs[function].LogGroupArn()}}}
	if verbs := tableVerbs[function]; len(verbs) > 0 {
		all = append(all, privilege{"Table", verbs, []string{*s.table.TableArn()}})
	}
	switch function {
	case ingest:
		all = append(all, privilege{"Undelivered", []string{"sqs:SendMessage"}, []string{*s.undelivered.QueueArn()}})
		all = append(all, s.sourcePrivileges()...)
	case aggregate, purge:
		all = append(all,
			privilege{"TableStream", []string{"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"}, []string{*s.table.TableStreamArn()}},
			privilege{"TableStreams", []string{"dynamodb:ListStreams"}, []string{*s.table.TableArn() + "/stream/*"}},
			privilege{"OnFailure", []string{"sqs:SendMessage"}, []string{*s.onFailure.QueueArn()}},
			// Lists of open alerts, and of those that nobody was told of.
			privilege{"Alerts", []string{"dynamodb:Query"}, []string{s.index(keys.IndexGSI1)}})
		if function == aggregate {
			all = append(all, privilege{"AlertBus", []string{"events:PutEvents"}, []string{*s.bus.AttrArn()}})
		}
	case query:
		all = append(all, privilege{"Indexes", []string{"dynamodb:Query"}, s.indexes()})
		all = append(all, privilege{"CursorSecret", []string{"secretsmanager:GetSecretValue"}, []string{*s.cursorSecret.SecretArn()}})
	case authorize:
		all = append(all, privilege{"SiteSecret", []string{"secretsmanager:GetSecretValue"}, []string{*s.siteSecret.SecretArn()}})
	}
	if s.key != nil {
		all = append(all, privilege{"Key", keyUses, []string{*s.key.KeyArn()}})
	}
	if s.stage.Tracing {
		// X-Ray knows no resources to name.
		all = append(all, privilege{"Traces", []string{"xray:PutTelemetryRecords", "xray:PutTraceSegments"}, []string{"*"}})
	}
	return all
}

// indexes are those that query asks: the first, which lists subjects that were deleted,
// and the second where something declared is found by it.
func (s *stack) indexes() []string {
	all := []string{s.index(keys.IndexGSI1)}
	second := slices.ContainsFunc(s.kinds.Kinds, func(k catalog.Kind) bool {
		return k.IndexBy != "" || slices.ContainsFunc(s.kinds.Profile(k.Subject.Name).Indexes, func(x catalog.ProfileIndex) bool {
			return x.Index == catalog.SecondIndex
		})
	})
	if second {
		all = append(all, s.index(keys.IndexGSI2))
	}
	return all
}

func (s *stack) index(name string) string { return *s.table.TableArn() + "/index/" + name }

func (s *stack) policy(function string) awsiam.PolicyDocument {
	document := awsiam.NewPolicyDocument(nil)
	for _, p := range s.privileges(function) {
		document.AddStatements(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
			Sid: &p.sid, Actions: jsii.Strings(p.actions...), Resources: jsii.Strings(p.resources...),
		}))
	}
	return document
}
