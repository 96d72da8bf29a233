package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskinesis"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/config"
)

// How the doors of queues and streams hand over: a batch is one request's worth, and
// what fails is tried again a bounded number of times.
const (
	doorBatch   = 100
	doorWindow  = 5
	doorRetries = 10
)

// addSources makes the queue and the stream of the doors that are open.
func (s *stack) addSources() {
	if s.stage.Doors.SQS {
		s.inbox = s.queue("InboxQueue", &awssqs.QueueProps{
			// Six times the function's timeout, so that a message is not seen again
			// while its batch is under way or waits its turn.
			VisibilityTimeout: lasting(6 * s.settings.Functions.Ingest.Timeout),
			RetentionPeriod:   awscdk.Duration_Days(new(4.0)),
			DeadLetterQueue:   &awssqs.DeadLetterQueue{Queue: s.undelivered, MaxReceiveCount: new(float64(doorRetries))},
		})
	}
	if s.stage.Doors.Kinesis {
		props := &awskinesis.StreamProps{
			StreamMode:    awskinesis.StreamMode_ON_DEMAND,
			Encryption:    awskinesis.StreamEncryption_MANAGED,
			RemovalPolicy: s.gone(),
		}
		if s.key != nil {
			props.Encryption, props.EncryptionKey = awskinesis.StreamEncryption_KMS, s.key
		}
		s.inlet = called(awskinesis.NewStream(s.Stack, new("InletStream"), props), "InletStream")
	}
}

// sourcePrivileges are what Lambda needs of ingest's role to read the doors for it.
func (s *stack) sourcePrivileges() (all []privilege) {
	if s.inbox != nil {
		all = append(all, privilege{"Inbox", []string{"sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"}, []string{*s.inbox.QueueArn()}})
	}
	if s.inlet != nil {
		all = append(all, privilege{"Inlet", []string{
			"kinesis:DescribeStream", "kinesis:DescribeStreamSummary", "kinesis:GetRecords", "kinesis:GetShardIterator", "kinesis:ListShards",
		}, []string{*s.inlet.StreamArn()}})
	}
	return all
}

// addDoors has Lambda read the open doors for ingest, and says what becomes of what
// an asynchronous door could not deliver: nothing is lost unseen.
func (s *stack) addDoors() {
	awslambda.NewCfnEventInvokeConfig(s.Stack, new("IngestInvokeConfig"), &awslambda.CfnEventInvokeConfigProps{
		FunctionName:             s.functions[ingest].FunctionName(),
		Qualifier:                new("$LATEST"),
		MaximumRetryAttempts:     new(2.0),
		MaximumEventAgeInSeconds: new(21600.0),
		DestinationConfig: &awslambda.CfnEventInvokeConfig_DestinationConfigProperty{
			OnFailure: &awslambda.CfnEventInvokeConfig_OnFailureProperty{Destination: s.undelivered.QueueArn()},
		},
	})
	if s.inbox != nil {
		awslambda.NewCfnEventSourceMapping(s.Stack, new("InboxMapping"), &awslambda.CfnEventSourceMappingProps{
			FunctionName:                   s.functions[ingest].FunctionArn(),
			EventSourceArn:                 s.inbox.QueueArn(),
			BatchSize:                      new(float64(doorBatch)),
			MaximumBatchingWindowInSeconds: new(float64(doorWindow)),
			FunctionResponseTypes:          jsii.Strings("ReportBatchItemFailures"),
			MetricsConfig:                  eventCounts,
		})
	}
	if s.inlet != nil {
		awslambda.NewCfnEventSourceMapping(s.Stack, new("InletMapping"), &awslambda.CfnEventSourceMappingProps{
			FunctionName:                   s.functions[ingest].FunctionArn(),
			EventSourceArn:                 s.inlet.StreamArn(),
			StartingPosition:               new(config.StartingPosition),
			BatchSize:                      new(float64(doorBatch)),
			MaximumBatchingWindowInSeconds: new(float64(doorWindow)),
			MaximumRetryAttempts:           new(float64(doorRetries)),
			MaximumRecordAgeInSeconds:      seconds(s.settings.Mapping.MaxAge),
			BisectBatchOnFunctionError:     true,
			FunctionResponseTypes:          jsii.Strings("ReportBatchItemFailures"),
			DestinationConfig:              givenUpTo(s.undelivered.QueueArn()),
			MetricsConfig:                  eventCounts,
		})
	}
}
