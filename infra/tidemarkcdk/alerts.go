package tidemarkcdk

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// eventBridge invokes functions and publishes to topics on behalf of its rules.
const eventBridge = "events.amazonaws.com"

// addBus creates the event bus that aggregate publishes alert notifications to. A subscriber
// puts a rule on it.
func (s *Tidemark) addBus() {
	if s.forwardsAlerts() {
		s.deadAlerts = s.queue("DeadAlertsQueue",
			&awssqs.QueueProps{RetentionPeriod: cdkDuration(s.settings.Mapping.FailureRetention)})
	}
	s.AlertBus = awsevents.NewCfnEventBus(s.Construct, new("AlertBus"), &awsevents.CfnEventBusProps{
		Name: s.name("alerts"), Description: new("Changes of alerts, from " + storage.AlertEventSource),
	})
}

// notifies reports whether anyone receives the alarms of the stage.
func (s *Tidemark) notifies() bool {
	return s.given.notifies(s.stage)
}

// forwardsAlerts reports whether rules send alerts on: what a target does not accept is in a queue.
func (s *Tidemark) forwardsAlerts() bool {
	return s.notifies() || s.stage.Webhooks != (config.Webhooks{})
}

// alertRule is the name of the rule that publishes critical alerts.
const alertRule = "critical-alerts"

// addAlertMail publishes every critical alert that is raised to the topics of the alarms: the
// stage's own topic, if it has one, and the topics of the configuration and the app. The policy of the
// configured one must allow EventBridge to publish.
func (s *Tidemark) addAlertMail() {
	if len(s.receivers) == 0 {
		return
	}
	var targets []any
	for _, r := range s.receivers {
		targets = append(targets, s.alertTarget(r.target, r.topic.TopicArn()))
	}
	rule := awsevents.NewCfnRule(s.Construct, new("CriticalAlerts"), &awsevents.CfnRuleProps{
		Name: s.name(alertRule), EventBusName: s.AlertBus.Ref(), State: new("ENABLED"),
		Description: new("Sends critical alerts to the topics of the alarms"),
		EventPattern: alertPattern([]storage.AlertChange{storage.AlertChangeRaised, storage.AlertChangePassed},
			[]storage.Severity{storage.Critical}),
		Targets: targets,
	})
	s.deadAlerts.AddToResourcePolicy(forRule(rule, "sqs:SendMessage", s.deadAlerts.QueueArn()))
	for _, r := range s.receivers {
		s.allowTopic(r, forRule(rule, "sns:Publish", r.topic.TopicArn()))
	}
}

// forRule allows a rule one action on one resource.
func forRule(rule awsevents.CfnRule, action string, resource *string) awsiam.PolicyStatement {
	return awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(new(eventBridge), nil)},
		Actions:    jsii.Strings(action),
		Resources:  jsii.Strings(*resource),
		Conditions: &map[string]any{"ArnEquals": map[string]any{"aws:SourceArn": *rule.AttrArn()}},
	})
}

// alertTarget is a rule target that publishes an alert as one line of text. What the topic does
// not accept within a day goes to a queue.
func (s *Tidemark) alertTarget(id string, topicArn *string) any {
	return &awsevents.CfnRule_TargetProperty{
		Id: &id, Arn: topicArn,
		DeadLetterConfig: &awsevents.CfnRule_DeadLetterConfigProperty{Arn: s.deadAlerts.QueueArn()},
		InputTransformer: &awsevents.CfnRule_InputTransformerProperty{
			InputPathsMap: map[string]any{"text": "$.detail.text"}, InputTemplate: new("<text>"),
		},
	}
}
