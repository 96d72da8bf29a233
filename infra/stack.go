package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
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
