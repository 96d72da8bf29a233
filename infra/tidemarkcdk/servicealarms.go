package tidemarkcdk

import (
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// serviceAlarms returns the alarms on the metrics of the AWS services that the stage uses.
func (s *Tidemark) serviceAlarms() []alarm {
	return slices.Concat(s.streamAlarms(), s.sourceAlarms(), s.tableAlarms(), s.apiAlarms(), s.functionAlarms(),
		s.deliveryAlarms())
}

// streamAlarms are about the way of a change from the table stream to the rollups.
func (s *Tidemark) streamAlarms() []alarm {
	return []alarm{
		{
			name:      alarmIngestRejectedShare,
			metric:    s.rejectedShare(),
			threshold: 0.05,
			pace:      lasting,
			meaning: "More than one observation in twenty is rejected: a sender's format has changed or its clock " +
				"is wrong. Read the errors in quarantine or in the sender's responses.",
		},
		{
			name:    alarmOnFailureDepth,
			metric:  depth(s.OnFailure),
			pace:    atOnce,
			meaning: s.onFailureMeaning(),
		},
		{
			name:   alarmMappingDropped,
			metric: mappingMetric(s.mapping, "DroppedEventCount", 5*time.Minute),
			pace:   atOnce,
			meaning: "Lambda dropped batches of the table stream and could not record their range: " +
				"rebuild everything since the last healthy hour.",
		},
		{
			name:   alarmPurgeMappingDropped,
			metric: mappingMetric(s.purgeMapping, "DroppedEventCount", 5*time.Minute),
			pace:   atOnce,
			meaning: "Lambda dropped records of expired tombstones before purge processed them: the versions and " +
				"unique values of those subjects stay until the subject is created again or purged.",
		},
		{
			name: alarmPurgeMappingStopped,
			metric: expression("IF(polled > 0, 0, 1)", "minutes without records", time.Minute, metrics{
				"polled": mappingMetric(s.purgeMapping, "PolledEventCount", time.Minute)}),
			pace: silent,
			meaning: "Purge's mapping reads no records of the table stream: see the state of the mapping and the " +
				"privileges of purge. Remains of expired tombstones stay meanwhile.",
		},
		{
			name:      alarmAggregateIteratorAge,
			metric:    s.functionMetric(aggregate, "IteratorAge", telemetry.Maximum, 5*time.Minute),
			threshold: milliseconds(10 * time.Minute),
			pace:      lasting,
			meaning: "Rollups are more than ten minutes behind the table stream, which keeps records for 24 hours: " +
				"see aggregate's errors and throttles.",
		},
	}
}

// unprocessed is the meaning of an alarm on the age of what waits for ingest.
const unprocessed = "Observations wait for more than five minutes before ingest processes them: " +
	"see ingest's errors, throttles and concurrency."

// sourceAlarms are about observations on their way to ingest. A source has its own if the stage has it.
func (s *Tidemark) sourceAlarms() []alarm {
	const patience = 5 * time.Minute
	all := []alarm{
		{
			name:   alarmUndeliveredDepth,
			metric: depth(s.Undelivered),
			pace:   atOnce,
			meaning: "Observations were not processed by ingest: read them in the undelivered queue, fix the cause " +
				"shown in ingest's errors, and send them again. An observation that was stored already is not " +
				"stored twice.",
		},
		{
			name:    alarmIngestUndelivered,
			metric:  s.functionMetric(ingest, "AsyncEventsDropped", telemetry.Sum, 5*time.Minute),
			pace:    atOnce,
			meaning: "Lambda stopped retrying messages to ingest: they are in the undelivered queue.",
		},
		{
			name:      alarmIngestAsyncAge,
			metric:    s.functionMetric(ingest, "AsyncEventAge", telemetry.Maximum, time.Minute),
			threshold: milliseconds(patience),
			pace:      atOnce,
			meaning:   unprocessed,
		},
	}
	if s.Inbox != nil {
		all = append(all, alarm{
			name:      alarmInboxAge,
			metric:    queueMetric(s.Inbox, "ApproximateAgeOfOldestMessage"),
			threshold: patience.Seconds(),
			pace:      atOnce,
			meaning:   unprocessed,
		})
	}
	if s.Inlet != nil {
		all = append(all, alarm{
			name: alarmInletAge,
			metric: newMetric("AWS/Kinesis", "GetRecords.IteratorAgeMilliseconds", string(telemetry.Maximum),
				time.Minute,
				map[string]*string{"StreamName": s.Inlet.StreamName()}),
			threshold: milliseconds(patience),
			pace:      atOnce,
			meaning:   unprocessed,
		})
	}
	return all
}

// tableAlarms are about the capacity of the table and its indexes.
func (s *Tidemark) tableAlarms() []alarm {
	return []alarm{
		{
			name:   alarmTableReadThrottles,
			metric: s.tableThrottles("ReadThrottleEvents"),
			pace:   repeated,
			meaning: "The read capacity of the table, an index or one partition is exhausted: " +
				"raise it, or spread the hot kind over shards.",
		},
		{
			name:   alarmTableWriteThrottles,
			metric: s.tableThrottles("WriteThrottleEvents"),
			pace:   repeated,
			meaning: "The write capacity of the table, an index or one partition is exhausted: " +
				"raise it, or spread the hot kind over shards.",
		},
		{
			name: alarmTableConflicts,
			metric: newMetric("AWS/DynamoDB", "TransactionConflict", string(telemetry.Sum), 5*time.Minute,
				map[string]*string{"TableName": s.Table.TableName()}),
			threshold: 100,
			pace:      lasting,
			meaning: "Many transactions conflict on the same latest item: several senders write one series. " +
				"Batch their observations, or give each sender its own stream.",
		},
	}
}

// apiAlarms are about the callers of the HTTP API.
func (s *Tidemark) apiAlarms() []alarm {
	return []alarm{
		{
			name:   alarmApi5xx,
			metric: s.apiMetric("5xx", "Sum", time.Minute),
			pace:   repeated,
			meaning: "Callers receive server errors: see the errors of ingest, query and manage, and the table's " +
				"throttles.",
		},
		{
			name: alarmApi4xxShare,
			metric: expression("IF(requests > 50, rejected / requests, 0)", "share of rejected requests",
				5*time.Minute,
				metrics{
					"requests": s.apiMetric("Count", "Sum", 5*time.Minute),
					"rejected": s.apiMetric("4xx", "Sum", 5*time.Minute),
				}),
			threshold: 0.25,
			pace:      lasting,
			meaning: "A quarter of all requests is rejected: a caller's credentials, token or payload " +
				"changed, or the throttle of the stage is too low. " +
				"The access log names route, status and caller.",
		},
		{
			name:      alarmApiLatency,
			metric:    s.apiMetric("Latency", "p95", 5*time.Minute),
			threshold: milliseconds(3 * time.Second),
			pace:      lasting,
			meaning: "One response in twenty takes more than three seconds: see the durations of ingest and query, " +
				"their memory, and the table's throttles.",
		},
	}
}

// rejectedShare is the share of rejected observations among all whose outcome is known. Under a hundred
// observations say nothing about a sender.
func (s *Tidemark) rejectedShare() awscloudwatch.IMetric {
	const period = 5 * time.Minute
	used := metrics{}
	others := slices.DeleteFunc(telemetry.Decided(), func(m telemetry.Metric) bool {
		return m == telemetry.ObservationsRejected
	})
	for i, m := range append([]telemetry.Metric{telemetry.ObservationsRejected}, others...) {
		used[fmt.Sprintf("m%d", i)] = s.catalogueMetric(m, ingest, telemetry.Sum, period)
	}
	return expression("IF(SUM(METRICS()) > 100, m0 / SUM(METRICS()), 0)", "share of rejected observations",
		period, used)
}

// tableThrottles is the sum of a metric over the table and its indexes.
func (s *Tidemark) tableThrottles(name string) awscloudwatch.IMetric {
	used := metrics{}
	for i, m := range s.capacityMetrics(name, time.Minute) {
		used[fmt.Sprintf("m%d", i)] = m
	}
	return expression("SUM(METRICS())", name+" of the table and its indexes", time.Minute, used)
}

// capacityMetrics returns a metric of the table and of each index.
func (s *Tidemark) capacityMetrics(name string, period time.Duration) []awscloudwatch.IMetric {
	table := s.Table.TableName()
	all := []awscloudwatch.IMetric{
		newMetric("AWS/DynamoDB", name, string(telemetry.Sum), period, map[string]*string{"TableName": table}),
	}
	for _, index := range []string{keys.IndexGSI1, keys.IndexGSI2} {
		all = append(all, newMetric("AWS/DynamoDB", name, string(telemetry.Sum), period,
			map[string]*string{"TableName": table, "GlobalSecondaryIndexName": &index}))
	}
	return all
}

// metrics are the metrics of an expression, by the names it has for them.
type metrics = map[string]awscloudwatch.IMetric

func expression(text, label string, period time.Duration, used metrics) awscloudwatch.IMetric {
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Expression: &text, UsingMetrics: &used, Period: cdkDuration(period), Label: &label})
}

func (s *Tidemark) apiMetric(name, statistic string, period time.Duration) awscloudwatch.IMetric {
	return newMetric("AWS/ApiGateway", name, statistic, period, map[string]*string{"ApiId": s.API.ApiId()})
}

func (s *Tidemark) functionMetric(
	function, name string, statistic telemetry.Statistic, period time.Duration,
) awscloudwatch.IMetric {
	return newMetric("AWS/Lambda", name, string(statistic), period,
		map[string]*string{"FunctionName": s.Functions[function].FunctionName()})
}

func mappingMetric(mapping awslambda.CfnEventSourceMapping, name string,
	period time.Duration) awscloudwatch.IMetric {
	return newMetric("AWS/Lambda", name, string(telemetry.Sum), period,
		map[string]*string{"EventSourceMappingUUID": mapping.Ref()})
}

// depth is the number of messages in a queue that should be empty.
func depth(queue awssqs.Queue) awscloudwatch.IMetric {
	return queueMetric(queue, "ApproximateNumberOfMessagesVisible")
}

func queueMetric(queue awssqs.IQueue, name string) awscloudwatch.IMetric {
	return newMetric("AWS/SQS", name, string(telemetry.Maximum), time.Minute,
		map[string]*string{"QueueName": queue.QueueName()})
}

func milliseconds(d time.Duration) float64 { return float64(d.Milliseconds()) }
