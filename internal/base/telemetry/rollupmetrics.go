package telemetry

import "time"

// The metrics of the table stream, and of the rollups that are computed from it.
const (
	ChangesInserted   Metric = "ChangesInserted"
	ChangesCorrected  Metric = "ChangesCorrected"
	ChangesDeleted    Metric = "ChangesDeleted"
	ChangesExpired    Metric = "ChangesExpired"
	BatchFailures     Metric = "BatchFailures"
	Recomputations    Metric = "Recomputations"
	RowsWritten       Metric = "RowsWritten"
	RowsUnchanged     Metric = "RowsUnchanged"
	LostLocks         Metric = "LostLocks"
	SealedRowChanges  Metric = "SealedRowChanges"
	RowsInexact       Metric = "RowsInexact"
	RowsDiffering     Metric = "RowsDiffering"
	UnreadableEvents  Metric = "UnreadableEvents"
	OversizeRows      Metric = "OversizeRows"
	CrowdedBuckets    Metric = "CrowdedBuckets"
	StreamGaps        Metric = "StreamGaps"
	ProgressAge       Metric = "ProgressAge"
	SweepAge          Metric = "SweepAge"
	Invalidations     Metric = "Invalidations"
	BucketsSwept      Metric = "BucketsSwept"
	InvalidationsLeft Metric = "InvalidationsLeft"
	SweepDuration     Metric = "SweepDuration"
	SweepHandovers    Metric = "SweepHandovers"
	FailedHandovers   Metric = "FailedHandovers"
	LiveFolded        Metric = "LiveFolded"
	Lag               Metric = "Lag"
)

var rollupMetrics = []Definition{
	{
		Metric: ChangesInserted, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Table stream records of new events.",
	},
	{
		Metric: ChangesCorrected, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Table stream records of events that a user corrected in place.",
	},
	{
		Metric: ChangesDeleted, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Table stream records of events that a user deleted.",
	},
	{
		Metric: ChangesExpired, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Table stream records of TTL expiries that passed the filter; aggregate ignores them.",
	},
	{
		Metric: BatchFailures, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Table stream batches that were returned in part, to be delivered again.",
		Alarm: &Alarm{
			Statistic: Sum, Threshold: 0, Period: time.Minute, Periods: 5, Within: 60,
			Meaning: "Rollups are falling behind: see Throttles and the errors in the log. Batches that keep " +
				"failing go to the on-failure queue.",
		},
	},
	{
		Metric: Recomputations, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Buckets that were recomputed.",
	},
	{
		Metric: RowsWritten, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Rollup rows written.",
	},
	{
		Metric: RowsUnchanged, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Recomputations that found the row up to date.",
	},
	{
		Metric: LostLocks, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Row writes that failed because another invocation wrote the row first: the bucket was " +
			"recomputed again.",
		Alarm: &Alarm{
			Statistic: Sum, Threshold: 1000, Period: 5 * time.Minute, Periods: 3, Within: 3,
			Meaning: "Many invocations recompute the same buckets: lower the mapping's parallelization or " +
				"lengthen its window.",
		},
	},
	{
		Metric: SealedRowChanges, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Changes to a bucket whose row was sealed: the row now says exact: false.",
	},
	{
		Metric: RowsDiffering, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Rows that differed from their events when tidemark verify --watch last recounted them, each " +
			"minute while it runs.",
		Alarm: &Alarm{
			Statistic: Maximum, Threshold: 0, Period: 5 * time.Minute, Periods: 1, Within: 1,
			Meaning: "Rows are wrong and say that they are exact: the watch prints them. Repair their series " +
				"with tidemark rebuild.",
		},
	},
	{
		Metric: RowsInexact, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Rows that became exact: false, for any reason.",
		Alarm: &Alarm{
			Statistic: Sum, Threshold: 0, Period: 5 * time.Minute, Periods: 1, Within: 1,
			Meaning: "Data arrived after the bucket's children began to expire, or an event cannot be decoded: " +
				"raise the raw retention for slow senders.",
		},
	},
	{
		Metric: UnreadableEvents, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Events in a recomputed bucket that could not be decoded.",
		Alarm: &Alarm{
			Statistic: Sum, Threshold: 0, Period: 5 * time.Minute, Periods: 1, Within: 1,
			Meaning: "Another program or a newer release wrote an event: find it with tidemark dump, and " +
				"correct or delete it.",
		},
	},
	{
		Metric: OversizeRows, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Rows that were not written because they exceed the size limit.",
		Alarm: &Alarm{
			Statistic: Sum, Threshold: 0, Period: 5 * time.Minute, Periods: 1, Within: 1,
			Meaning: "A kind declares more measures or dimensions than fit in a row: lower maxMeasures or top.",
		},
	},
	{
		Metric: CrowdedBuckets, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Buckets with more children than one recomputation may read.",
		Alarm: &Alarm{
			Statistic: Sum, Threshold: 0, Period: 5 * time.Minute, Periods: 1, Within: 1,
			Meaning: "A series has too many events for its finest tier: add a minute tier to the kind.",
		},
	},
	{
		Metric: StreamGaps, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Pauses in stream processing that were longer than the table stream keeps its records.",
		Alarm: &Alarm{
			Statistic: Sum, Threshold: 0, Period: 5 * time.Minute, Periods: 1, Within: 1,
			Meaning: "Rollups may have missed changes: run tidemark status, then tidemark rebuild --gap recorded, " +
				"before the raw events expire.",
		},
	},
	{
		Metric: ProgressAge, Unit: Seconds, Publishers: []string{aggregate},
		Sentence: "Now minus the newest change of the table stream that was processed, heartbeats included: " +
			"published every minute.",
		Alarm: &Alarm{
			Statistic: Maximum, Threshold: 240, Period: time.Minute, Periods: 3, Within: 3, Silence: true,
			Meaning: "The table stream is not processed, or aggregate's schedule does not run: see the state " +
				"of the mapping (output MappingId), the rule of the schedule, aggregate's privileges and " +
				"log, and the customer key. Rollups are late, and exact again once the stream is " +
				"processed within 24 hours.",
		},
	},
	{
		Metric: SweepAge, Unit: Seconds, Publishers: []string{aggregate},
		Sentence: "Now minus the oldest low watermark: later buckets of deferred tiers are still to be " +
			"written.",
		Alarm: &Alarm{
			Statistic: Maximum, Threshold: 300, Period: time.Minute, Periods: 3, Within: 3,
			Meaning: "Rows of closed buckets are not written: read the cause of the failed sweeps in " +
				"aggregate's log. Reads fold the buckets from their events meanwhile.",
		},
	},
	{
		Metric: Invalidations, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Invalidations of open buckets that were written: about one for each series and bucket. " +
			"Divide by ChangesInserted for the number per event.",
	},
	{
		Metric: BucketsSwept, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Closed buckets that a sweep recomputed.",
	},
	{
		Metric: InvalidationsLeft, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Due invalidations that a sweep found and could not work off: the next sweep finds them " +
			"again.",
	},
	{
		Metric: SweepDuration, Unit: Seconds, Publishers: []string{aggregate},
		Sentence: "How long the sweeps of one scheduled event took. Near the timeout of the function, " +
			"sweeps fall behind.",
	},
	{
		Metric: SweepHandovers, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Invocations that took queue shards over from a sweep with more to do than it works off soon.",
	},
	{
		Metric: FailedHandovers, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Queue shards that a sweep could not hand over and went on with, or left to the next schedule.",
	},
	{
		Metric: LiveFolded, Unit: Count, Publishers: []string{query},
		Sentence: "Events that one read folded because their bucket was open. If it grows, sweeps are late, " +
			"or the kind needs a minute tier.",
	},
	{
		Metric: Lag, Unit: Seconds, Publishers: []string{aggregate},
		Sentence: "Now minus the arrival of the newest event in the rollups.",
		Alarm: &Alarm{
			Statistic: Maximum, Threshold: 300, Period: time.Minute, Periods: 3, Within: 10,
			Meaning: "Rollups are more than five minutes behind: see the iterator age, Throttles and " +
				"BatchFailures.",
		},
	},
}
