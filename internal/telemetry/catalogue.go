package telemetry

import "time"

// The metrics. Observations and changes have one metric for each verdict and each
// sort, so that one line can carry them all.
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

	Looks
	RowsWritten
	RowsUnchanged
	LostLocks
	SealedMarks
	RowsInexact
	UnreadableEvents
	OversizeRows
	CrowdedBuckets
	StreamGaps
	Lag

	AlertLooks
	AlertsRaised
	AlertsRecovered
	AlertsWithdrawn
	AlertsTold
	AlertsRefused
	AlertsWaiting
	OldestAlertWaiting
	AlertFaults

	LivesEnded
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
		"Observations newer than current: current and event written.", nil},
	{ObservationsLate, "ObservationsLate", Count, true,
		"Observations older than current whose event was written.", nil},
	{ObservationsStale, "ObservationsStale", Count, true,
		"Observations older than current that were dropped by policy.", nil},
	{ObservationsDuplicate, "ObservationsDuplicate", Count, true,
		"Observations whose very event was stored already.", nil},
	{ObservationsCollision, "ObservationsCollision", Count, true,
		"Observations with the identity of a stored event and another payload: nothing written.",
		&Alarm{Sum, 0, fiveMinutes, 3, "A sender uses one time and id for different payloads, and the later ones are not stored: give its events ids."}},
	{ObservationsConflict, "ObservationsConflict", Count, true,
		"Observations on which the caller's own condition failed.", nil},
	{ObservationsGone, "ObservationsGone", Count, true,
		"Observations of a subject that is being purged.", nil},
	{ObservationsRejected, "ObservationsRejected", Count, true,
		"Observations that failed admission.",
		&Alarm{Sum, 100, fiveMinutes, 3, "A sender's format has changed or its clock is wrong: read the errors in quarantine or in its answers."}},
	{ObservationsUnknown, "ObservationsUnknown", Count, true,
		"Observations not settled before a transient failure: their sender was told to send again.",
		&Alarm{Sum, 0, fiveMinutes, 3, "The table could not answer for a while: see Throttles, and the table's own metrics."}},
	{Quarantined, "Quarantined", Count, true,
		"Things that could not be taken in and were kept with their reason.",
		&Alarm{Sum, 0, fiveMinutes, 1, "Something was rejected where nobody could be told: read it in quarantine before its retention ends."}},

	{ChangesInserted, "ChangesInserted", Count, true,
		"Table stream records of new events.", nil},
	{ChangesCorrected, "ChangesCorrected", Count, true,
		"Table stream records of events changed in place by somebody.", nil},
	{ChangesDeleted, "ChangesDeleted", Count, true,
		"Table stream records of events removed by somebody.", nil},
	{ChangesExpired, "ChangesExpired", Count, true,
		"Table stream records of expiries that passed the filter and were dropped at the door.", nil},
	{BatchFailures, "BatchFailures", Count, false,
		"Table stream batches of which a part was handed back to be sent again.",
		&Alarm{Sum, 0, fiveMinutes, 3, "Rollups fall behind: see Throttles and the errors in the log; given-up batches go to the on-failure queue."}},

	{Looks, "Looks", Count, true,
		"Buckets looked at again.", nil},
	{RowsWritten, "RowsWritten", Count, true,
		"Rollup rows written.", nil},
	{RowsUnchanged, "RowsUnchanged", Count, true,
		"Looks that found the row to hold the whole fold already.", nil},
	{LostLocks, "LostLocks", Count, true,
		"Row writes refused because another look came first: looked at once more.",
		&Alarm{Sum, 1000, fiveMinutes, 3, "Many invocations look at the same buckets: lower parallelization or lengthen the window."}},
	{SealedMarks, "SealedMarks", Count, true,
		"Changes that came to a sealed row, which was marked exact: false.", nil},
	{RowsInexact, "RowsInexact", Count, true,
		"Rows written with exact: false that were exact before, for any reason.",
		&Alarm{Sum, 0, fiveMinutes, 1, "Late data came after its children began to expire, or an event cannot be read: raise raw's retention for slow senders."}},
	{UnreadableEvents, "UnreadableEvents", Count, true,
		"Events met in a fold that could not be decoded.",
		&Alarm{Sum, 0, fiveMinutes, 1, "Somebody else wrote an event, or a newer version did: find it by dump and correct or delete it."}},
	{OversizeRows, "OversizeRows", Count, true,
		"Rows that were not written because they are over the size limit.",
		&Alarm{Sum, 0, fiveMinutes, 1, "A kind declares more measures or dimensions than a row can hold: lower maxMeasures or top."}},
	{CrowdedBuckets, "CrowdedBuckets", Count, true,
		"Buckets with more children than one look may fold.",
		&Alarm{Sum, 0, fiveMinutes, 1, "A series is too hot for its finest tier: add a minute tier to the kind's ladder."}},
	{StreamGaps, "StreamGaps", Count, false,
		"Times that nothing was settled for as long as the table stream remembers.",
		&Alarm{Sum, 0, fiveMinutes, 1, "Changes may be gone that no rollup has, unless nothing was written: run tidemark gap, then tidemark rebuild --gap recorded, before their raw events expire."}},
	{Lag, "Lag", Seconds, true,
		"Now minus the arrival of the newest folded event.",
		&Alarm{Maximum, 300, fiveMinutes, 3, "Rollups are more than five minutes behind: see the iterator age, Throttles and BatchFailures."}},

	{AlertLooks, "AlertLooks", Count, false,
		"Series whose alert rules were tested.", nil},
	{AlertsRaised, "AlertsRaised", Count, false,
		"Alerts raised.", nil},
	{AlertsRecovered, "AlertsRecovered", Count, false,
		"Alerts resolved by the events of their series.", nil},
	{AlertsWithdrawn, "AlertsWithdrawn", Count, false,
		"Alerts withdrawn, since an event was deleted or corrected.", nil},
	{AlertsTold, "AlertsTold", Count, false,
		"Changes of alerts that the event bus took.", nil},
	{AlertsRefused, "AlertsRefused", Count, false,
		"Changes of alerts that the event bus did not take at once: the schedule tells them again.", nil},
	{AlertsWaiting, "AlertsWaiting", Count, false,
		"Changes of alerts that the event bus has not taken yet.",
		&Alarm{Maximum, 100, fiveMinutes, 3, "Many alerts are stored and nobody has been told of them: see the errors in aggregate's log, and the event bus."}},
	{OldestAlertWaiting, "OldestAlertWaiting", Seconds, false,
		"How long the oldest of these has been waiting.",
		&Alarm{Maximum, 300, fiveMinutes, 1, "An alert is stored and nobody has been told of it: see the errors in aggregate's log, and the event bus."}},
	{AlertFaults, "AlertFaults", Count, false,
		"Series whose alert rules could not be tested, for what is stored of them.",
		&Alarm{Sum, 0, fiveMinutes, 1, "A rule, an alert or the state of a series cannot be read, and its alerts stand still: aggregate's log names it; see it with tidemark dump."}},

	{LivesEnded, "LivesEnded", Count, false,
		"Deleted subjects that expired and whose versions and unique values were cleaned up.", nil},
	{PurgesDone, "PurgesDone", Count, false,
		"Purges that came to their end.", nil},
	{ItemsErased, "ItemsErased", Count, false,
		"Items removed by purges that came to their end.", nil},
	{OldestDue, "OldestDue", Seconds, false,
		"How long the oldest purge that is not done has been due.",
		&Alarm{Maximum, 6 * 3600, fiveMinutes, 3, "A purge does not come to its end: read why in the purge function's log; it is taken up every minute, from where it was."}},
	{StepFailures, "StepFailures", Count, false,
		"Invocations of purge, steps of a purge and cleanings after an expiry that failed and are tried again.",
		&Alarm{Sum, 0, fiveMinutes, 3, "Something keeps failing in the purge function: read it in its log, and see the table's Throttles."}},

	{Retries, "Retries", Count, false,
		"Requests sent again within an invocation.", nil},
	{Throttles, "Throttles", Count, false,
		"Requests that the table throttled.",
		&Alarm{Sum, 100, fiveMinutes, 3, "The table's capacity or one partition of it is exhausted: raise capacity, or spread the hot kind over shards."}},
	{ReadUnits, "ReadUnits", Count, false,
		"Read capacity units consumed.", nil},
	{WriteUnits, "WriteUnits", Count, false,
		"Write capacity units consumed.", nil},
}
