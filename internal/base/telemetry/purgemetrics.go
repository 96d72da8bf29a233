package telemetry

import "time"

// The metrics of purges.
const (
	GenerationsEnded Metric = "GenerationsEnded"
	PurgesDone       Metric = "PurgesDone"
	ItemsErased      Metric = "ItemsErased"
	OldestDue        Metric = "OldestDue"
	StepFailures     Metric = "StepFailures"
)

var purgeMetrics = []Definition{
	{
		Metric: GenerationsEnded, Unit: Count, Publishers: []string{purge},
		Sentence: "Deleted subjects that expired and whose versions and unique values were removed.",
	},
	{
		Metric: PurgesDone, Unit: Count, Publishers: []string{purge},
		Sentence: "Purges that were completed.",
	},
	{
		Metric: ItemsErased, Unit: Count, Publishers: []string{purge},
		Sentence: "Items removed by completed purges.",
	},
	{
		Metric: OldestDue, Unit: Seconds, Publishers: []string{purge},
		Sentence: "How long the oldest unfinished purge has been due.",
		Alarm: &Alarm{
			Statistic: Maximum, Threshold: 21600, Period: 5 * time.Minute, Periods: 3, Within: 3,
			Meaning: "A purge does not finish: read the cause in purge's log. It is resumed every minute at " +
				"the step it reached.",
		},
	},
	{
		Metric: StepFailures, Unit: Count, Publishers: []string{purge},
		Sentence: "Invocations of purge, steps of a purge and cleanups after an expiry that failed and will " +
			"be retried.",
		Alarm: &Alarm{
			Statistic: Sum, Threshold: 0, Period: time.Minute, Periods: 5, Within: 60,
			Meaning: "Purge keeps failing: read the cause in its log, and see the table's Throttles.",
		},
	},
}
