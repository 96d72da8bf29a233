package tidemarkcdk

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"

	"github.com/tidemark-db/tidemark/pkg/keys"
)

// maxIteratorAge is how far aggregate may be behind the table stream, as Lambda measures it.
const maxIteratorAge = 10 * time.Minute

// maxSourceAge is how long an observation may wait in a queue, a data stream or Lambda's own
// queue before ingest processes it.
const maxSourceAge = 5 * time.Minute

// serviceAlarms returns the alarms on the metrics of the AWS services.
func (s *Tidemark) serviceAlarms() []alarm {
	all := append(s.deliveryAlarms(), s.sourceAlarms()...)
	all = append(all, s.tableAlarms()...)
	all = append(append(all, s.apiAlarms()...), s.functionAlarms()...)
	return append(all, s.alertAlarms()...)
}

func (s *Tidemark) lambdaMetric(function, name, statistic string, period time.Duration) awscloudwatch.Metric {
	return newMetric("AWS/Lambda", name, statistic, period, map[string]*string{"FunctionName": s.Functions[function].FunctionName()})
}

func mappingMetric(of awslambda.CfnEventSourceMapping, name string, period time.Duration) awscloudwatch.Metric {
	return newMetric("AWS/Lambda", name, "Sum", period, map[string]*string{"EventSourceMappingUUID": of.Ref()})
}

func queueMetric(name *string, metric string) awscloudwatch.Metric {
	return newMetric("AWS/SQS", metric, "Maximum", time.Minute, map[string]*string{"QueueName": name})
}

const queueDepth = "ApproximateNumberOfMessagesVisible"

// deliveryAlarms watch the way from the table stream to aggregate and purge.
func (s *Tidemark) deliveryAlarms() []alarm {
	// A heartbeat is in the table stream every minute. Both mappings read it, although purge's
	// filter drops it.
	unread := awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Expression:   new("IF(polled > 0, 0, 1)"),
		UsingMetrics: &map[string]awscloudwatch.IMetric{"polled": mappingMetric(s.purgeMapping, "PolledEventCount", time.Minute)},
		Period:       cdkDuration(time.Minute), Label: new("minutes without records"),
	})
	return []alarm{
		{"OnFailureDepth", queueMetric(s.OnFailure.QueueName(), queueDepth), 0, atOnce, s.onFailureMeaning()},
		{"MappingDropped", mappingMetric(s.mapping, "DroppedEventCount", fiveMinutes), 0, atOnce,
			"Lambda dropped batches of the table stream and could not record their range: rebuild everything since the last healthy hour."},
		{"PurgeMappingDropped", mappingMetric(s.purgeMapping, "DroppedEventCount", fiveMinutes), 0, atOnce,
			"Lambda dropped records of expired tombstones before purge processed them: the versions and unique values of those subjects stay until the subject is created again or purged."},
		{"PurgeMappingStopped", unread, 0, silent,
			"Purge's mapping reads no records of the table stream: see the state of the mapping and the privileges of purge. Remains of expired tombstones stay meanwhile."},
		{"AggregateIteratorAge", s.lambdaMetric(aggregate, "IteratorAge", "Maximum", fiveMinutes), float64(maxIteratorAge.Milliseconds()), lasting,
			"Rollups are more than ten minutes behind the table stream, which keeps records for 24 hours: see aggregate's errors and throttles."},
	}
}

// sourceAlarms watch the ways from senders to ingest.
func (s *Tidemark) sourceAlarms() []alarm {
	age := float64(maxSourceAge.Milliseconds())
	const late = "Observations wait for more than five minutes before ingest processes them: see ingest's errors, throttles and concurrency."
	all := []alarm{
		{"UndeliveredDepth", queueMetric(s.Undelivered.QueueName(), queueDepth), 0, atOnce,
			"Observations were not processed by ingest: read them in the undelivered queue, fix the cause shown in ingest's errors, and send them again. An observation that was stored already is not stored twice."},
		{"IngestUndelivered", s.lambdaMetric(ingest, "AsyncEventsDropped", "Sum", fiveMinutes), 0, atOnce,
			"Lambda stopped retrying messages to ingest: they are in the undelivered queue."},
		{"IngestAsyncAge", s.lambdaMetric(ingest, "AsyncEventAge", "Maximum", time.Minute), age, atOnce, late},
	}
	if s.Inbox != nil {
		all = append(all, alarm{"InboxAge", queueMetric(s.Inbox.QueueName(), "ApproximateAgeOfOldestMessage"), maxSourceAge.Seconds(), atOnce, late})
	}
	if s.Inlet != nil {
		all = append(all, alarm{"InletAge", newMetric("AWS/Kinesis", "GetRecords.IteratorAgeMilliseconds", "Maximum", time.Minute,
			map[string]*string{"StreamName": s.Inlet.StreamName()}), age, atOnce, late})
	}
	return all
}

// tableAlarms watch the capacity of the table and of its indexes. The metrics of a table do not
// include those of its indexes, and an index that is throttled throttles the table's writes.
func (s *Tidemark) tableAlarms() []alarm {
	total := func(name string) awscloudwatch.IMetric {
		used := map[string]awscloudwatch.IMetric{}
		for i, m := range s.capacityMetrics(name, time.Minute) {
			used[fmt.Sprintf("m%d", i)] = m
		}
		return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
			Expression: new("SUM(METRICS())"), UsingMetrics: &used, Period: cdkDuration(time.Minute), Label: new(name + " of the table and its indexes"),
		})
	}
	return []alarm{
		{"TableReadThrottles", total("ReadThrottleEvents"), 0, repeated,
			"The read capacity of the table, an index or one partition is exhausted: raise it, or spread the hot kind over shards."},
		{"TableWriteThrottles", total("WriteThrottleEvents"), 0, repeated,
			"The write capacity of the table, an index or one partition is exhausted: raise it, or spread the hot kind over shards."},
		{"TableConflicts", newMetric("AWS/DynamoDB", "TransactionConflict", "Sum", fiveMinutes, map[string]*string{"TableName": s.Table.TableName()}), 100, lasting,
			"Many transactions conflict on the same latest item: several senders write one series. Batch their observations, or give each sender its own stream."},
	}
}

// capacityMetrics returns a metric of the table and of each index.
func (s *Tidemark) capacityMetrics(name string, period time.Duration) []awscloudwatch.IMetric {
	all := []awscloudwatch.IMetric{newMetric("AWS/DynamoDB", name, "Sum", period, map[string]*string{"TableName": s.Table.TableName()})}
	for _, index := range []string{keys.IndexGSI1, keys.IndexGSI2} {
		all = append(all, newMetric("AWS/DynamoDB", name, "Sum", period, map[string]*string{"TableName": s.Table.TableName(), "GlobalSecondaryIndexName": &index}))
	}
	return all
}

// maxLatency is the 95th percentile of a response that a person still waits for, in
// milliseconds.
const maxLatency = 3000

func (s *Tidemark) apiMetric(name, statistic string, period time.Duration) awscloudwatch.Metric {
	return newMetric("AWS/ApiGateway", name, statistic, period, map[string]*string{"ApiId": s.API.Ref()})
}

// apiAlarms watch what callers of the HTTP API receive.
func (s *Tidemark) apiAlarms() []alarm {
	share := awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Expression: new("IF(requests > 50, rejected / requests, 0)"),
		UsingMetrics: &map[string]awscloudwatch.IMetric{
			"requests": s.apiMetric("Count", "Sum", fiveMinutes), "rejected": s.apiMetric("4xx", "Sum", fiveMinutes),
		},
		Period: cdkDuration(fiveMinutes), Label: new("share of rejected requests"),
	})
	return []alarm{
		{"Api5xx", s.apiMetric("5xx", "Sum", time.Minute), 0, repeated,
			"Callers receive server errors: see the errors of ingest, query and manage, and the table's throttles."},
		{"Api4xxShare", share, 0.25, lasting,
			"A quarter of all requests is rejected: a caller's credentials, token or payload changed, or the throttle of the stage is too low. The access log names route, status and caller."},
		{"ApiLatency", s.apiMetric("Latency", "p95", fiveMinutes), maxLatency, lasting,
			"One response in twenty takes more than three seconds: see the durations of ingest and query, their memory, and the table's throttles."},
	}
}

// functionAlarms watch each function, and the concurrency that all functions of the account
// share.
func (s *Tidemark) functionAlarms() []alarm {
	concurrency := awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Expression: new("100 * used / SERVICE_QUOTA(used)"),
		UsingMetrics: &map[string]awscloudwatch.IMetric{"used": newMetric("AWS/Usage", "ResourceCount", "Maximum", time.Minute, map[string]*string{
			"Service": new("Lambda"), "Type": new("Resource"), "Resource": new("ConcurrentExecutions"), "Class": new("None"),
		})},
		Period: cdkDuration(time.Minute), Label: new("percent of the account's concurrency"),
	})
	all := []alarm{
		{"LambdaConcurrency", concurrency, 80, lasting,
			"Four fifths of the account's Lambda concurrency are in use, by any function: reserve concurrency for this stage, or raise the quota."},
		{"PurgeSilent", awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
			Expression:   new("IF(invoked > 0, 0, 1)"),
			UsingMetrics: &map[string]awscloudwatch.IMetric{"invoked": s.lambdaMetric(purge, "Invocations", "Sum", time.Minute)},
			Period:       cdkDuration(time.Minute), Label: new("minutes without an invocation"),
		}), 0, silent, "Purge's schedule does not run: see the state and the permission of its rule. Purges wait meanwhile."},
	}
	for _, f := range s.deployed() {
		all = append(all,
			alarm{f.id + "Errors", s.lambdaMetric(f.name, "Errors", "Sum", time.Minute), 0, repeated, "Invocations of " + f.name + " fail: read its log."},
			alarm{f.id + "Throttled", s.lambdaMetric(f.name, "Throttles", "Sum", time.Minute), 0, repeated,
				"Lambda has no free concurrency for " + f.name + ": raise the account's limit, or reserve concurrency for the function."})
		if timeout := f.settings(&s.settings.Functions).Timeout; f.name != purge { // a purge uses all the time there is
			all = append(all, alarm{f.id + "Duration", s.lambdaMetric(f.name, "Duration", "Maximum", fiveMinutes), 0.9 * float64(timeout.Milliseconds()), lasting,
				fmt.Sprintf("Invocations of %s take nine tenths of their timeout of %s: raise its memory or timeout, and see the table's throttles.", f.name, timeout)})
		}
	}
	return all
}
