package tidemarkcdk

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiot"
	"github.com/aws/constructs-go/constructs/v10"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// addIoT creates an AWS IoT rule for each kind and, for each subject type of things, the policy
// for the things' certificates.
func (s *Tidemark) addIoT() {
	if len(s.stage.Sources.Things) == 0 {
		return
	}
	deliver, failures := s.delivery(), s.ruleFailures()
	for i := range s.kinds.Kinds {
		if k := &s.kinds.Kinds[i]; s.isThing(k.Subject) {
			for _, r := range s.rules(k) {
				s.addRule(k, r, deliver, failures)
			}
			s.allowRules(k)
		}
	}
	for _, subject := range s.kinds.Subjects() {
		if s.isThing(subject) {
			s.addDevicePolicies(subject)
		}
	}
}

// isThing reports whether subjects of a type are AWS IoT things.
func (s *Tidemark) isThing(t catalog.SubjectType) bool {
	return slices.Contains(s.stage.Sources.Things, t.Name)
}

// checkThings returns an error if a stage lists a subject type that no kind has.
func checkThings(stage config.Stage, kinds *catalog.Catalog) error {
	for _, name := range stage.Sources.Things {
		if !slices.ContainsFunc(kinds.Kinds, func(k catalog.Kind) bool { return k.Subject.Name == name }) {
			return fmt.Errorf("stages.%s.sources.things: no kind has subjects of type %s: "+
				"declare such a kind, or remove the type from the list", stage.Name, name)
		}
	}
	return nil
}

// ruleName is a rule's name; names of rules cannot contain hyphens.
func (s *Tidemark) ruleName(k *catalog.Kind) string {
	return strings.ReplaceAll(*s.name(k.Name), "-", "_")
}

// topic is the first level of the instance's topics. Every rule that matches a topic stores its messages, so
// two instances with one topic store each message twice.
func (s *Tidemark) topic() string { return cmp.Or(s.stage.Sources.Topic, s.prefix) }

// claimTopic returns an error if another instance of the app has the topic in the same account and region.
func (s *Tidemark) claimTopic() error {
	if len(s.stage.Sources.Things) == 0 {
		return nil
	}
	app := s.Node().Root().(constructs.Construct)
	claim := "Topic " + s.topic() + " of " + *s.stack.Environment()
	if app.Node().TryFindChild(&claim) != nil {
		return fmt.Errorf("another instance of this app has the MQTT topic %s: both would store each "+
			"message. Give one of them sources.topic, or Props.Name if none has it", s.topic())
	}
	constructs.NewConstruct(app, &claim)
	return nil
}

// topicName is the topic to which a subject publishes events of a kind.
func (s *Tidemark) topicName(k *catalog.Kind, subject string) string {
	return strings.Join([]string{s.topic(), k.Subject.Path, subject, k.Path}, "/")
}

// iotRule is a rule for one topic of a kind.
type iotRule struct{ id, name, sql string }

// Arrays of observations, and messages of other programs, are published to levels after a kind's topic, and
// have rules of their own.
const (
	batchPolicy = "-batch" // of arrays directly to the rules
	batchLevel  = "/batch"
	batchRule   = "_BATCH"
	sourceLevel = "/from/#" // the first level for which # stands names the row of sources
	sourceRule  = "_FROM"
)

// rules returns the rules of a kind. They add the subject, which is a level of the topic, and the kind to a
// message. Ingest rejects a payload that names another subject, and one without these fields. A rule cannot
// add fields to an array: the second one wraps it. Package envelope reads the names.
func (s *Tidemark) rules(k *catalog.Kind) []iotRule {
	mark := "topic(3) AS " + envelope.RuleSubject + ", timestamp() AS " + envelope.RuleTime
	if s.stage.Sources.Batched {
		mark += ", traceid() AS " + envelope.RuleDelivery
	}
	topic := s.topicName(k, "+")
	wrapped := func(mark, level string) string {
		const sql = "SELECT encode(*, 'base64') AS %s, %s, '%s' AS %s FROM '%s'"
		return fmt.Sprintf(sql, envelope.RuleBatch, mark, k.Name, envelope.RuleKind, topic+level)
	}
	bySource := mark + ", topic(6) AS " + envelope.RuleSource
	return []iotRule{
		{id: capitalize(k.Name) + "Rule", name: s.ruleName(k),
			sql: fmt.Sprintf("SELECT *, %s, '%s' AS %s FROM '%s'", mark, k.Name, envelope.RuleKind, topic)},
		{
			id: capitalize(k.Name) + "BatchRule", name: s.ruleName(k) + batchRule,
			sql: wrapped(mark, batchLevel),
		},
		{
			id: capitalize(k.Name) + "SourceRule", name: s.ruleName(k) + sourceRule,
			sql: wrapped(bySource, sourceLevel),
		},
	}
}

// delivery is the action of every rule: one invocation for a message, or one request for up to ten of them.
func (s *Tidemark) delivery() *awsiot.CfnTopicRule_ActionProperty {
	if s.stage.Sources.Batched {
		return s.addBatching()
	}
	return &awsiot.CfnTopicRule_ActionProperty{
		Lambda: &awsiot.CfnTopicRule_LambdaActionProperty{FunctionArn: s.invoked(ingest)}}
}

func (s *Tidemark) addRule(k *catalog.Kind, r iotRule, action *awsiot.CfnTopicRule_ActionProperty,
	failures awsiam.Role) {
	rule := awsiot.NewCfnTopicRule(s.Construct, &r.id, &awsiot.CfnTopicRuleProps{
		RuleName: &r.name,
		TopicRulePayload: &awsiot.CfnTopicRule_TopicRulePayloadProperty{
			Description:      new(fmt.Sprintf("Delivers events of kind %s from things to ingest", k.Name)),
			AwsIotSqlVersion: new("2016-03-23"),
			Sql:              &r.sql,
			RuleDisabled:     false,
			Actions:          []any{action},
			ErrorAction: &awsiot.CfnTopicRule_ActionProperty{
				Sqs: &awsiot.CfnTopicRule_SqsActionProperty{QueueUrl: s.Undelivered.QueueUrl(),
					RoleArn: failures.RoleArn(), UseBase64: false},
			},
		},
	})
	if s.things != nil {
		rule.Node().AddDependency(s.things)
	}
}

// allowRules lets the rules of a kind invoke ingest, unless they send to the API. Their names begin alike,
// so one permission is enough: a stack has at most 500 resources.
func (s *Tidemark) allowRules(k *catalog.Kind) {
	if s.things != nil {
		return
	}
	rules := fmt.Sprintf("arn:%s:iot:%s:%s:rule/%s*", *s.stack.Partition(), *s.stack.Region(),
		*s.stack.Account(), s.ruleName(k))
	s.allowInvoke(capitalize(k.Name)+"RulePermission", ingest, "iot.amazonaws.com", s.stack.Account(), rules)
}

// ruleFailures is the role of a rule's error action, which sends to the undelivered queue.
func (s *Tidemark) ruleFailures() awsiam.Role {
	allowed := []privilege{{
		sid: "Undelivered", actions: []string{"sqs:SendMessage"},
		resources: []string{*s.Undelivered.QueueArn()},
	}}
	if s.key != nil {
		allowed = append(allowed,
			privilege{
				sid: "Key", actions: []string{"kms:Decrypt", "kms:GenerateDataKey"},
				resources: []string{*s.key.KeyArn()},
			})
	}
	return s.ruleRole("RuleFailureRole",
		"Sends messages that the rules of "+s.prefix+" could not deliver to the undelivered queue", allowed...)
}

// ruleRole is a role of AWS IoT's rules in this account.
func (s *Tidemark) ruleRole(id, description string, allowed ...privilege) awsiam.Role {
	return withLogicalID(s, awsiam.NewRole(s.Construct, &id, &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(new("iot.amazonaws.com"), &awsiam.ServicePrincipalOpts{
			Conditions: &map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": *s.stack.Account()}},
		}),
		Description:    &description,
		InlinePolicies: &map[string]awsiam.PolicyDocument{"privileges": newDocument(allowed)},
	}), id)
}

// thingName is the policy variable for the name of the connected thing.
const thingName = "${iot:Connection.Thing.ThingName}"

// addDevicePolicies creates the policies for the certificates of a subject type's things: a thing may connect
// under its own name and publish to its own topics, through the broker or directly to the rules (Basic
// Ingest), and nothing else. One resource covers its topics at the broker; the rules are named, since a rule
// of another subject type would take a thing's name for the name of such a subject. Arrays directly to the
// rules have a policy of their own, so that neither is longer than a policy may be.
func (s *Tidemark) addDevicePolicies(subject catalog.SubjectType) {
	arn := func(resource string) string {
		return fmt.Sprintf("arn:%s:iot:%s:%s:%s", *s.stack.Partition(), *s.stack.Region(), *s.stack.Account(),
			resource)
	}
	topics := []string{arn("topic/" + strings.Join([]string{s.topic(), subject.Path, thingName, "*"}, "/"))}
	var batches []string
	for i := range s.kinds.Kinds {
		k := &s.kinds.Kinds[i]
		if k.Subject == subject {
			direct, topic := arn("topic/$aws/rules/"+s.ruleName(k)), s.topicName(k, thingName)
			topics = append(topics, direct+"/"+topic)
			batches = append(batches, direct+batchRule+"/"+topic+batchLevel)
		}
	}
	attached := map[string]any{"Bool": map[string]any{"iot:Connection.Thing.IsAttached": "true"}}
	add := func(name string, statements ...any) {
		for _, statement := range statements {
			maps.Copy(statement.(map[string]any), map[string]any{"Effect": "Allow", "Condition": attached})
		}
		awsiot.NewCfnPolicy(s.Construct, new(capitalize(name)+"Policy"), &awsiot.CfnPolicyProps{
			PolicyName: s.name(name), PolicyDocument: map[string]any{"Version": "2012-10-17", "Statement": statements},
		}).ApplyRemovalPolicy(awscdk.RemovalPolicy_DESTROY, nil)
	}
	add(subject.Path, map[string]any{"Action": "iot:Connect", "Resource": arn("client/" + thingName)},
		map[string]any{"Action": "iot:Publish", "Resource": topics})
	add(subject.Path+batchPolicy, map[string]any{"Action": "iot:Publish", "Resource": batches})
}
