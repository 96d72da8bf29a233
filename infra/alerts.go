package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// eventBridge invokes functions and tells topics on behalf of its rules.
const eventBridge = "events.amazonaws.com"

// addBus makes the event bus that aggregate tells of alerts. Whoever wants to hear puts a
// rule of their own on it.
func (s *stack) addBus() {
	s.bus = awsevents.NewCfnEventBus(s.Stack, new("AlertBus"), &awsevents.CfnEventBusProps{
		Name: s.name("alerts"), Description: new("What becomes of alerts, from " + model.AlertSource),
	})
}

// addAlertMail writes to those who hear of alarms when a critical alert is raised: by the
// stage's own topic, where there is one, and by one of theirs, whose policy must let
// EventBridge publish.
func (s *stack) addAlertMail() {
	var targets []any
	if s.topic != nil {
		targets = append(targets, alertTarget("Mail", s.topic.TopicArn()))
	}
	if s.stage.AlarmTopic != "" {
		targets = append(targets, alertTarget("Theirs", &s.stage.AlarmTopic))
	}
	if len(targets) == 0 {
		return
	}
	rule := awsevents.NewCfnRule(s.Stack, new("CriticalAlerts"), &awsevents.CfnRuleProps{
		Name: s.name("critical-alerts"), EventBusName: s.bus.Ref(), State: new("ENABLED"),
		Description: new("Tells those who hear of alarms that a critical alert was raised"),
		EventPattern: map[string]any{
			"source": []any{model.AlertSource}, "detail-type": []any{model.AlertRaised.DetailType()},
			"detail": map[string]any{"alert": map[string]any{"severity": []any{string(model.Critical)}}},
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

// alertTarget writes an alert as a line of text.
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
