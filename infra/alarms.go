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

// alarm goes off when its metric is above the threshold for some periods in a row.
type alarm struct {
	name      string
	metric    awscloudwatch.IMetric
	threshold float64
	periods   int
	meaning   string // what has happened and what to do first
}

// addAlarms makes the alarms of the metric catalogue, then those on AWS's own metrics.
func (s *stack) addAlarms() {
	tell := s.told()
	for _, a := range append(s.catalogueAlarms(), s.serviceAlarms()...) {
		made := called(awscloudwatch.NewAlarm(s.Stack, new(a.name+"Alarm"), &awscloudwatch.AlarmProps{
			AlarmName:          s.name(a.name),
			AlarmDescription:   &a.meaning,
			Metric:             a.metric,
			Threshold:          &a.threshold,
			EvaluationPeriods:  new(float64(a.periods)),
			ComparisonOperator: awscloudwatch.ComparisonOperator_GREATER_THAN_THRESHOLD,
			TreatMissingData:   awscloudwatch.TreatMissingData_NOT_BREACHING,
		}), a.name+"Alarm")
		if len(tell) > 0 {
			made.AddAlarmAction(tell...)
		}
		s.alarms = append(s.alarms, made)
	}
}

// told are those who hear of an alarm.
func (s *stack) told() (tell []awscloudwatch.IAlarmAction) {
	if s.stage.AlarmMail != "" {
		s.topic = called(awssns.NewTopic(s.Stack, new("AlarmTopic"), &awssns.TopicProps{EnforceSSL: new(true), MasterKey: s.key}), "AlarmTopic")
		s.topic.AddSubscription(awssnssubscriptions.NewEmailSubscription(&s.stage.AlarmMail, nil))
		tell = append(tell, awscloudwatchactions.NewSnsAction(s.topic))
	}
	if s.stage.AlarmTopic != "" {
		theirs := awssns.Topic_FromTopicArn(s.Stack, new("TheirTopic"), &s.stage.AlarmTopic)
		tell = append(tell, awscloudwatchactions.NewSnsAction(theirs))
	}
	return tell
}

// published is a metric of ours, as one function publishes it.
func (s *stack) published(d telemetry.Definition, function string, statistic telemetry.Statistic, period time.Duration) awscloudwatch.Metric {
	return measured(telemetry.DefaultNamespace, d.Name, string(statistic), period, map[string]*string{telemetry.DimensionFunction: s.name(function)})
}

func measured(namespace, name, statistic string, period time.Duration, dimensions map[string]*string) awscloudwatch.Metric {
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace: &namespace, MetricName: &name, Statistic: &statistic, Period: lasting(period), DimensionsMap: &dimensions,
	})
}

// catalogueAlarms are those that the metric catalogue declares, one for each function
// that publishes the metric, and the share of what is rejected.
func (s *stack) catalogueAlarms() (all []alarm) {
	for _, d := range telemetry.Catalogue() {
		if d.Alarm == nil {
			continue
		}
		for _, function := range d.Metric.Publishers() {
			all = append(all, alarm{
				name:      capital(function) + d.Name,
				metric:    s.published(d, function, d.Alarm.Statistic, d.Alarm.Period),
				threshold: d.Alarm.Threshold,
				periods:   d.Alarm.Periods,
				meaning:   d.Alarm.Meaning,
			})
		}
	}
	return append(all, alarm{"IngestRejectedShare", s.rejectedShare(), 0.05, 3,
		"More than one observation in twenty is rejected: a sender's format has changed or its clock is wrong. Read the errors in quarantine or in its answers."})
}

// rejectedShare is the part of all observations that failed admission, where there
// were enough of them to speak of a share.
func (s *stack) rejectedShare() awscloudwatch.IMetric {
	used := map[string]awscloudwatch.IMetric{}
	for i, m := range []telemetry.Metric{
		telemetry.ObservationsRejected, telemetry.ObservationsApplied, telemetry.ObservationsLate,
		telemetry.ObservationsStale, telemetry.ObservationsDuplicate, telemetry.ObservationsCollision,
		telemetry.ObservationsConflict, telemetry.ObservationsGone,
	} {
		d, _ := m.Definition()
		used[fmt.Sprintf("m%d", i)] = s.published(d, ingest, telemetry.Sum, fiveMinutes)
	}
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		// A sum over a list leaves out what published nothing, where + would not.
		Expression:   new("IF(SUM(METRICS()) > 100, m0 / SUM(METRICS()), 0)"),
		UsingMetrics: &used, Period: lasting(fiveMinutes), Label: new("rejected of all"),
	})
}

// ageSlack is how far aggregate may lag behind the table stream, by Lambda's count.
const ageSlack = 10 * time.Minute

// serviceAlarms are those on the metrics of the services that everything runs on.
func (s *stack) serviceAlarms() []alarm {
	lambda := func(function, name, statistic string) awscloudwatch.Metric {
		return measured("AWS/Lambda", name, statistic, fiveMinutes, map[string]*string{"FunctionName": s.functions[function].FunctionName()})
	}
	mapping := func(of awslambda.CfnEventSourceMapping, name string) awscloudwatch.Metric {
		return measured("AWS/Lambda", name, "Sum", fiveMinutes, map[string]*string{"EventSourceMappingUUID": of.Ref()})
	}
	table := func(name string) awscloudwatch.Metric {
		return measured("AWS/DynamoDB", name, "Sum", fiveMinutes, map[string]*string{"TableName": s.table.TableName()})
	}
	depth := func(queue *string) awscloudwatch.Metric {
		return measured("AWS/SQS", "ApproximateNumberOfMessagesVisible", "Maximum", fiveMinutes, map[string]*string{"QueueName": queue})
	}
	all := []alarm{
		{"OnFailureDepth", depth(s.onFailure.QueueName()), 0, 1, s.givenUpMeaning()},
		{"MappingDropped", mapping(s.mapping, "DroppedEventCount"), 0, 1,
			"Lambda dropped batches without keeping their range: rebuild the time since the last healthy hour."},
		{"PurgeMappingDropped", mapping(s.purgeMapping, "DroppedEventCount"), 0, 1,
			"Lambda gave up telling purge of tombstones that expired: their versions and unique values stay until their subjects are created or purged."},
		{"UndeliveredDepth", depth(s.undelivered.QueueName()), 0, 1,
			"Observations reached no ingest: read them in the undelivered queue, see ingest's errors, and send them again; what was stored is not stored twice."},
		{"AggregateIteratorAge", lambda(aggregate, "IteratorAge", "Maximum"), float64(ageSlack.Milliseconds()), 3,
			"Rollups are more than ten minutes behind the table stream, which forgets after 24 hours: see aggregate's errors and throttles."},
		{"IngestUndelivered", lambda(ingest, "AsyncEventsDropped", "Sum"), 0, 1,
			"Lambda gave up handing messages to ingest: they are in the undelivered queue."},
		{"Api5xx", measured("AWS/ApiGateway", "5xx", "Sum", fiveMinutes, map[string]*string{"ApiId": s.api.Ref()}), 0, 3,
			"Callers are answered with server errors: see the errors of ingest, query and purge, and the table's throttles."},
		{"TableReadThrottles", table("ReadThrottleEvents"), 0, 3,
			"The table or one partition of it has no read capacity left: raise it, or spread the hot kind over shards."},
		{"TableWriteThrottles", table("WriteThrottleEvents"), 0, 3,
			"The table or one partition of it has no write capacity left: raise it, or spread the hot kind over shards."},
		{"TableConflicts", table("TransactionConflict"), 100, 3,
			"Many transactions meet on the same current: several senders write one series; batch them, or give each a stream of its own."},
	}
	for _, f := range functions {
		all = append(all,
			alarm{f.id + "Errors", lambda(f.name, "Errors", "Sum"), 0, 3, "Invocations of " + f.name + " fail: read its log."},
			alarm{f.id + "Throttled", lambda(f.name, "Throttles", "Sum"), 0, 3,
				"Lambda has no room for " + f.name + ": raise the account's concurrency, or reserve some for it."})
	}
	return all
}

// givenUpMeaning names the deadlines of a range that was given up.
func (s *stack) givenUpMeaning() string {
	raw := s.settings.Ladder.Raw
	for i := range s.kinds.Kinds {
		if r := s.kinds.Kinds[i].Ladder.Raw; raw == tier.Forever || r != tier.Forever && r < raw {
			raw = r
		}
	}
	within := "there is no hurry, since raw events are kept for ever"
	if raw != tier.Forever {
		within = fmt.Sprintf("rebuild the range before its raw events expire, %d days after they were written; from then on its buckets can only be marked exact: false", raw/tier.Day24)
	}
	return "Batches of the table stream were given up: rollups miss them, or what expired tombstones left stays. Within 24 hours run tidemark redrive, which reads them again from the table stream; later, " + within + "."
}
