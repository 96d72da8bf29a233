package tidemarkcdk

import (
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/rights"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// privilege allows a function named actions on named resources.
type privilege struct {
	sid       string
	actions   []string
	resources []string
}

// Requests to a table, as IAM names them.
const (
	batchGetItem       = "dynamodb:BatchGetItem"
	batchWriteItem     = "dynamodb:BatchWriteItem"
	conditionCheckItem = "dynamodb:ConditionCheckItem"
	deleteItem         = "dynamodb:DeleteItem"
	getItem            = "dynamodb:GetItem"
	putItem            = "dynamodb:PutItem"
	queryItems         = "dynamodb:Query"
	updateItem         = "dynamodb:UpdateItem"
)

// tableActions are the requests that each function sends to the table. A transaction needs the right to each
// of its parts. A function that is not listed does not use the table.
var tableActions = map[string][]string{
	ingest: {batchGetItem, batchWriteItem, conditionCheckItem, getItem, putItem, updateItem},
	// Aggregate deletes single items of its own, and invalidations in batches.
	aggregate:  {batchGetItem, batchWriteItem, deleteItem, getItem, putItem, queryItems, updateItem},
	query:      {getItem, queryItems},
	authorize:  {getItem},
	prometheus: {getItem, queryItems},
	// Manage deletes single items, in transactions: a profile that becomes a tombstone, a unique value that
	// is released, a purge request that is withdrawn; and an event that its caller names.
	manage: {
		batchGetItem, batchWriteItem, conditionCheckItem, deleteItem, getItem, putItem, queryItems, updateItem,
	},
	// Only purge may erase in batches, outside the queue.
	purge: {batchWriteItem, conditionCheckItem, deleteItem, getItem, putItem, queryItems, updateItem},
}

// tablePartitions are the only partitions of the table that some functions use.
var tablePartitions = map[string][]string{authorize: {tablekeys.WriteKeys}}

// partitionRule allows or denies requests to some partitions of the table.
type partitionRule struct {
	privilege
	effect     awsiam.Effect
	partitions []string
}

// partitionRules returns what bounds the requests of a function to the table. A rule without actions or
// partitions is left out.
func (s *Tidemark) partitionRules(function string) (all []partitionRule) {
	add := func(effect awsiam.Effect, sid string, actions, partitions []string) {
		if len(actions) > 0 && len(partitions) > 0 {
			all = append(all, partitionRule{
				privilege: privilege{sid: sid, actions: actions, resources: []string{*s.Table.TableArn()}},
				effect:    effect, partitions: partitions,
			})
		}
	}
	actions := tableActions[function]
	if only := tablePartitions[function]; len(only) > 0 {
		add(awsiam.Effect_ALLOW, "Table", actions, only)
		return all
	}
	add(awsiam.Effect_ALLOW, "Deletes", []string{deleteItem}, rights.Bounds[deleteItem][function])
	add(awsiam.Effect_ALLOW, "Batches", []string{batchWriteItem}, rights.Bounds[batchWriteItem][function])
	secret, others := rights.Denied(function)
	add(awsiam.Effect_DENY, "SecretPartitions", actions, secret)
	add(awsiam.Effect_DENY, "OtherPartitions", lists.Filter(actions, rights.Writes), others)
	return all
}

// wholeTable returns the actions of a function that its rules do not allow in some partitions only.
func wholeTable(function string) []string {
	if len(tablePartitions[function]) > 0 {
		return nil
	}
	return lists.Filter(tableActions[function], func(action string) bool {
		return len(rights.Bounds[action][function]) == 0
	})
}

// privileges returns what a function may do beside its partitionRules: the rights of every function, then its
// own.
func (s *Tidemark) privileges(function string) []privilege {
	all := []privilege{{sid: "Logs", actions: []string{"logs:CreateLogStream", "logs:PutLogEvents"},
		resources: []string{*s.logs[function].LogGroupArn()}}}
	if actions := wholeTable(function); len(actions) > 0 {
		all = append(all, privilege{sid: "Table", actions: actions, resources: []string{*s.Table.TableArn()}})
	}
	switch function {
	case ingest:
		all = append(all, privilege{sid: "Undelivered", actions: []string{"sqs:SendMessage"},
			resources: []string{*s.Undelivered.QueueArn()}})
		all = append(all, s.sourcePrivileges()...)
		if s.stage.Sources.Pages && s.secondIndex() {
			all = append(all, privilege{
				sid: "Visits", actions: []string{queryItems}, resources: []string{s.index(keys.IndexGSI2)},
			})
		}
		if s.originSecret != nil {
			all = append(all, privilege{
				sid: "OriginSecret", actions: []string{"secretsmanager:GetSecretValue"},
				resources: []string{*s.originSecret.SecretArn()},
			})
		}
	case aggregate, purge:
		all = append(all,
			privilege{sid: "TableStream", actions: []string{"dynamodb:DescribeStream", "dynamodb:GetRecords",
				"dynamodb:GetShardIterator"}, resources: []string{*s.Table.TableStreamArn()}},
			privilege{
				sid: "TableStreams", actions: []string{"dynamodb:ListStreams"},
				resources: []string{*s.Table.TableArn() + "/stream/*"},
			},
			privilege{
				sid: "OnFailure", actions: []string{"sqs:SendMessage"},
				resources: []string{*s.OnFailure.QueueArn()},
			})
		if function == aggregate {
			all = append(all,
				s.alertIndex(),
				privilege{
					sid: "AlertBus", actions: []string{"events:PutEvents"},
					resources: []string{*s.AlertBus.AttrArn()},
				},
				privilege{
					sid: "Handovers", actions: []string{"lambda:InvokeFunction"}, resources: []string{s.self(function)},
				})
		}
	case manage:
		all = append(all, s.alertIndex())
	case query:
		all = append(all, privilege{sid: "Indexes", actions: []string{queryItems}, resources: s.indexes()})
		all = append(all, privilege{sid: "CursorSecret", actions: []string{"secretsmanager:GetSecretValue"},
			resources: []string{*s.cursorSecret.SecretArn()}})
	case authorize:
		if s.siteSecret != nil {
			all = append(all, privilege{sid: "SiteSecret", actions: []string{"secretsmanager:GetSecretValue"},
				resources: []string{*s.siteSecret.SecretArn()}})
		}
	}
	if s.key != nil {
		all = append(all, privilege{
			sid: "Key", actions: keyUse(function), resources: []string{*s.key.KeyArn()},
		})
	}
	if s.stage.Tracing {
		// X-Ray has no resource-level permissions.
		all = append(all, privilege{
			sid: "Traces", actions: []string{"xray:PutTelemetryRecords", "xray:PutTraceSegments"},
			resources: []string{"*"},
		})
	}
	return all
}

// keyUse are the actions on the customer key that a function needs. All functions decrypt their environment
// variables; DynamoDB asks the same of every principal that reads or writes an encrypted table.
func keyUse(function string) []string {
	if len(tableActions[function]) == 0 {
		return []string{"kms:Decrypt"}
	}
	return append([]string{"kms:DescribeKey"}, keyActions...)
}

// alertIndex allows reading the lists of open alerts and of undelivered notifications.
func (s *Tidemark) alertIndex() privilege {
	return privilege{
		sid: "Alerts", actions: []string{queryItems}, resources: []string{s.index(keys.IndexGSI1)},
	}
}

// indexes returns the indexes that query reads: the first, which lists deleted subjects, and
// the second, if a kind or profile field is indexed by it.
func (s *Tidemark) indexes() []string {
	all := []string{s.index(keys.IndexGSI1)}
	if s.secondIndex() {
		all = append(all, s.index(keys.IndexGSI2))
	}
	return all
}

// secondIndex reports whether a kind or a profile field is indexed by the second index, also of a subject
// type without kinds.
func (s *Tidemark) secondIndex() bool {
	byEvents := func(k catalog.Kind) bool { return k.IndexBy != "" }
	byProfile := func(t catalog.SubjectType) bool {
		return slices.ContainsFunc(s.kinds.Profile(t.Name).Indexes, func(x catalog.ProfileIndex) bool {
			return x.Index == catalog.SecondIndex
		})
	}
	return slices.ContainsFunc(s.kinds.Kinds, byEvents) || slices.ContainsFunc(s.kinds.Subjects(), byProfile)
}

func (s *Tidemark) index(name string) string { return *s.Table.TableArn() + "/index/" + name }

// newDocument is a policy document that allows privileges, in the bounds of rules.
func newDocument(all []privilege, rules ...partitionRule) awsiam.PolicyDocument {
	document := awsiam.NewPolicyDocument(nil)
	for _, p := range all {
		document.AddStatements(awsiam.NewPolicyStatement(p.statement()))
	}
	for _, r := range rules {
		props := r.statement()
		// A request may name several partitions: all must be allowed, and none denied.
		operator := map[awsiam.Effect]string{
			awsiam.Effect_ALLOW: "ForAllValues:StringLike", awsiam.Effect_DENY: "ForAnyValue:StringLike",
		}[r.effect]
		props.Effect = r.effect
		props.Conditions = &map[string]any{operator: map[string]any{"dynamodb:LeadingKeys": r.partitions}}
		document.AddStatements(awsiam.NewPolicyStatement(props))
	}
	return document
}

func (p privilege) statement() *awsiam.PolicyStatementProps {
	return &awsiam.PolicyStatementProps{
		Sid: &p.sid, Actions: jsii.Strings(p.actions...), Resources: jsii.Strings(p.resources...),
	}
}
