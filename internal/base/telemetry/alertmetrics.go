package telemetry

import "time"

// The metrics of alerts.
const (
	AlertEvaluations        Metric = "AlertEvaluations"
	AlertsRaised            Metric = "AlertsRaised"
	AlertsRecovered         Metric = "AlertsRecovered"
	AlertsWithdrawn         Metric = "AlertsWithdrawn"
	AlertsDelivered         Metric = "AlertsDelivered"
	AlertsUndelivered       Metric = "AlertsUndelivered"
	AlertsWaiting           Metric = "AlertsWaiting"
	OldestAlertWaiting      Metric = "OldestAlertWaiting"
	AlertEvaluationFailures Metric = "AlertEvaluationFailures"
)

var alertMetrics = []Definition{
	{
		Metric: AlertEvaluations, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Series whose alert rules were evaluated.",
	},
	{
		Metric: AlertsRaised, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Alerts raised.",
	},
	{
		Metric: AlertsRecovered, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Alerts that a later event of the series resolved.",
	},
	{
		Metric: AlertsWithdrawn, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Alerts withdrawn because an event was deleted or corrected.",
	},
	{
		Metric: AlertsDelivered, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Alert notifications that the event bus accepted.",
	},
	{
		Metric: AlertsUndelivered, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Alert notifications that the event bus did not accept at once: the schedule delivers " +
			"them later.",
	},
	{
		Metric: AlertsWaiting, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Alert notifications that are stored and not yet delivered.",
		Alarm: &Alarm{
			Statistic: Maximum, Threshold: 100, Period: 5 * time.Minute, Periods: 3, Within: 3,
			Meaning: "Many alert notifications are stored but not delivered: see the errors in aggregate's " +
				"log, and the event bus.",
		},
	},
	{
		Metric: OldestAlertWaiting, Unit: Seconds, Publishers: []string{aggregate},
		Sentence: "Age of the oldest undelivered alert notification.",
		Alarm: &Alarm{
			Statistic: Maximum, Threshold: 300, Period: time.Minute, Periods: 1, Within: 1,
			Meaning: "An alert notification has not been delivered for five minutes: see the errors in " +
				"aggregate's log, and the event bus.",
		},
	},
	{
		Metric: AlertEvaluationFailures, Unit: Count, Publishers: []string{aggregate},
		Sentence: "Series whose alert rules could not be evaluated because a stored item cannot be decoded.",
		Alarm: &Alarm{
			Statistic: Sum, Threshold: 0, Period: 5 * time.Minute, Periods: 1, Within: 1,
			Meaning: "A rule, an alert or the alert state of a series cannot be decoded, so its alerts no " +
				"longer change: aggregate's log names the item; show it with tidemark dump.",
		},
	},
}
