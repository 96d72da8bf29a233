package tidemarkcdk

import (
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskinesis"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

// How ingest's queue and data stream are read: a batch is about as large as one HTTP request. A failed
// record of the data stream is retried as one of the table stream is, a message of the queue for 15 minutes:
// six timeouts of 15 s each time.
const (
	sourceBatch  = 100
	sourceWindow = 5 // seconds
	inboxRetries = 10
)

// addSources creates the queue and the data stream, if the stage enables them.
func (s *Tidemark) addSources() {
	switch {
	case s.given.Inbox != nil:
		s.Inbox = s.given.Inbox
	case s.stage.Sources.SQS:
		s.Inbox = s.queue("InboxQueue", &awssqs.QueueProps{
			// Six times the function's timeout, so that a message does not become visible
			// again while its batch is being processed or waits for a free invocation.
			VisibilityTimeout: cdkDuration(6 * s.settings.Functions.Ingest.Timeout),
			RetentionPeriod:   cdkDuration(config.InboxRetention),
			DeadLetterQueue: &awssqs.DeadLetterQueue{Queue: s.Undelivered,
				MaxReceiveCount: new(float64(inboxRetries))},
		})
	}
	if s.stage.Sources.Kinesis {
		props := &awskinesis.StreamProps{
			StreamMode:    awskinesis.StreamMode_ON_DEMAND,
			Encryption:    awskinesis.StreamEncryption_MANAGED,
			RemovalPolicy: s.removalPolicy(),
		}
		if s.key != nil {
			props.Encryption, props.EncryptionKey = awskinesis.StreamEncryption_KMS, s.key
		}
		s.Inlet = withLogicalID(s, awskinesis.NewStream(s.Construct, new("InletStream"), props), "InletStream")
	}
}

// sourcePrivileges are the rights that ingest's role needs so that Lambda can read its queue and data stream.
func (s *Tidemark) sourcePrivileges() (all []privilege) {
	if s.Inbox != nil {
		all = append(all, privilege{
			sid: "Inbox", actions: []string{"sqs:DeleteMessage", "sqs:GetQueueAttributes",
				"sqs:ReceiveMessage"},
			resources: []string{*s.Inbox.QueueArn()},
		})
		all = append(all, s.inboxKey()...)
	}
	if s.Inlet != nil {
		all = append(all, privilege{sid: "Inlet", actions: []string{
			"kinesis:DescribeStream", "kinesis:DescribeStreamSummary", "kinesis:GetRecords",
			"kinesis:GetShardIterator", "kinesis:ListShards",
		}, resources: []string{*s.Inlet.StreamArn()}})
	}
	return all
}

// addSourceMappings makes Lambda deliver the queue and the data stream to ingest. Messages that
// an asynchronous source cannot deliver go to the undelivered queue.
func (s *Tidemark) addSourceMappings() {
	awslambda.NewCfnEventInvokeConfig(s.Construct, new("IngestInvokeConfig"),
		&awslambda.CfnEventInvokeConfigProps{
			FunctionName:             s.Functions[ingest].FunctionName(),
			Qualifier:                s.qualifier(),
			MaximumRetryAttempts:     new(2.0),
			MaximumEventAgeInSeconds: new(21600.0),
			DestinationConfig: &awslambda.CfnEventInvokeConfig_DestinationConfigProperty{
				OnFailure: &awslambda.CfnEventInvokeConfig_OnFailureProperty{Destination: s.Undelivered.QueueArn()},
			},
		})
	if s.Inbox != nil {
		inbox := awslambda.NewCfnEventSourceMapping(s.Construct, new("InboxMapping"),
			&awslambda.CfnEventSourceMappingProps{
				FunctionName:                   s.invoked(ingest),
				EventSourceArn:                 s.Inbox.QueueArn(),
				BatchSize:                      new(float64(sourceBatch)),
				MaximumBatchingWindowInSeconds: new(float64(sourceWindow)),
				FunctionResponseTypes:          jsii.Strings("ReportBatchItemFailures"),
				MetricsConfig:                  s.eventCounts(),
			})
		if most := positive(s.stage.Ceiling.Inbox); most != nil {
			inbox.SetScalingConfig(&awslambda.CfnEventSourceMapping_ScalingConfigProperty{MaximumConcurrency: most})
		}
	}
	if s.Inlet != nil {
		props := s.streamReader(ingest, s.Inlet.StreamArn(), s.Undelivered)
		props.BatchSize, props.MaximumBatchingWindowInSeconds = new(float64(sourceBatch)),
			new(float64(sourceWindow))
		props.BisectBatchOnFunctionError = true
		awslambda.NewCfnEventSourceMapping(s.Construct, new("InletMapping"), props)
	}
}

// addSchedules makes purge start and resume purges every minute, and aggregate deliver waiting
// alert notifications and write the rows of buckets that have closed.
func (s *Tidemark) addSchedules() {
	for _, each := range config.Schedules {
		payloads := []string{""}
		if each.Sweeps {
			payloads = s.sweeps()
		}
		s.addSchedule(each.Name, each.Function, each.Purpose, each.Every, payloads...)
	}
}

// sweeps returns the payload of each sweep. A single sweep gets the scheduled event, so its payload is "".
func (s *Tidemark) sweeps() (payloads []string) {
	if s.stage.Sweeps == 1 {
		return []string{""}
	}
	for i := range s.stage.Sweeps {
		payloads = append(payloads, envelope.Part{Sweep: i, Sweeps: s.stage.Sweeps}.Payload())
	}
	return payloads
}

// addSchedule invokes a function at an interval, with each of the payloads at the same time. "" is the
// event of the schedule.
func (s *Tidemark) addSchedule(id, function, purpose string, every time.Duration, payloads ...string) {
	var targets []any
	for i, payload := range payloads {
		name := id
		if i > 0 {
			name = fmt.Sprint(id, i)
		}
		target := &awsevents.CfnRule_TargetProperty{
			Id: &name, Arn: s.invoked(function),
			// The next invocation does the work of a missed one.
			RetryPolicy: &awsevents.CfnRule_RetryPolicyProperty{MaximumRetryAttempts: new(0.0),
				MaximumEventAgeInSeconds: new(60.0)},
		}
		if payload != "" {
			target.Input = &payload
		}
		targets = append(targets, target)
	}
	rule := awsevents.NewCfnRule(s.Construct, new(id+"Schedule"), &awsevents.CfnRuleProps{
		Name:               s.name(strings.ToLower(id)),
		Description:        &purpose,
		ScheduleExpression: new(rateExpression(every)),
		State:              new("ENABLED"),
		Targets:            targets,
	})
	s.allowInvoke(id+"SchedulePermission", function, eventBridge, s.stack.Account(), *rule.AttrArn())
}

// rateExpression is an interval in EventBridge's syntax.
func rateExpression(every time.Duration) string {
	if n := int(every.Minutes()); n > 1 {
		return fmt.Sprintf("rate(%d minutes)", n)
	}
	return "rate(1 minute)"
}
