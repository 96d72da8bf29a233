package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiot"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// addIoT makes a rule for each kind and, for the subjects of a type, the policy that
// their things are given.
func (s *stack) addIoT() {
	if len(s.stage.Doors.Things) == 0 {
		return
	}
	failures := s.ruleFailures()
	for i := range s.kinds.Kinds {
		if k := &s.kinds.Kinds[i]; s.isThing(k.Subject) {
			s.addRule(k, failures)
		}
	}
	for _, subject := range s.kinds.Subjects() {
		if s.isThing(subject) {
			s.addDevicePolicy(subject)
		}
	}
}

// isThing reports whether subjects of a type publish through the broker.
func (s *stack) isThing(t catalog.SubjectType) bool {
	return slices.Contains(s.stage.Doors.Things, t.Name)
}

// unknownThing is an error where a stage names a thing of a type that no kind has.
func unknownThing(stage config.Stage, subjects []catalog.SubjectType) error {
	for _, name := range stage.Doors.Things {
		if !slices.ContainsFunc(subjects, func(t catalog.SubjectType) bool { return t.Name == name }) {
			return fmt.Errorf("stages.%s.doors.things: no kind has subjects of type %s: declare one, or take it off the list", stage.Name, name)
		}
	}
	return nil
}

// ruleName is a rule's name, in the characters that rules may have.
func (s *stack) ruleName(k *catalog.Kind) string {
	return strings.ReplaceAll(*s.StackName(), "-", "_") + "_" + k.Name
}

// topicOf is where a subject's things publish events of a kind.
func (s *stack) topicOf(k *catalog.Kind, subject string) string {
	return strings.Join([]string{s.stage.Doors.Topic, k.Subject.Path, subject, k.Path}, "/")
}

// ruleSQL adds what the broker knows of a message: the subject, out of the topic, and
// the kind. A payload that names another subject is rejected by ingest, and counted.
// The names are those by which package envelope takes them out again.
func (s *stack) ruleSQL(k *catalog.Kind) string {
	return fmt.Sprintf("SELECT *, topic(3) AS tidemark_subject, '%s' AS tidemark_kind FROM '%s'", k.Name, s.topicOf(k, "+"))
}

func (s *stack) addRule(k *catalog.Kind, failures awsiam.Role) {
	id := capital(k.Name)
	rule := awsiot.NewCfnTopicRule(s.Stack, new(id+"Rule"), &awsiot.CfnTopicRuleProps{
		RuleName: new(s.ruleName(k)),
		TopicRulePayload: &awsiot.CfnTopicRule_TopicRulePayloadProperty{
			Description:      new(fmt.Sprintf("Events of kind %s, from things to ingest", k.Name)),
			AwsIotSqlVersion: new("2016-03-23"),
			Sql:              new(s.ruleSQL(k)),
			RuleDisabled:     false,
			Actions: []any{&awsiot.CfnTopicRule_ActionProperty{
				Lambda: &awsiot.CfnTopicRule_LambdaActionProperty{FunctionArn: s.functions[ingest].FunctionArn()},
			}},
			ErrorAction: &awsiot.CfnTopicRule_ActionProperty{
				Sqs: &awsiot.CfnTopicRule_SqsActionProperty{QueueUrl: s.undelivered.QueueUrl(), RoleArn: failures.RoleArn(), UseBase64: false},
			},
		},
	})
	s.admit(id+"RulePermission", ingest, "iot.amazonaws.com", s.Account(), *rule.AttrArn())
}

// ruleFailures is what a rule runs as when its action fails: it may send to one queue.
func (s *stack) ruleFailures() awsiam.Role {
	document := awsiam.NewPolicyDocument(nil)
	allowed := []privilege{{"Undelivered", []string{"sqs:SendMessage"}, []string{*s.undelivered.QueueArn()}}}
	if s.key != nil {
		allowed = append(allowed, privilege{"Key", []string{"kms:Decrypt", "kms:GenerateDataKey"}, []string{*s.key.KeyArn()}})
	}
	for _, p := range allowed {
		document.AddStatements(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
			Sid: &p.sid, Actions: jsii.Strings(p.actions...), Resources: jsii.Strings(p.resources...),
		}))
	}
	return called(awsiam.NewRole(s.Stack, new("RuleFailureRole"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(new("iot.amazonaws.com"), &awsiam.ServicePrincipalOpts{
			Conditions: &map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": *s.Account()}},
		}),
		Description:    new("Sends to the undelivered queue what " + *s.StackName() + "'s rules could not hand over"),
		InlinePolicies: &map[string]awsiam.PolicyDocument{"privileges": document},
	}), "RuleFailureRole")
}

// thing stands for the name under which a device is registered and connected.
const thing = "${iot:Connection.Thing.ThingName}"

// addDevicePolicy makes the policy to attach to the certificates of a subject type's
// things: a thing connects under its own name and publishes to its own topics, by the
// broker or straight to the rules (Basic Ingest), and does nothing else.
func (s *stack) addDevicePolicy(subject catalog.SubjectType) {
	arn := func(resource string) string {
		return fmt.Sprintf("arn:%s:iot:%s:%s:%s", *s.Partition(), *s.Region(), *s.Account(), resource)
	}
	var topics []string
	for i := range s.kinds.Kinds {
		k := &s.kinds.Kinds[i]
		if k.Subject == subject {
			own := s.topicOf(k, thing)
			topics = append(topics, arn("topic/"+own), arn("topic/$aws/rules/"+s.ruleName(k)+"/"+own))
		}
	}
	attached := map[string]any{"Bool": map[string]any{"iot:Connection.Thing.IsAttached": "true"}}
	awsiot.NewCfnPolicy(s.Stack, new(capital(subject.Path)+"Policy"), &awsiot.CfnPolicyProps{
		PolicyName: s.name(subject.Path),
		PolicyDocument: map[string]any{
			"Version": "2012-10-17",
			"Statement": []any{
				map[string]any{"Effect": "Allow", "Action": "iot:Connect", "Resource": arn("client/" + thing), "Condition": attached},
				map[string]any{"Effect": "Allow", "Action": "iot:Publish", "Resource": topics, "Condition": attached},
			},
		},
	}).ApplyRemovalPolicy(awscdk.RemovalPolicy_DESTROY, nil)
}
