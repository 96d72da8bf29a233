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

// stack is one stage. Its parts are made one after another, each from those before.
type stack struct {
	awscdk.Stack
	settings *config.Config
	kinds    *catalog.Catalog
	stage    config.Stage
	code     string // folder of the built functions

	key          awskms.IKey // nil where AWS keeps the keys
	table        awsdynamodb.Table
	onFailure    awssqs.Queue // ranges of the table stream that were given up
	undelivered  awssqs.Queue // observations that reached no ingest
	inbox        awssqs.Queue // the SQS door; nil where it is shut
	inlet        awskinesis.Stream
	cursorSecret awssecretsmanager.Secret
	siteSecret   awssecretsmanager.Secret
	logs         map[string]awslogs.LogGroup
	functions    map[string]awslambda.Function
	mapping      awslambda.CfnEventSourceMapping
	purgeMapping awslambda.CfnEventSourceMapping
	api          awsapigatewayv2.CfnApi
	bus          awsevents.CfnEventBus
	topic        awssns.Topic // of alarms; nil where nobody is told
	alarms       []awscloudwatch.Alarm
}

func newStack(scope constructs.Construct, settings *config.Config, kinds *catalog.Catalog, stage config.Stage, code string) *stack {
	name := "tidemark-" + stage.Name
	s := &stack{
		Stack: awscdk.NewStack(scope, &name, &awscdk.StackProps{
			StackName:             &name,
			Description:           new("Tidemark, stage " + stage.Name + ": time-series in one table, rolled up"),
			TerminationProtection: new(stage.Removal == config.Retain),
		}),
		settings: settings, kinds: kinds, stage: stage, code: code,
	}
	tags := awscdk.Tags_Of(s.Stack)
	tags.Add(new("application"), new("tidemark"), nil)
	tags.Add(new("stage"), &stage.Name, nil)
	for _, part := range []func(){
		s.addKey, s.addTable, s.addQueues, s.addSecrets, s.addSources, s.addBus, s.addFunctions, s.addMapping, s.addSchedules,
		s.addAPI, s.addIoT, s.addDoors, s.addAlarms, s.addAlertMail, s.addDashboard, s.addOutputs,
	} {
		part()
	}
	return s
}

// name is the physical name of a thing of this stack.
func (s *stack) name(of string) *string { return new(fmt.Sprintf("%s-%s", *s.StackName(), of)) }

// called gives a construct's resource a logical id of its own: a template that reads
// as text, and a table that no renamed construct ever replaces.
func called[T constructs.IConstruct](c T, id string) T {
	c.Node().DefaultChild().(awscdk.CfnElement).OverrideLogicalId(&id)
	return c
}

// gone is what becomes of a part when its stack is deleted or lets go of it, where it
// holds what cannot be made again.
func (s *stack) gone() awscdk.RemovalPolicy {
	if s.stage.Removal == config.Retain {
		return awscdk.RemovalPolicy_RETAIN
	}
	return awscdk.RemovalPolicy_DESTROY
}
