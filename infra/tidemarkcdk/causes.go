package tidemarkcdk

import "github.com/tidemark-db/tidemark/internal/base/telemetry"

// cause is what one page is about. Its composite alarm notifies when the first of its alarms
// goes off, and again when all of them are over.
type cause struct {
	name    causeName
	meaning string
	// after is a cause that explains this one: while its alarm is on, this one does not notify.
	after  causeName
	alarms []alarmName
}

// causeName is the name of a cause, as in docs/run/ALARMS.md.
type causeName string

// The causes.
const (
	causeStopped  causeName = "Stopped"
	causeBehind   causeName = "Behind"
	causeLost     causeName = "Lost"
	causeAlerts   causeName = "Alerts"
	causeData     causeName = "Data"
	causeCapacity causeName = "Capacity"
	causeCallers  causeName = "Callers"
)

// causes has each alarm in one row, in the order of docs/run/ALARMS.md. A cause stands below the one
// that explains it.
var causes = []cause{
	{
		name:    causeStopped,
		meaning: "Changes are not processed, or were lost on the way: act within a day.",
		alarms: []alarmName{
			metricAlarm(aggregate, telemetry.ProgressAge),
			metricAlarm(aggregate, telemetry.SweepAge),
			alarmOnFailureDepth,
			alarmMappingDropped,
			metricAlarm(aggregate, telemetry.StreamGaps),
		},
	},
	{
		name:    causeBehind,
		meaning: "Rollups are late.",
		after:   causeStopped,
		alarms: []alarmName{
			alarmAggregateIteratorAge,
			metricAlarm(aggregate, telemetry.Lag),
			metricAlarm(aggregate, telemetry.BatchFailures),
			functionAlarm(aggregate, failing),
			functionAlarm(aggregate, throttled),
			functionAlarm(aggregate, slow),
		},
	},
	{
		name:    causeLost,
		meaning: "Observations may be lost: act before the retention of the queues and of quarantine ends.",
		alarms: []alarmName{
			alarmUndeliveredDepth,
			alarmIngestUndelivered,
			alarmIngestAsyncAge,
			alarmInboxAge,
			alarmInletAge,
			metricAlarm(ingest, telemetry.Quarantined),
			metricAlarm(aggregate, telemetry.Quarantined),
			metricAlarm(ingest, telemetry.ObservationsUnknown),
			functionAlarm(ingest, failing),
			functionAlarm(ingest, throttled),
			functionAlarm(ingest, slow),
		},
	},
	{
		name:    causeAlerts,
		meaning: "Alerts are not evaluated or not delivered.",
		alarms: []alarmName{
			metricAlarm(aggregate, telemetry.OldestAlertWaiting),
			metricAlarm(aggregate, telemetry.AlertsWaiting),
			metricAlarm(aggregate, telemetry.AlertEvaluationFailures),
			alarmDeadAlerts,
			alarmAlertTargetFailures,
		},
	},
	{
		name:    causeData,
		meaning: "The data or the purges need attention.",
		alarms: []alarmName{
			metricAlarm(aggregate, telemetry.RowsDiffering),
			metricAlarm(aggregate, telemetry.RowsInexact),
			metricAlarm(aggregate, telemetry.UnreadableEvents),
			metricAlarm(aggregate, telemetry.OversizeRows),
			metricAlarm(aggregate, telemetry.CrowdedBuckets),
			metricAlarm(aggregate, telemetry.LostLocks),
			metricAlarm(ingest, telemetry.ObservationsCollision),
			metricAlarm(ingest, telemetry.ObservationsRejected),
			alarmIngestRejectedShare,
			metricAlarm(purge, telemetry.OldestDue),
			metricAlarm(purge, telemetry.StepFailures),
			alarmPurgeMappingDropped,
			alarmPurgeMappingStopped,
			alarmPurgeSilent,
			functionAlarm(purge, failing),
			functionAlarm(purge, throttled),
		},
	},
	{
		name:    causeCapacity,
		meaning: "The table or Lambda has no capacity left.",
		alarms: []alarmName{
			alarmTableReadThrottles,
			alarmTableWriteThrottles,
			alarmTableConflicts,
			metricAlarm(ingest, telemetry.Throttles),
			metricAlarm(aggregate, telemetry.Throttles),
			alarmLambdaConcurrency,
		},
	},
	{
		name:    causeCallers,
		meaning: "Callers of the HTTP API receive errors or wait.",
		after:   causeCapacity,
		alarms: []alarmName{
			alarmApi5xx,
			alarmApi4xxShare,
			alarmApiLatency,
			functionAlarm(query, failing),
			functionAlarm(query, throttled),
			functionAlarm(query, slow),
			functionAlarm(manage, failing),
			functionAlarm(manage, throttled),
			functionAlarm(manage, slow),
			functionAlarm(authorize, failing),
			functionAlarm(authorize, throttled),
			functionAlarm(authorize, slow),
			functionAlarm(prometheus, failing),
			functionAlarm(prometheus, throttled),
			functionAlarm(prometheus, slow),
			functionAlarm(pages, failing),
			functionAlarm(pages, throttled),
			functionAlarm(pages, slow),
		},
	},
}
