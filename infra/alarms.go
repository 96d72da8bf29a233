package main

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssnssubscriptions"

	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const fiveMinutes = 5 * time.Minute

// alarm goes off when its metric is above the threshold in each of periods consecutive
// periods.
type alarm struct {
	name      string
	metric    awscloudwatch.IMetric
	threshold float64
	periods   int
	meaning   string // what has happened and what to do first
}

// addAlarms creates the alarms of the metric catalogue, then those on AWS's own metrics.
func (s *stack) addAlarms() {
	actions := s.alarmActions()
	for _, a := range append(s.catalogueAlarms(), s.serviceAlarms()...) {
		created := withLogicalID(awscloudwatch.NewAlarm(s.Stack, new(a.name+"Alarm"), &awscloudwatch.AlarmProps{
			AlarmName:          s.name(a.name),
			AlarmDescription:   &a.meaning,
			Metric:             a.metric,
			Threshold:          &a.threshold,
			EvaluationPeriods:  new(float64(a.periods)),
			ComparisonOperator: awscloudwatch.ComparisonOperator_GREATER_THAN_THRESHOLD,
			TreatMissingData:   awscloudwatch.TreatMissingData_NOT_BREACHING,
		}), a.name+"Alarm")
		if len(actions) > 0 {
			created.AddAlarmAction(actions...)
		}
		s.alarms = append(s.alarms, created)
	}
}

// alarmActions returns what an alarm does when it goes off: it publishes to the stage's own
// topic, which sends mail, and to the topic that the configuration names.
func (s *stack) alarmActions() (actions []awscloudwatch.IAlarmAction) {
	if s.stage.AlarmMail != "" {
		s.topic = withLogicalID(awssns.NewTopic(s.Stack, new("AlarmTopic"), &awssns.TopicProps{EnforceSSL: new(true), MasterKey: s.key}), "AlarmTopic")
		s.topic.AddSubscription(awssnssubscriptions.NewEmailSubscription(&s.stage.AlarmMail, nil))
		actions = append(actions, awscloudwatchactions.NewSnsAction(s.topic))
	}
	if s.stage.AlarmTopic != "" {
		configured := awssns.Topic_FromTopicArn(s.Stack, new("ConfiguredAlarmTopic"), &s.stage.AlarmTopic)
		actions = append(actions, awscloudwatchactions.NewSnsAction(configured))
	}
	return actions
}

// catalogueMetric is a metric of the catalogue, as one function publishes it.
func (s *stack) catalogueMetric(d telemetry.Definition, function string, statistic telemetry.Statistic, period time.Duration) awscloudwatch.Metric {
	return newMetric(telemetry.DefaultNamespace, d.Name, string(statistic), period, map[string]*string{telemetry.DimensionFunction: s.name(function)})
}

func newMetric(namespace, name, statistic string, period time.Duration, dimensions map[string]*string) awscloudwatch.Metric {
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace: &namespace, MetricName: &name, Statistic: &statistic, Period: cdkDuration(period), DimensionsMap: &dimensions,
	})
}

// catalogueAlarms returns the alarms that the metric catalogue declares, one for each function
// that publishes the metric, and the alarm on the share of rejected observations.
func (s *stack) catalogueAlarms() (all []alarm) {
	for _, d := range telemetry.Catalogue() {
		if d.Alarm == nil {
			continue
		}
		for _, function := range d.Metric.Publishers() {
			all = append(all, alarm{
				name:      capitalize(function) + d.Name,
				metric:    s.catalogueMetric(d, function, d.Alarm.Statistic, d.Alarm.Period),
				threshold: d.Alarm.Threshold,
				periods:   d.Alarm.Periods,
				meaning:   d.Alarm.Meaning,
			})
		}
	}
	return append(all, alarm{"IngestRejectedShare", s.rejectedShare(), 0.05, 3,
		"More than one observation in twenty is rejected: a sender's format has changed or its clock is wrong. Read the errors in quarantine or in the sender's responses."})
}

// rejectedShare is the share of observations that failed validation; 0 while there are 100
// observations or fewer in the period.
func (s *stack) rejectedShare() awscloudwatch.IMetric {
	used := map[string]awscloudwatch.IMetric{}
	for i, m := range []telemetry.Metric{
		telemetry.ObservationsRejected, telemetry.ObservationsApplied, telemetry.ObservationsLate,
		telemetry.ObservationsStale, telemetry.ObservationsDuplicate, telemetry.ObservationsCollision,
		telemetry.ObservationsConflict, telemetry.ObservationsGone,
	} {
		d, _ := m.Definition()
		used[fmt.Sprintf("m%d", i)] = s.catalogueMetric(d, ingest, telemetry.Sum, fiveMinutes)
	}
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		// SUM over a list skips metrics without data; + would not.
		Expression:   new("IF(SUM(METRICS()) > 100, m0 / SUM(METRICS()), 0)"),
		UsingMetrics: &used, Period: cdkDuration(fiveMinutes), Label: new("share of rejected observations"),
	})
}

// maxIteratorAge is how far aggregate may be behind the table stream, as Lambda measures it.
const maxIteratorAge = 10 * time.Minute

// serviceAlarms returns the alarms on the metrics of the AWS services.
func (s *stack) serviceAlarms() []alarm {
	lambda := func(function, name, statistic string) awscloudwatch.Metric {
		return newMetric("AWS/Lambda", name, statistic, fiveMinutes, map[string]*string{"FunctionName": s.functions[function].FunctionName()})
	}
	mapping := func(of awslambda.CfnEventSourceMapping, name string) awscloudwatch.Metric {
		return newMetric("AWS/Lambda", name, "Sum", fiveMinutes, map[string]*string{"EventSourceMappingUUID": of.Ref()})
	}
	table := func(name string) awscloudwatch.Metric {
		return newMetric("AWS/DynamoDB", name, "Sum", fiveMinutes, map[string]*string{"TableName": s.table.TableName()})
	}
	depth := func(queue *string) awscloudwatch.Metric {
		return newMetric("AWS/SQS", "ApproximateNumberOfMessagesVisible", "Maximum", fiveMinutes, map[string]*string{"QueueName": queue})
	}
	all := []alarm{
		{"OnFailureDepth", depth(s.onFailure.QueueName()), 0, 1, s.onFailureMeaning()},
		{"MappingDropped", mapping(s.mapping, "DroppedEventCount"), 0, 1,
			"Lambda dropped batches of the table stream and could not record their range: rebuild everything since the last healthy hour."},
		{"PurgeMappingDropped", mapping(s.purgeMapping, "DroppedEventCount"), 0, 1,
			"Lambda dropped records of expired tombstones before purge processed them: the versions and unique values of those subjects stay until the subject is created again or purged."},
		{"UndeliveredDepth", depth(s.undelivered.QueueName()), 0, 1,
			"Observations were not processed by ingest: read them in the undelivered queue, fix the cause shown in ingest's errors, and send them again. An observation that was stored already is not stored twice."},
		{"AggregateIteratorAge", lambda(aggregate, "IteratorAge", "Maximum"), float64(maxIteratorAge.Milliseconds()), 3,
			"Rollups are more than ten minutes behind the table stream, which keeps records for 24 hours: see aggregate's errors and throttles."},
		{"IngestUndelivered", lambda(ingest, "AsyncEventsDropped", "Sum"), 0, 1,
			"Lambda stopped retrying messages to ingest: they are in the undelivered queue."},
		{"Api5xx", newMetric("AWS/ApiGateway", "5xx", "Sum", fiveMinutes, map[string]*string{"ApiId": s.api.Ref()}), 0, 3,
			"Callers receive server errors: see the errors of ingest, query and manage, and the table's throttles."},
		{"TableReadThrottles", table("ReadThrottleEvents"), 0, 3,
			"The read capacity of the table or of one partition is exhausted: raise it, or spread the hot kind over shards."},
		{"TableWriteThrottles", table("WriteThrottleEvents"), 0, 3,
			"The write capacity of the table or of one partition is exhausted: raise it, or spread the hot kind over shards."},
		{"TableConflicts", table("TransactionConflict"), 100, 3,
			"Many transactions conflict on the same latest item: several senders write one series. Batch their observations, or give each sender its own stream."},
	}
	for _, f := range functions {
		all = append(all,
			alarm{f.id + "Errors", lambda(f.name, "Errors", "Sum"), 0, 3, "Invocations of " + f.name + " fail: read its log."},
			alarm{f.id + "Throttled", lambda(f.name, "Throttles", "Sum"), 0, 3,
				"Lambda has no free concurrency for " + f.name + ": raise the account's limit, or reserve concurrency for the function."})
	}
	return all
}

// onFailureMeaning describes the alarm on the on-failure queue, with the deadlines for the repair.
func (s *stack) onFailureMeaning() string {
	raw := s.settings.Retention.Raw
	for i := range s.kinds.Kinds {
		if r := s.kinds.Kinds[i].Retention.Raw; raw == tier.Forever || r != tier.Forever && r < raw {
			raw = r
		}
	}
	later := "run tidemark rebuild at any time, since raw events never expire"
	if raw != tier.Forever {
		later = fmt.Sprintf("rebuild the range before its raw events expire, %d days after they were written; after that its buckets can only be marked exact: false", raw/tier.Day24)
	}
	return "Lambda stopped retrying batches of the table stream: rollups miss their changes, or data of expired tombstones was not removed. Within 24 hours run tidemark redrive, which reads the batches from the table stream again. After that, " + later + "."
}
