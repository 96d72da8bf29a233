package tidemarkcdk

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
)

// eventCounts are metrics of a mapping.
var eventCounts = &awslambda.CfnEventSourceMapping_MetricsConfigProperty{Metrics: jsii.Strings("EventCount")}

// addMapping makes the table stream invoke aggregate and, for expired tombstones, purge. The
// local stack uses the same settings.
func (s *Tidemark) addMapping() {
	s.mapping = s.tableStreamMapping("Mapping", aggregate, tablekeys.AggregateFilter)
	s.purgeMapping = s.tableStreamMapping("PurgeMapping", purge, tablekeys.PurgeFilter)
}

// tableStreamMapping makes the table stream invoke a function with the records that match a
// filter. A stream shard supports two readers: aggregate and purge.
func (s *Tidemark) tableStreamMapping(id, function, pattern string) awslambda.CfnEventSourceMapping {
	m, props := s.settings.Mapping, s.streamReader(function, s.Table.TableStreamArn(), s.OnFailure)
	props.BatchSize, props.MaximumBatchingWindowInSeconds = new(float64(m.BatchSize)), seconds(m.Window)
	props.ParallelizationFactor, props.BisectBatchOnFunctionError = new(float64(m.Parallelization)), m.Bisect
	props.FilterCriteria = filter(pattern)
	return awslambda.NewCfnEventSourceMapping(s.Construct, &id, props)
}

// streamReader is what the mappings of the table stream and of the data stream have in common.
func (s *Tidemark) streamReader(function string, stream *string,
	failures awssqs.Queue) *awslambda.CfnEventSourceMappingProps {
	return &awslambda.CfnEventSourceMappingProps{
		FunctionName: s.invoked(function), EventSourceArn: stream, StartingPosition: new(config.StartingPosition),
		MaximumRetryAttempts:      new(float64(s.settings.Mapping.MaxRetries)),
		MaximumRecordAgeInSeconds: seconds(s.settings.Mapping.MaxAge),
		FunctionResponseTypes:     jsii.Strings("ReportBatchItemFailures"), MetricsConfig: s.eventCounts(),
		DestinationConfig: &awslambda.CfnEventSourceMapping_DestinationConfigProperty{
			OnFailure: &awslambda.CfnEventSourceMapping_OnFailureProperty{Destination: failures.QueueArn()},
		},
	}
}

func filter(pattern string) *awslambda.CfnEventSourceMapping_FilterCriteriaProperty {
	return &awslambda.CfnEventSourceMapping_FilterCriteriaProperty{
		Filters: []any{&awslambda.CfnEventSourceMapping_FilterProperty{Pattern: &pattern}},
	}
}

// addQueues creates the queues for failed deliveries: ranges of the table stream that a
// mapping stopped retrying, and observations that could not be delivered to ingest.
func (s *Tidemark) addQueues() {
	s.OnFailure = s.queue("OnFailureQueue",
		&awssqs.QueueProps{RetentionPeriod: cdkDuration(s.settings.Mapping.FailureRetention)})
	s.Undelivered = s.queue("UndeliveredQueue",
		&awssqs.QueueProps{RetentionPeriod: cdkDuration(s.settings.Mapping.FailureRetention)})
}

// queue creates an encrypted queue that accepts requests over TLS only.
func (s *Tidemark) queue(id string, props *awssqs.QueueProps) awssqs.Queue {
	props.EnforceSSL = new(true)
	props.Encryption = awssqs.QueueEncryption_SQS_MANAGED
	if s.key != nil {
		props.Encryption, props.EncryptionMasterKey = awssqs.QueueEncryption_KMS, s.key
	}
	props.RemovalPolicy = s.removalPolicy()
	q := withLogicalID(s, awssqs.NewQueue(s.Construct, &id, props), id)
	withLogicalID(s, q.Node().FindChild(new("Policy")), id+"Policy")
	return q
}

func cdkDuration(d time.Duration) awscdk.Duration { return awscdk.Duration_Seconds(new(d.Seconds())) }
