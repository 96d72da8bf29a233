package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/entity"
)

// eventBridge invokes functions and publishes to topics on behalf of its rules.
const eventBridge = "events.amazonaws.com"

// addBus creates the event bus that aggregate publishes alert notifications to. A subscriber
// puts a rule on it.
func (s *stack) addBus() {
	s.bus = awsevents.NewCfnEventBus(s.Stack, new("AlertBus"), &awsevents.CfnEventBusProps{
		Name: s.name("alerts"), Description: new("Changes of alerts, from " + entity.AlertEventSource),
	})
}

// addAlertMail publishes every critical alert that is raised to the topics of the alarms: the
// stage's own topic, if it has one, and the configured topic, whose policy must allow
// EventBridge to publish.
func (s *stack) addAlertMail() {
	var targets []any
	if s.topic != nil {
		targets = append(targets, alertTarget("Mail", s.topic.TopicArn()))
	}
	if s.stage.AlarmTopic != "" {
		targets = append(targets, alertTarget("ConfiguredTopic", &s.stage.AlarmTopic))
	}
	if len(targets) == 0 {
		return
	}
	rule := awsevents.NewCfnRule(s.Stack, new("CriticalAlerts"), &awsevents.CfnRuleProps{
		Name: s.name("critical-alerts"), EventBusName: s.bus.Ref(), State: new("ENABLED"),
		Description: new("Sends critical alerts to the topics of the alarms"),
		EventPattern: map[string]any{
			"source": []any{entity.AlertEventSource}, "detail-type": []any{entity.AlertChangeRaised.DetailType(), entity.AlertChangePassed.DetailType()},
			"detail": map[string]any{"alert": map[string]any{"severity": []any{string(entity.Critical)}}},
		},
		Targets: targets,
	})
	if s.topic != nil {
		s.topic.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
			Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(new(eventBridge), nil)},
			Actions:    jsii.Strings("sns:Publish"),
			Resources:  jsii.Strings(*s.topic.TopicArn()),
			Conditions: &map[string]any{"ArnEquals": map[string]any{"aws:SourceArn": *rule.AttrArn()}},
		}))
	}
}

// alertTarget is a rule target that publishes an alert as one line of text.
func alertTarget(id string, topicArn *string) any {
	return &awsevents.CfnRule_TargetProperty{
		Id: &id, Arn: topicArn,
		InputTransformer: &awsevents.CfnRule_InputTransformerProperty{
			InputPathsMap: map[string]any{
				"message": "$.detail.alert.message", "subject": "$.detail.alert.subject", "at": "$.detail.alert.at", "id": "$.detail.id",
			},
			InputTemplate: new(`"Critical: <subject>: <message>, at <at> (alert <id>)"`),
		},
	}
}
