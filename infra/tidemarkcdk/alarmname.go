package tidemarkcdk

import "github.com/tidemark-db/tidemark/internal/base/telemetry"

// alarmName is the name of an alarm: of its resource, and after the stage's name in CloudWatch. A cause
// lists alarms by constants and by the two functions below, so that a misspelt name does not compile.
type alarmName string

// The alarms on AWS's metrics that belong to no single function.
const (
	alarmIngestRejectedShare  alarmName = "IngestRejectedShare"
	alarmOnFailureDepth       alarmName = "OnFailureDepth"
	alarmMappingDropped       alarmName = "MappingDropped"
	alarmPurgeMappingDropped  alarmName = "PurgeMappingDropped"
	alarmPurgeMappingStopped  alarmName = "PurgeMappingStopped"
	alarmAggregateIteratorAge alarmName = "AggregateIteratorAge"
	alarmUndeliveredDepth     alarmName = "UndeliveredDepth"
	alarmIngestUndelivered    alarmName = "IngestUndelivered"
	alarmIngestAsyncAge       alarmName = "IngestAsyncAge"
	alarmInboxAge             alarmName = "InboxAge"
	alarmInletAge             alarmName = "InletAge"
	alarmTableReadThrottles   alarmName = "TableReadThrottles"
	alarmTableWriteThrottles  alarmName = "TableWriteThrottles"
	alarmTableConflicts       alarmName = "TableConflicts"
	alarmApi5xx               alarmName = "Api5xx"
	alarmApi4xxShare          alarmName = "Api4xxShare"
	alarmApiLatency           alarmName = "ApiLatency"
	alarmLambdaConcurrency    alarmName = "LambdaConcurrency"
	alarmPurgeSilent          alarmName = "PurgeSilent"
	alarmDeadAlerts           alarmName = "DeadAlerts"
	alarmAlertTargetFailures  alarmName = "AlertTargetFailures"
)

// trouble is what an alarm of a function is about.
type trouble string

// The troubles of a function.
const (
	failing   trouble = "Errors"
	throttled trouble = "Throttled"
	slow      trouble = "Duration"
)

// functionAlarm is the alarm on the invocations of a function.
func functionAlarm(function string, t trouble) alarmName {
	return alarmName(capitalize(function) + string(t))
}

// metricAlarm is the alarm of the metric catalogue on what a function publishes.
func metricAlarm(function string, m telemetry.Metric) alarmName {
	return alarmName(capitalize(function) + string(m))
}
