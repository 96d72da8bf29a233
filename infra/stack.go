package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiot"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskinesis"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/constructs-go/constructs/v10"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// stack is the stack of one stage. Its parts are created in order; a part may use earlier ones.
type stack struct {
	awscdk.Stack
	settings *config.Config
	kinds    *catalog.Catalog
	stage    config.Stage
	code     string // folder of the built functions

	key          awskms.IKey // nil if AWS manages the keys
	table        awsdynamodb.Table
	onFailure    awssqs.Queue // ranges of the table stream that Lambda stopped retrying
	undelivered  awssqs.Queue // observations that were not delivered to ingest
	inboxQueue   awssqs.Queue // nil unless the stage enables it
	inletStream  awskinesis.Stream
	cursorSecret awssecretsmanager.Secret
	siteSecret   awssecretsmanager.Secret // nil without page views
	originSecret awssecretsmanager.Secret // nil unless an origin is trusted
	logs         map[string]awslogs.LogGroup
	functions    map[string]awslambda.Function
	aliases      map[string]awslambda.CfnAlias // of a stage with canaries; otherwise empty
	mapping      awslambda.CfnEventSourceMapping
	purgeMapping awslambda.CfnEventSourceMapping
	api          awsapigatewayv2.CfnApi
	things       awsiot.CfnTopicRuleDestination // nil unless rules send batches
	bus          awsevents.CfnEventBus
	topic        awssns.Topic // of alarms; nil without alarmMail
	deadAlerts   awssqs.Queue // alerts that no topic accepted; nil without a topic
	alarms       []awscloudwatch.Alarm
	causes       []awscloudwatch.CompositeAlarm // what notifies
}

func newStack(scope constructs.Construct, settings *config.Config, kinds *catalog.Catalog, stage config.Stage, code string) *stack {
	name := "tidemark-" + stage.Name
	s := &stack{
		Stack: awscdk.NewStack(scope, &name, &awscdk.StackProps{
			StackName:             &name,
			Description:           new("Tidemark, stage " + stage.Name + ": time-series in one DynamoDB table, with rollups"),
			TerminationProtection: new(stage.Removal == config.Retain && !unprotected(scope)),
			Env:                   placeOf(stage),
		}),
		settings: settings, kinds: kinds, stage: stage, code: code,
	}
	tags := awscdk.Tags_Of(s.Stack)
	tags.Add(new("application"), new("tidemark"), nil)
	tags.Add(new("stage"), &stage.Name, nil)
	for _, part := range []func(){
		s.addKey, s.addTable, s.addQueues, s.addSecrets, s.addSources, s.addBus, s.addFunctions, s.addReleases, s.addMapping, s.addSchedules,
		s.addAPI, s.addIoT, s.addSourceMappings, s.addAlarms, s.addAlertMail, s.addDashboard, s.addOutputs, s.addBoundary,
	} {
		part()
	}
	return s
}

// name is the physical name of a resource of this stack.
func (s *stack) name(of string) *string { return new(fmt.Sprintf("%s-%s", *s.StackName(), of)) }

// withLogicalID sets the logical id of a construct's resource, so that the template is readable
// and renaming a construct never replaces its resource.
func withLogicalID[T constructs.IConstruct](c T, id string) T {
	c.Node().DefaultChild().(awscdk.CfnElement).OverrideLogicalId(&id)
	return c
}

// addOutputs adds the outputs that callers, devices and the command line need.
func (s *stack) addOutputs() {
	outputs := []struct{ id, value, description string }{
		{"TableName", *s.table.TableName(), "Name of the table"},
		{"TableStreamArn", *s.table.TableStreamArn(), "The table stream, which tidemark redrive reads"},
		{"ApiUrl", *s.api.AttrApiEndpoint(), "URL of the HTTP API"},
		{"OnFailureQueueUrl", *s.onFailure.QueueUrl(), "Ranges of the table stream that Lambda stopped retrying"},
		{"UndeliveredQueueUrl", *s.undelivered.QueueUrl(), "Observations that were not delivered to ingest"},
		{"AlertBusName", *s.bus.Ref(), "The event bus for alerts: put a rule on it to receive them"},
		{"MappingId", *s.mapping.Ref(), "The event source mapping from the table stream to aggregate"},
	}
	if len(s.stage.Sources.Things) > 0 {
		outputs = append(outputs, struct{ id, value, description string }{"Topic", s.stage.Sources.Topic, "First level of the MQTT topics: {topic}/devices/{id}/readings"})
	}
	if s.siteSecret != nil {
		outputs = append(outputs, struct{ id, value, description string }{"SiteSecretArn", *s.siteSecret.SecretArn(), "The secret that tidemark site-key signs site keys with"})
	}
	if s.originSecret != nil {
		outputs = append(outputs, struct{ id, value, description string }{"OriginSecretArn", *s.originSecret.SecretArn(), "The secret that CloudFront sends in the header X-Tidemark-Origin"})
	}
	if s.inboxQueue != nil {
		outputs = append(outputs, struct{ id, value, description string }{"InboxQueueUrl", *s.inboxQueue.QueueUrl(), "The SQS queue that ingest reads"})
	}
	if s.inletStream != nil {
		outputs = append(outputs, struct{ id, value, description string }{"InletStreamName", *s.inletStream.StreamName(), "The Kinesis stream that ingest reads"})
	}
	for _, o := range outputs {
		awscdk.NewCfnOutput(s.Stack, new(o.id), &awscdk.CfnOutputProps{Value: &o.value, Description: &o.description})
	}
}

// retained keeps a resource when it or its stack is deleted, except when its own creation or
// the first deployment fails: then there is no data in it yet.
const retained = awscdk.RemovalPolicy_RETAIN_ON_UPDATE_OR_DELETE

// removalPolicy is the removal policy of resources with data that cannot be recreated.
func (s *stack) removalPolicy() awscdk.RemovalPolicy {
	if s.stage.Removal == config.Retain {
		return retained
	}
	return awscdk.RemovalPolicy_DESTROY
}

// unprotected reports whether this is the first deployment, in which nothing is protected from
// deletion.
func unprotected(scope constructs.Construct) bool {
	return scope.Node().TryGetContext(new(config.Unprotected)) == "true"
}

// placeOf is the only account and region that a stage may be deployed to. The CDK command line
// refuses others.
func placeOf(stage config.Stage) *awscdk.Environment {
	place := &awscdk.Environment{}
	if stage.Account != "" {
		place.Account = &stage.Account
	}
	if stage.Region != "" {
		place.Region = &stage.Region
	}
	return place
}
