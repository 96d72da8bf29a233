package tidemarkcdk

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
)

// functionAlarms are about invocations: of the account, of purge's schedule, and of each function.
func (s *Tidemark) functionAlarms() []alarm {
	all := []alarm{
		{
			name: alarmLambdaConcurrency,
			metric: expression("100 * used / SERVICE_QUOTA(used)", "percent of the account's concurrency", time.Minute,
				metrics{"used": accountConcurrency()}),
			threshold: 80,
			pace:      lasting,
			meaning: "Four fifths of the account's Lambda concurrency are in use, by any function: " +
				"reserve concurrency for this stage, or raise the quota.",
		},
		{
			name: alarmPurgeSilent,
			metric: expression("IF(invoked > 0, 0, 1)", "minutes without an invocation", time.Minute,
				metrics{"invoked": s.functionMetric(purge, "Invocations", telemetry.Sum, time.Minute)}),
			pace: silent,
			meaning: "Purge's schedule does not run: see the state and the permission of its rule. Purges wait " +
				"meanwhile.",
		},
	}
	for _, kind := range []func(functionRow) (alarm, bool){s.failingAlarm, s.throttledAlarm, s.slowAlarm} {
		for _, f := range s.deployed() {
			if a, has := kind(f); has {
				all = append(all, a)
			}
		}
	}
	return all
}

// accountConcurrency is what all functions of the account use together.
func accountConcurrency() awscloudwatch.IMetric {
	return newMetric("AWS/Usage", "ResourceCount", string(telemetry.Maximum), time.Minute, map[string]*string{
		"Service": new("Lambda"), "Type": new("Resource"), "Resource": new("ConcurrentExecutions"),
		"Class": new("None")})
}

func (s *Tidemark) failingAlarm(f functionRow) (alarm, bool) {
	return alarm{
		name:    functionAlarm(f.name, failing),
		metric:  s.functionMetric(f.name, "Errors", telemetry.Sum, time.Minute),
		pace:    repeated,
		meaning: "Invocations of " + f.name + " fail: read its log.",
	}, true
}

func (s *Tidemark) throttledAlarm(f functionRow) (alarm, bool) {
	return alarm{
		name:   functionAlarm(f.name, throttled),
		metric: s.functionMetric(f.name, "Throttles", telemetry.Sum, time.Minute),
		pace:   repeated,
		meaning: "Lambda has no free concurrency for " + f.name +
			": raise the account's limit, or reserve concurrency for the function.",
	}, true
}

// slowAlarm goes off near the timeout. Purge has none: it works until shortly before its timeout, and
// resumes a minute later.
func (s *Tidemark) slowAlarm(f functionRow) (alarm, bool) {
	timeout := f.settings(&s.settings.Functions).Timeout
	return alarm{
		name:      functionAlarm(f.name, slow),
		metric:    s.functionMetric(f.name, "Duration", telemetry.Maximum, 5*time.Minute),
		threshold: 0.9 * milliseconds(timeout),
		pace:      lasting,
		meaning: "Invocations of " + f.name + " take nine tenths of their timeout of " + timeout.String() +
			": raise its memory or timeout, and see the table's throttles.",
	}, f.name != purge
}

// deliveryAlarms are about alerts of a stage that sends them to topics or webhooks.
func (s *Tidemark) deliveryAlarms() []alarm {
	if s.deadAlerts == nil {
		return nil
	}
	const refused = "A topic or webhook did not accept alerts: see a topic's policy and key, " +
		"a webhook's secret and address. The alerts are in the queue DeadAlertsQueue and in tidemark alerts."
	all := []alarm{{
		name:    alarmDeadAlerts,
		metric:  depth(s.deadAlerts),
		pace:    atOnce,
		meaning: refused,
	}}
	if !s.notifies() {
		return all
	}
	return append(all, alarm{
		name: alarmAlertTargetFailures,
		metric: newMetric("AWS/Events", "FailedInvocations", string(telemetry.Sum), 5*time.Minute,
			map[string]*string{"EventBusName": s.AlertBus.Ref(), "RuleName": s.name(alertRule)}),
		pace:    atOnce,
		meaning: refused,
	})
}
