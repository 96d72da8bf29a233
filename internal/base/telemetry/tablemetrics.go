package telemetry

import "time"

// The metrics of requests to the table.
const (
	Retries    Metric = "Retries"
	Throttles  Metric = "Throttles"
	ReadUnits  Metric = "ReadUnits"
	WriteUnits Metric = "WriteUnits"
)

var tableMetrics = []Definition{
	{
		Metric: Retries, Unit: Count, Publishers: []string{ingest, aggregate},
		Sentence: "Requests to the table that were retried within an invocation.",
	},
	{
		Metric: Throttles, Unit: Count, Publishers: []string{ingest, aggregate},
		Sentence: "Requests that the table throttled.",
		Alarm: &Alarm{
			Statistic: Sum, Threshold: 100, Period: 5 * time.Minute, Periods: 3, Within: 3,
			Meaning: "The capacity of the table or of one partition is exhausted: raise it, or spread the hot " +
				"kind over shards.",
		},
	},
	{
		Metric: ReadUnits, Unit: Count, Publishers: []string{ingest, aggregate, manage, purge},
		Sentence: "Read capacity units consumed.",
	},
	{
		Metric: WriteUnits, Unit: Count, Publishers: []string{ingest, aggregate, manage, purge},
		Sentence: "Write capacity units consumed.",
	},
}
