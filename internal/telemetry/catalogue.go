package telemetry

import "time"

// The metrics. There is one metric for each outcome of an observation and for each type
// of change, so that one line of EMF can carry them all.
const (
	ObservationsApplied Metric = iota + 1
	ObservationsLate
	ObservationsStale
	ObservationsDuplicate
	ObservationsCollision
	ObservationsConflict
	ObservationsGone
	ObservationsRejected
	ObservationsUnknown
	Quarantined

	ChangesInserted
	ChangesCorrected
	ChangesDeleted
	ChangesExpired
	BatchFailures

	Recomputations
	RowsWritten
	RowsUnchanged
	LostLocks
	SealedRowChanges
	RowsInexact
	UnreadableEvents
	OversizeRows
	CrowdedBuckets
	StreamGaps
	ProgressAge
	SweepAge
	Invalidations
	BucketsSwept
	InvalidationsLeft
	SweepDuration
	Lag

	AlertEvaluations
	AlertsRaised
	AlertsRecovered
	AlertsWithdrawn
	AlertsDelivered
	AlertsUndelivered
	AlertsWaiting
	OldestAlertWaiting
	AlertEvaluationFailures

	GenerationsEnded
	PurgesDone
	ItemsErased
	OldestDue
	StepFailures

	Retries
	Throttles
	ReadUnits
	WriteUnits
)

const fiveMinutes = 5 * time.Minute

// catalogue has one row for each metric, in the order of the constants.
var catalogue = []Definition{
	{ObservationsApplied, "ObservationsApplied", Count, true,
		"Observations newer than the latest item: the event and the latest item were written.", nil},
	{ObservationsLate, "ObservationsLate", Count, true,
		"Observations older than the latest item whose event was written.", nil},
	{ObservationsStale, "ObservationsStale", Count, true,
		"Observations older than the latest item that the kind's policy dropped.", nil},
	{ObservationsDuplicate, "ObservationsDuplicate", Count, true,
		"Observations whose event was already stored.", nil},
	{ObservationsCollision, "ObservationsCollision", Count, true,
		"Observations with the identity of a stored event but a different payload: nothing was written.",
		&Alarm{Sum, 0, fiveMinutes, 3, 3, false, "A sender uses one time and id for different payloads, and the later ones are not stored: give its events distinct ids."}},
	{ObservationsConflict, "ObservationsConflict", Count, true,
		"Observations whose condition on the latest item failed.", nil},
	{ObservationsGone, "ObservationsGone", Count, true,
		"Observations of a subject that is being purged.", nil},
	{ObservationsRejected, "ObservationsRejected", Count, true,
		"Observations that failed validation.",
		&Alarm{Sum, 100, fiveMinutes, 3, 3, false, "A sender's format has changed or its clock is wrong: read the errors in quarantine or in the sender's responses."}},
	{ObservationsUnknown, "ObservationsUnknown", Count, true,
		"Observations whose outcome is unknown after a transient failure: the sender was asked to send them again.",
		&Alarm{Sum, 0, time.Minute, 5, 60, false, "The table did not respond for a while: see Throttles and the table's own metrics."}},
	{Quarantined, "Quarantined", Count, true,
		"Inputs that could not be accepted and were stored in quarantine with the reason.",
		&Alarm{Sum, 0, fiveMinutes, 1, 1, false, "Input was rejected that has no caller to return the error to: read it in quarantine before its retention ends."}},

	{ChangesInserted, "ChangesInserted", Count, true,
		"Table stream records of new events.", nil},
	{ChangesCorrected, "ChangesCorrected", Count, true,
		"Table stream records of events that a user corrected in place.", nil},
	{ChangesDeleted, "ChangesDeleted", Count, true,
		"Table stream records of events that a user deleted.", nil},
	{ChangesExpired, "ChangesExpired", Count, true,
		"Table stream records of TTL expiries that passed the filter; aggregate ignores them.", nil},
	{BatchFailures, "BatchFailures", Count, false,
		"Table stream batches that were returned in part, to be delivered again.",
		&Alarm{Sum, 0, time.Minute, 5, 60, false, "Rollups are falling behind: see Throttles and the errors in the log. Batches that keep failing go to the on-failure queue."}},

	{Recomputations, "Recomputations", Count, true,
		"Buckets that were recomputed.", nil},
	{RowsWritten, "RowsWritten", Count, true,
		"Rollup rows written.", nil},
	{RowsUnchanged, "RowsUnchanged", Count, true,
		"Recomputations that found the row up to date.", nil},
	{LostLocks, "LostLocks", Count, true,
		"Row writes that failed because another invocation wrote the row first: the bucket was recomputed again.",
		&Alarm{Sum, 1000, fiveMinutes, 3, 3, false, "Many invocations recompute the same buckets: lower the mapping's parallelization or lengthen its window."}},
	{SealedRowChanges, "SealedRowChanges", Count, true,
		"Changes to a bucket whose row was sealed: the row now says exact: false.", nil},
	{RowsInexact, "RowsInexact", Count, true,
		"Rows that became exact: false, for any reason.",
		&Alarm{Sum, 0, fiveMinutes, 1, 1, false, "Data arrived after the bucket's children began to expire, or an event cannot be decoded: raise the raw retention for slow senders."}},
	{UnreadableEvents, "UnreadableEvents", Count, true,
		"Events in a recomputed bucket that could not be decoded.",
		&Alarm{Sum, 0, fiveMinutes, 1, 1, false, "Another program or a newer release wrote an event: find it with tidemark dump, and correct or delete it."}},
	{OversizeRows, "OversizeRows", Count, true,
		"Rows that were not written because they exceed the size limit.",
		&Alarm{Sum, 0, fiveMinutes, 1, 1, false, "A kind declares more measures or dimensions than fit in a row: lower maxMeasures or top."}},
	{CrowdedBuckets, "CrowdedBuckets", Count, true,
		"Buckets with more children than one recomputation may read.",
		&Alarm{Sum, 0, fiveMinutes, 1, 1, false, "A series has too many events for its finest tier: add a minute tier to the kind."}},
	{StreamGaps, "StreamGaps", Count, false,
		"Pauses in stream processing that were longer than the table stream keeps its records.",
		&Alarm{Sum, 0, fiveMinutes, 1, 1, false, "Rollups may have missed changes: run tidemark gap, then tidemark rebuild --gap recorded, before the raw events expire."}},
	{ProgressAge, "ProgressAge", Seconds, false,
		"Now minus the newest change of the table stream that was processed, heartbeats included: published every minute.",
		&Alarm{Maximum, 240, time.Minute, 3, 3, true, "The table stream is not processed, or aggregate's schedule does not run: see the state of the mapping (output MappingId), the rule of the schedule, aggregate's privileges and log, and the customer key. Rollups are late, and exact again once the stream is processed within 24 hours."}},
	{SweepAge, "SweepAge", Seconds, false,
		"Now minus the oldest low watermark: later buckets of deferred tiers are still to be written.",
		&Alarm{Maximum, 300, time.Minute, 3, 3, false, "Rows of closed buckets are not written: read the cause of the failed sweeps in aggregate's log. Reads fold the buckets from their events meanwhile."}},
	{Invalidations, "Invalidations", Count, true,
		"Invalidations of open buckets that were written: about one for each series, bucket and process. Divide by ChangesInserted for the number per event.", nil},
	{BucketsSwept, "BucketsSwept", Count, false,
		"Closed buckets that a sweep recomputed.", nil},
	{InvalidationsLeft, "InvalidationsLeft", Count, false,
		"Due invalidations that a sweep found and could not work off: the next sweep finds them again.", nil},
	{SweepDuration, "SweepDuration", Seconds, false,
		"How long the sweeps of one scheduled event took. Near the timeout of the function, sweeps fall behind.", nil},
	{Lag, "Lag", Seconds, true,
		"Now minus the arrival of the newest event in the rollups.",
		&Alarm{Maximum, 300, time.Minute, 3, 10, false, "Rollups are more than five minutes behind: see the iterator age, Throttles and BatchFailures."}},

	{AlertEvaluations, "AlertEvaluations", Count, false,
		"Series whose alert rules were evaluated.", nil},
	{AlertsRaised, "AlertsRaised", Count, false,
		"Alerts raised.", nil},
	{AlertsRecovered, "AlertsRecovered", Count, false,
		"Alerts that a later event of the series resolved.", nil},
	{AlertsWithdrawn, "AlertsWithdrawn", Count, false,
		"Alerts withdrawn because an event was deleted or corrected.", nil},
	{AlertsDelivered, "AlertsDelivered", Count, false,
		"Alert notifications that the event bus accepted.", nil},
	{AlertsUndelivered, "AlertsUndelivered", Count, false,
		"Alert notifications that the event bus did not accept at once: the schedule delivers them later.", nil},
	{AlertsWaiting, "AlertsWaiting", Count, false,
		"Alert notifications that are stored and not yet delivered.",
		&Alarm{Maximum, 100, fiveMinutes, 3, 3, false, "Many alert notifications are stored but not delivered: see the errors in aggregate's log, and the event bus."}},
	{OldestAlertWaiting, "OldestAlertWaiting", Seconds, false,
		"Age of the oldest undelivered alert notification.",
		&Alarm{Maximum, 300, time.Minute, 1, 1, false, "An alert notification has not been delivered for five minutes: see the errors in aggregate's log, and the event bus."}},
	{AlertEvaluationFailures, "AlertEvaluationFailures", Count, false,
		"Series whose alert rules could not be evaluated because a stored item cannot be decoded.",
		&Alarm{Sum, 0, fiveMinutes, 1, 1, false, "A rule, an alert or the alert state of a series cannot be decoded, so its alerts no longer change: aggregate's log names the item; show it with tidemark dump."}},

	{GenerationsEnded, "GenerationsEnded", Count, false,
		"Deleted subjects that expired and whose versions and unique values were removed.", nil},
	{PurgesDone, "PurgesDone", Count, false,
		"Purges that were completed.", nil},
	{ItemsErased, "ItemsErased", Count, false,
		"Items removed by completed purges.", nil},
	{OldestDue, "OldestDue", Seconds, false,
		"How long the oldest unfinished purge has been due.",
		&Alarm{Maximum, 6 * 3600, fiveMinutes, 3, 3, false, "A purge does not finish: read the cause in purge's log. It is resumed every minute at the step it reached."}},
	{StepFailures, "StepFailures", Count, false,
		"Invocations of purge, steps of a purge and cleanups after an expiry that failed and will be retried.",
		&Alarm{Sum, 0, time.Minute, 5, 60, false, "Purge keeps failing: read the cause in its log, and see the table's Throttles."}},

	{Retries, "Retries", Count, false,
		"Requests to the table that were retried within an invocation.", nil},
	{Throttles, "Throttles", Count, false,
		"Requests that the table throttled.",
		&Alarm{Sum, 100, fiveMinutes, 3, 3, false, "The capacity of the table or of one partition is exhausted: raise it, or spread the hot kind over shards."}},
	{ReadUnits, "ReadUnits", Count, false,
		"Read capacity units consumed.", nil},
	{WriteUnits, "WriteUnits", Count, false,
		"Write capacity units consumed.", nil},
}
