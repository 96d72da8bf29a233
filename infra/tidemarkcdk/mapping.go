package tidemarkcdk

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
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
	m := s.settings.Mapping
	return awslambda.NewCfnEventSourceMapping(s.Construct, &id, &awslambda.CfnEventSourceMappingProps{
		FunctionName:                   s.invoked(function),
		EventSourceArn:                 s.Table.TableStreamArn(),
		StartingPosition:               new(config.StartingPosition),
		BatchSize:                      new(float64(m.BatchSize)),
		MaximumBatchingWindowInSeconds: seconds(m.Window),
		ParallelizationFactor:          new(float64(m.Parallelization)),
		MaximumRetryAttempts:           new(float64(m.MaxRetries)),
		MaximumRecordAgeInSeconds:      seconds(m.MaxAge),
		BisectBatchOnFunctionError:     m.Bisect,
		FunctionResponseTypes:          jsii.Strings("ReportBatchItemFailures"),
		FilterCriteria:                 filter(pattern),
		DestinationConfig:              onFailureTo(s.OnFailure.QueueArn()),
		MetricsConfig:                  s.eventCounts(),
	})
}

func filter(pattern string) *awslambda.CfnEventSourceMapping_FilterCriteriaProperty {
	return &awslambda.CfnEventSourceMapping_FilterCriteriaProperty{
		Filters: []any{&awslambda.CfnEventSourceMapping_FilterProperty{Pattern: &pattern}},
	}
}

func onFailureTo(queueArn *string) *awslambda.CfnEventSourceMapping_DestinationConfigProperty {
	return &awslambda.CfnEventSourceMapping_DestinationConfigProperty{
		OnFailure: &awslambda.CfnEventSourceMapping_OnFailureProperty{Destination: queueArn},
	}
}

// addQueues creates the queues for failed deliveries: ranges of the table stream that a
// mapping stopped retrying, and observations that could not be delivered to ingest.
func (s *Tidemark) addQueues() {
	s.OnFailure = s.queue("OnFailureQueue", &awssqs.QueueProps{RetentionPeriod: cdkDuration(s.settings.Mapping.FailureRetention)})
	s.Undelivered = s.queue("UndeliveredQueue", &awssqs.QueueProps{RetentionPeriod: cdkDuration(s.settings.Mapping.FailureRetention)})
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
