package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/telemetry"
)

func TestAlarms_HasOneForEachPublisherOfAMetricWithAnAlarm(t *testing.T) {
	checked := 0
	for _, d := range telemetry.Catalogue() {
		for _, function := range d.Metric.Publishers() {
			got, deployed := resources(t, "prod")[capitalize(function)+d.Name+"Alarm"]
			if deployed != (d.Alarm != nil) {
				t.Errorf("%s of %s: deployed %v, declared %v", d.Name, function, deployed, d.Alarm != nil)
			}
			if d.Alarm == nil || !deployed {
				continue
			}
			checked++
			p := got.Properties
			if p["Namespace"] != telemetry.DefaultNamespace || p["MetricName"] != d.Name || p["Statistic"] != string(d.Alarm.Statistic) ||
				p["Threshold"] != d.Alarm.Threshold || p["Period"] != d.Alarm.Period.Seconds() ||
				p["EvaluationPeriods"] != float64(d.Alarm.Periods) || p["AlarmDescription"] != d.Alarm.Meaning {
				t.Errorf("%s of %s: deployed %v, declared %+v", d.Name, function, p, *d.Alarm)
			}
			dimension := p["Dimensions"].([]any)[0].(map[string]any)
			if dimension["Name"] != telemetry.DimensionFunction || dimension["Value"] != "tidemark-prod-"+function {
				t.Errorf("the alarm of %s has dimension %v", d.Name, dimension)
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d alarms compared", checked)
	}
}

func TestAlarms_WatchTheMetricsOfTheServices(t *testing.T) {
	want := map[string]string{
		"OnFailureDepthAlarm":       "AWS/SQS ApproximateNumberOfMessagesVisible OnFailureQueue.QueueName",
		"UndeliveredDepthAlarm":     "AWS/SQS ApproximateNumberOfMessagesVisible UndeliveredQueue.QueueName",
		"MappingDroppedAlarm":       "AWS/Lambda DroppedEventCount Mapping",
		"AggregateIteratorAgeAlarm": "AWS/Lambda IteratorAge AggregateFunction",
		"IngestErrorsAlarm":         "AWS/Lambda Errors IngestFunction",
		"IngestThrottledAlarm":      "AWS/Lambda Throttles IngestFunction",
		"ManageErrorsAlarm":         "AWS/Lambda Errors ManageFunction",
		"ManageThrottledAlarm":      "AWS/Lambda Throttles ManageFunction",
		"IngestUndeliveredAlarm":    "AWS/Lambda AsyncEventsDropped IngestFunction",
		"AggregateErrorsAlarm":      "AWS/Lambda Errors AggregateFunction",
		"AggregateThrottledAlarm":   "AWS/Lambda Throttles AggregateFunction",
		"QueryErrorsAlarm":          "AWS/Lambda Errors QueryFunction",
		"QueryThrottledAlarm":       "AWS/Lambda Throttles QueryFunction",
		"AuthorizeErrorsAlarm":      "AWS/Lambda Errors AuthorizeFunction",
		"AuthorizeThrottledAlarm":   "AWS/Lambda Throttles AuthorizeFunction",
		"Api5xxAlarm":               "AWS/ApiGateway 5xx Api",
		"TableReadThrottlesAlarm":   "AWS/DynamoDB ReadThrottleEvents Table",
		"TableWriteThrottlesAlarm":  "AWS/DynamoDB WriteThrottleEvents Table",
		"TableConflictsAlarm":       "AWS/DynamoDB TransactionConflict Table",
	}
	for _, name := range all {
		for id, metric := range want {
			p := resources(t, name)[id].Properties
			dimensions, _ := p["Dimensions"].([]any)
			if len(dimensions) != 1 {
				t.Errorf("%s: %s watches %v", name, id, p)
				continue
			}
			if got := render(p["Namespace"]) + " " + render(p["MetricName"]) + " " + render(dimensions[0].(map[string]any)["Value"]); got != metric {
				t.Errorf("%s: %s watches %s, want %s", name, id, got, metric)
			}
		}
	}
}

// Missing data does not trigger an alarm, and every description says what to do.
func TestAlarms_IgnoreMissingDataAndDescribeTheRepair(t *testing.T) {
	for id, a := range resourcesOfType(t, "prod", "AWS::CloudWatch::Alarm") {
		p := a.Properties
		if p["TreatMissingData"] != "notBreaching" || p["ComparisonOperator"] != "GreaterThanThreshold" {
			t.Errorf("%s: %v, %v", id, p["TreatMissingData"], p["ComparisonOperator"])
		}
		if meaning := render(p["AlarmDescription"]); !strings.Contains(meaning, ": ") && !strings.Contains(meaning, ". ") {
			t.Errorf("%s has description %q: want what has happened, and what to do first", id, meaning)
		}
		if !strings.HasPrefix(render(p["AlarmName"]), "tidemark-prod-") {
			t.Errorf("%s is named %v", id, p["AlarmName"])
		}
	}
}

func TestAlarms_OnFailureDepthNamesTheDeadlines(t *testing.T) {
	meaning := render(resources(t, "prod")["OnFailureDepthAlarm"].Properties["AlarmDescription"])
	for _, word := range []string{"24 hours", "redrive", "rebuild", "30 days", "exact: false"} {
		if !strings.Contains(meaning, word) {
			t.Errorf("%q does not contain %s", meaning, word)
		}
	}
}

func TestAlarms_NotifyTheConfiguredTopics(t *testing.T) {
	for id, a := range resourcesOfType(t, "prod", "AWS::CloudWatch::Alarm") {
		if a.Properties["AlarmActions"] != nil {
			t.Errorf("prod: %s notifies %v, want nothing", id, a.Properties["AlarmActions"])
		}
	}
	for id, a := range resourcesOfType(t, "full", "AWS::CloudWatch::Alarm") {
		if got := render(a.Properties["AlarmActions"]); got != "AlarmTopic arn:aws:sns:eu-central-1:123456789012:on-call" {
			t.Errorf("full: %s notifies %s, want both topics", id, got)
		}
	}
	for _, s := range resourcesOfType(t, "full", "AWS::SNS::Subscription") {
		if s.Properties["Protocol"] != "email" || s.Properties["Endpoint"] != "team@example.com" {
			t.Errorf("alarms are sent to %v", s.Properties)
		}
	}
}

func TestDashboard_HasAGraphForEveryMetric(t *testing.T) {
	for _, name := range all {
		body := render(resources(t, name)["Dashboard"].Properties["DashboardBody"])
		var missing []string
		for _, d := range telemetry.Catalogue() {
			for _, function := range d.Metric.Publishers() {
				line := `"` + telemetry.DefaultNamespace + `","` + d.Name + `","` + telemetry.DimensionFunction + `","tidemark-` + name + "-" + function + `"`
				if !strings.Contains(body, line) {
					missing = append(missing, d.Name+" of "+function)
				}
			}
		}
		if len(missing) > 0 {
			t.Errorf("%s: no graph for %v", name, missing)
		}
	}
}

func TestRejectedShare_CoversAllObservations(t *testing.T) {
	var got []string
	for _, m := range resources(t, "prod")["IngestRejectedShareAlarm"].Properties["Metrics"].([]any) {
		if name := at(m.(map[string]any), "MetricStat", "Metric", "MetricName"); name != nil {
			got = append(got, render(name))
		}
	}
	slices.Sort(got)
	var want []string
	for _, d := range telemetry.Catalogue() {
		// Observations with an unknown outcome are sent again and counted then.
		if strings.HasPrefix(d.Name, "Observations") && d.Metric != telemetry.ObservationsUnknown {
			want = append(want, d.Name)
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the share covers %v, want %v", got, want)
	}
}
