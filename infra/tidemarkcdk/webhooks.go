package tidemarkcdk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// webhook is what a service receives of some changes of alerts.
type webhook struct {
	name     string // of the rule
	changes  []storage.AlertChange
	template string // of the body: a name in angle brackets is a field of alertFields, with its quotes
}

// alertFields are the fields of a notification that templates contain. Each stands for a whole JSON text, so
// that quotes in it need no escape.
var alertFields = map[string]any{
	"id": "$.detail.id", "text": "$.detail.text", "chat": "$.detail.chat", "subject": "$.detail.alert.subject",
	"rule": "$.detail.alert.rule", "severity": "$.detail.alert.severity", "at": "$.detail.alert.at",
}

// slackWebhooks send what begins and what ends an alert. The body has the form that incoming webhooks of
// Slack take: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
var slackWebhooks = []webhook{{
	name: "slack-alerts",
	changes: []storage.AlertChange{
		storage.AlertChangeRaised, storage.AlertChangePassed, storage.AlertChangeReopened,
		storage.AlertChangeReinstated, storage.AlertChangeRecovered, storage.AlertChangeWithdrawn,
		storage.AlertChangeResolved,
		storage.AlertChangeEnded,
	},
	template: `{"text": <chat>}`,
}}

// pagerDutyWebhooks open, acknowledge and resolve an incident of each alert, whose key is the alert's id. The
// body has the form that PagerDuty's Events API, version 2, takes:
// https://developer.pagerduty.com/docs/send-alert-event The key of the integration is added by the
// connection. What had ended when it was found opens nothing.
var pagerDutyWebhooks = []webhook{
	{
		name: "pagerduty-trigger",
		changes: []storage.AlertChange{storage.AlertChangeRaised, storage.AlertChangeReopened,
			storage.AlertChangeReinstated},
		template: `{"event_action": "trigger", "dedup_key": <id>, "payload": {` +
			`"summary": <text>, "source": <subject>, "severity": <severity>, ` +
			`"timestamp": <at>, "class": <rule>}}`,
	},
	{
		name: "pagerduty-acknowledge", changes: []storage.AlertChange{storage.AlertChangeAcknowledged},
		template: `{"event_action": "acknowledge", "dedup_key": <id>}`,
	},
	{
		name: "pagerduty-resolve", changes: []storage.AlertChange{
			storage.AlertChangeRecovered, storage.AlertChangeWithdrawn, storage.AlertChangeResolved,
			storage.AlertChangeEnded,
		},
		template: `{"event_action": "resolve", "dedup_key": <id>}`,
	},
}

// pagerDutyURL is the address of the Events API for accounts in the United States.
const pagerDutyURL = "https://events.pagerduty.com/v2/enqueue"

// webhookHour is how long a delivery is tried: an alarm on the queue of what was not delivered then tells of
// it.
const webhookHour = 3600

// addWebhooks sends alerts to the services of the stage's webhooks.
func (s *Tidemark) addWebhooks() {
	hooks := s.stage.Webhooks
	secret := func(arn string) *string { return awscdk.SecretValue_SecretsManager(&arn, nil).UnsafeUnwrap() }
	if hooks.Slack != "" { // the address is the secret, and the connection's header says who sends
		s.addDestination("Slack", secret(hooks.Slack), nil, slackWebhooks)
	}
	if hooks.PagerDuty != "" {
		key := &awsevents.CfnConnection_ParameterProperty{Key: new("routing_key"), Value: secret(hooks.PagerDuty),
			IsValueSecret: new(true)}
		s.addDestination("PagerDuty", new(cmp.Or(hooks.PagerDutyURL, pagerDutyURL)), []any{key}, pagerDutyWebhooks)
	}
}

// addDestination creates a destination and the rules whose alerts go there. EventBridge adds the parameters
// to each body.
func (s *Tidemark) addDestination(id string, url *string, body []any, webhooks []webhook) {
	auth := &awsevents.CfnConnection_AuthParametersProperty{
		ApiKeyAuthParameters: &awsevents.CfnConnection_ApiKeyAuthParametersProperty{ApiKeyName: new("X-Tidemark"),
			ApiKeyValue: &s.prefix},
	}
	if body != nil {
		auth.InvocationHttpParameters = &awsevents.CfnConnection_ConnectionHttpParametersProperty{
			BodyParameters: body}
	}
	connection := awsevents.NewCfnConnection(s.Construct, new(id+"Connection"), &awsevents.CfnConnectionProps{
		AuthorizationType: new("API_KEY"), AuthParameters: auth, Description: new("Alerts of " + s.prefix),
	})
	destination := awsevents.NewCfnApiDestination(s.Construct, new(id+"Destination"),
		&awsevents.CfnApiDestinationProps{
			ConnectionArn: connection.AttrArn(), HttpMethod: new("POST"), InvocationEndpoint: url,
			InvocationRateLimitPerSecond: new(1.0),
			Description:                  new("Alerts of " + s.prefix),
		})
	role := withLogicalID(s, awsiam.NewRole(s.Construct, new(id+"Role"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(new(eventBridge), nil),
		InlinePolicies: &map[string]awsiam.PolicyDocument{"send": awsiam.NewPolicyDocument(
			&awsiam.PolicyDocumentProps{
				Statements: &[]awsiam.PolicyStatement{awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
					Actions: jsii.Strings("events:InvokeApiDestination"), Resources: jsii.Strings(*destination.AttrArn()),
				})},
			})},
	}), id+"Role")
	for i, hook := range webhooks {
		rule := awsevents.NewCfnRule(s.Construct, new(fmt.Sprint(id, "Alerts", i+1)), &awsevents.CfnRuleProps{
			Name: s.name(hook.name), EventBusName: s.AlertBus.Ref(), State: new("ENABLED"),
			Description:  new("Sends changes of alerts to " + id),
			EventPattern: alertPattern(hook.changes, s.loud()),
			Targets: []any{&awsevents.CfnRule_TargetProperty{
				Id: &id, Arn: destination.AttrArn(), RoleArn: role.RoleArn(),
				RetryPolicy: &awsevents.CfnRule_RetryPolicyProperty{MaximumEventAgeInSeconds: new(
					float64(webhookHour))},
				DeadLetterConfig: &awsevents.CfnRule_DeadLetterConfigProperty{Arn: s.deadAlerts.QueueArn()},
				InputTransformer: &awsevents.CfnRule_InputTransformerProperty{InputPathsMap: alertFields,
					InputTemplate: &hook.template},
			}},
		})
		s.deadAlerts.AddToResourcePolicy(forRule(rule, "sqs:SendMessage", s.deadAlerts.QueueArn()))
	}
}

// loud are the severities that webhooks receive: the configured one and those above it.
func (s *Tidemark) loud() []storage.Severity {
	lowest := storage.Severity(cmp.Or(s.stage.Webhooks.Severity, string(storage.Critical)))
	all := storage.Severities()
	return all[:slices.Index(all, lowest)+1]
}

// alertPattern selects changes of alerts of some severities on the bus.
func alertPattern(changes []storage.AlertChange, severities []storage.Severity) map[string]any {
	return map[string]any{
		"source":      []any{storage.AlertEventSource},
		"detail-type": lists.Map(changes, func(c storage.AlertChange) any { return c.DetailType() }),
		"detail": map[string]any{"alert": map[string]any{"severity": lists.Map(severities,
			func(x storage.Severity) any { return string(x) })}},
	}
}
