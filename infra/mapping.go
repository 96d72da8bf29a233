package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/pkg/config"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// eventCounts has Lambda publish what a mapping filtered, failed and gave up.
var eventCounts = &awslambda.CfnEventSourceMapping_MetricsConfigProperty{Metrics: jsii.Strings("EventCount")}

// addMapping has the table stream invoke aggregate, by the settings that the laptop's
// mapping reads too.
func (s *stack) addMapping() {
	m := s.settings.Mapping
	s.mapping = awslambda.NewCfnEventSourceMapping(s.Stack, new("Mapping"), &awslambda.CfnEventSourceMappingProps{
		FunctionName:                   s.functions[aggregate].FunctionArn(),
		EventSourceArn:                 s.table.TableStreamArn(),
		StartingPosition:               new(config.StartingPosition),
		BatchSize:                      new(float64(m.BatchSize)),
		MaximumBatchingWindowInSeconds: seconds(m.Window),
		ParallelizationFactor:          new(float64(m.Parallelization)),
		MaximumRetryAttempts:           new(float64(m.MaxRetries)),
		MaximumRecordAgeInSeconds:      seconds(m.MaxAge),
		BisectBatchOnFunctionError:     m.Bisect,
		FunctionResponseTypes:          jsii.Strings("ReportBatchItemFailures"),
		FilterCriteria:                 filter(keys.AggregateFilter),
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
