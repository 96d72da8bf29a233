package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// eventCounts has Lambda publish what a mapping filtered, failed and gave up.
var eventCounts = &awslambda.CfnEventSourceMapping_MetricsConfigProperty{Metrics: jsii.Strings("EventCount")}

// addMapping has the table stream invoke aggregate, and purge where TTL took a
// tombstone away, by the settings that the laptop's mappings read too.
func (s *stack) addMapping() {
	s.mapping = s.ofTableStream("Mapping", aggregate, keys.AggregateFilter)
	s.purgeMapping = s.ofTableStream("PurgeMapping", purge, keys.PurgeFilter)
}

// ofTableStream has the table stream invoke a function with what passes a filter. A
// stream shard bears two readers at most, and these are they.
func (s *stack) ofTableStream(id, function, pattern string) awslambda.CfnEventSourceMapping {
	m := s.settings.Mapping
	return awslambda.NewCfnEventSourceMapping(s.Stack, &id, &awslambda.CfnEventSourceMappingProps{
		FunctionName:                   s.functions[function].FunctionArn(),
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
		DestinationConfig:              givenUpTo(s.onFailure.QueueArn()),
		MetricsConfig:                  eventCounts,
	})
}

func filter(pattern string) *awslambda.CfnEventSourceMapping_FilterCriteriaProperty {
	return &awslambda.CfnEventSourceMapping_FilterCriteriaProperty{
		Filters: []any{&awslambda.CfnEventSourceMapping_FilterProperty{Pattern: &pattern}},
	}
}

func givenUpTo(queueArn *string) *awslambda.CfnEventSourceMapping_DestinationConfigProperty {
	return &awslambda.CfnEventSourceMapping_DestinationConfigProperty{
		OnFailure: &awslambda.CfnEventSourceMapping_OnFailureProperty{Destination: queueArn},
	}
}
