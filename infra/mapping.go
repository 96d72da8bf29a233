package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
)

// eventCounts are metrics of a mapping.
var eventCounts = &awslambda.CfnEventSourceMapping_MetricsConfigProperty{Metrics: jsii.Strings("EventCount")}

// addMapping makes the table stream invoke aggregate and, for expired tombstones, purge. The
// local stack uses the same settings.
func (s *stack) addMapping() {
	s.mapping = s.tableStreamMapping("Mapping", aggregate, tablekeys.AggregateFilter)
	s.purgeMapping = s.tableStreamMapping("PurgeMapping", purge, tablekeys.PurgeFilter)
}

// tableStreamMapping makes the table stream invoke a function with the records that match a
// filter. A stream shard supports two readers: aggregate and purge.
func (s *stack) tableStreamMapping(id, function, pattern string) awslambda.CfnEventSourceMapping {
	m := s.settings.Mapping
	return awslambda.NewCfnEventSourceMapping(s.Stack, &id, &awslambda.CfnEventSourceMappingProps{
		FunctionName:                   s.invoked(function),
		EventSourceArn:                 s.table.TableStreamArn(),
		StartingPosition:               new(config.StartingPosition),
		BatchSize:                      new(float64(m.BatchSize)),
		MaximumBatchingWindowInSeconds: seconds(m.Window),
		ParallelizationFactor:          new(float64(m.Parallelization)),
		MaximumRetryAttempts:           new(float64(m.MaxRetries)),
		MaximumRecordAgeInSeconds:      seconds(m.MaxAge),
		BisectBatchOnFunctionError:     m.Bisect,
		FunctionResponseTypes:          jsii.Strings("ReportBatchItemFailures"),
		FilterCriteria:                 filter(pattern),
		DestinationConfig:              onFailureTo(s.onFailure.QueueArn()),
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
