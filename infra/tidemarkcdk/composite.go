package tidemarkcdk

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
)

// cause is what one page is about. Its composite alarm notifies when the first of its alarms
// goes off, and again when all of them are over.
type cause struct {
	name, meaning string
	// after is a cause that explains this one: while its alarm is on, this one does not notify.
	after  string
	alarms []string
}

// causes has each alarm in one row, in the order of docs/ALARMS.md.
var causes = []cause{
	{"Stopped", "Changes are not processed, or were lost on the way: act within a day.", "", []string{
		"AggregateProgressAge", "AggregateSweepAge", "OnFailureDepth", "MappingDropped", "AggregateStreamGaps"}},
	{"Behind", "Rollups are late.", "Stopped", []string{
		"AggregateIteratorAge", "AggregateLag", "AggregateBatchFailures", "AggregateErrors", "AggregateThrottled", "AggregateDuration"}},
	{"Lost", "Observations may be lost: act before the retention of the queues and of quarantine ends.", "", []string{
		"UndeliveredDepth", "IngestUndelivered", "IngestAsyncAge", "InboxAge", "InletAge", "IngestQuarantined", "AggregateQuarantined",
		"IngestObservationsUnknown", "IngestErrors", "IngestThrottled", "IngestDuration"}},
	{"Alerts", "Alerts are not evaluated or not delivered.", "", []string{
		"AggregateOldestAlertWaiting", "AggregateAlertsWaiting", "AggregateAlertEvaluationFailures", "DeadAlerts", "AlertTargetFailures"}},
	{"Data", "The data or the purges need attention.", "", []string{
		"AggregateRowsInexact", "AggregateUnreadableEvents", "AggregateOversizeRows", "AggregateCrowdedBuckets", "AggregateLostLocks",
		"IngestObservationsCollision", "IngestObservationsRejected", "IngestRejectedShare",
		"PurgeOldestDue", "PurgeStepFailures", "PurgeMappingDropped", "PurgeMappingStopped", "PurgeSilent", "PurgeErrors", "PurgeThrottled"}},
	{"Capacity", "The table or Lambda has no capacity left.", "", []string{
		"TableReadThrottles", "TableWriteThrottles", "TableConflicts", "IngestThrottles", "AggregateThrottles", "LambdaConcurrency"}},
	{"Callers", "Callers of the HTTP API receive errors or wait.", "Capacity", []string{
		"Api5xx", "Api4xxShare", "ApiLatency", "QueryErrors", "QueryThrottled", "QueryDuration", "ManageErrors", "ManageThrottled",
		"ManageDuration", "AuthorizeErrors", "AuthorizeThrottled", "AuthorizeDuration"}},
}

// A cause that explains another may be noticed later than what it explains.
const (
	waitForCause  = 3 // minutes
	afterTheCause = 5 // minutes for the consequences to end
)

// addCauses creates the composite alarms. Without a receiver there are none: they would only
// cost.
func (s *Tidemark) addCauses(actions []awscloudwatch.IAlarmAction) {
	if len(actions) == 0 {
		return
	}
	byName := map[string]awscloudwatch.Alarm{}
	for _, a := range s.Alarms {
		byName[*a.Node().Id()] = a
	}
	created := map[string]awscloudwatch.CompositeAlarm{}
	for _, c := range causes {
		var anyOf []awscloudwatch.IAlarmRule
		for _, name := range c.alarms {
			if a := byName[name+"Alarm"]; a != nil {
				anyOf = append(anyOf, awscloudwatch.AlarmRule_FromAlarm(a, awscloudwatch.AlarmState_ALARM))
			}
		}
		if len(anyOf) == 0 {
			continue
		}
		props := &awscloudwatch.CompositeAlarmProps{
			CompositeAlarmName: s.name(c.name), AlarmDescription: &c.meaning, AlarmRule: awscloudwatch.AlarmRule_AnyOf(anyOf...),
		}
		if explained := created[c.after]; explained != nil {
			props.ActionsSuppressor = explained
			props.ActionsSuppressorWaitPeriod = awscdk.Duration_Minutes(new(float64(waitForCause)))
			props.ActionsSuppressorExtensionPeriod = awscdk.Duration_Minutes(new(float64(afterTheCause)))
		}
		composite := withLogicalID(s, awscloudwatch.NewCompositeAlarm(s.Construct, new(c.name+"Cause"), props), c.name+"Cause")
		composite.AddAlarmAction(actions...)
		composite.AddOkAction(actions...)
		created[c.name] = composite
		s.composites = append(s.composites, composite)
	}
}
