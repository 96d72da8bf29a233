package tidemarkcdk

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
)

func TestAlarms_HasOneForEachPublisherOfAMetricWithAnAlarm(t *testing.T) {
	checked := 0
	for _, d := range telemetry.Catalogue() {
		for _, function := range d.Metric.Publishers() {
			got, deployed := resources(t, "prod")[string(metricAlarm(function, d.Metric))+"Alarm"]
			if deployed != (d.Alarm != nil) {
				t.Errorf("%s of %s: deployed %v, declared %v", d.Metric, function, deployed, d.Alarm != nil)
			}
			if d.Alarm == nil || !deployed {
				continue
			}
			checked++
			p := got.Properties
			if p["Namespace"] != telemetry.DefaultNamespace || p["MetricName"] != string(d.Metric) ||
				p["Statistic"] != string(d.Alarm.Statistic) ||
				p["Threshold"] != d.Alarm.Threshold || p["Period"] != d.Alarm.Period.Seconds() ||
				p["EvaluationPeriods"] != float64(d.Alarm.Within) || p["DatapointsToAlarm"] != float64(d.Alarm.Periods) ||
				(p["TreatMissingData"] == "breaching") != d.Alarm.Silence || p["AlarmDescription"] != d.Alarm.Meaning {
				t.Errorf("%s of %s: deployed %v, declared %+v", d.Metric, function, p, *d.Alarm)
			}
			dimension := p["Dimensions"].([]any)[0].(map[string]any)
			if dimension["Name"] != telemetry.DimensionFunction || dimension["Value"] != "tidemark-prod-"+function {
				t.Errorf("the alarm of %s has dimension %v", d.Metric, dimension)
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
		"IngestAsyncAgeAlarm":       "AWS/Lambda AsyncEventAge IngestFunction",
		"IngestDurationAlarm":       "AWS/Lambda Duration IngestFunction",
		"ApiLatencyAlarm":           "AWS/ApiGateway Latency Api",
		"TableConflictsAlarm":       "AWS/DynamoDB TransactionConflict Table",
	}
	for _, name := range watched {
		for id, metric := range want {
			p := resources(t, name)[id].Properties
			dimensions, _ := p["Dimensions"].([]any)
			if len(dimensions) != 1 {
				t.Errorf("%s: %s watches %v", name, id, p)
				continue
			}
			if got := render(p["Namespace"]) + " " + render(p["MetricName"]) + " " +
				render(dimensions[0].(map[string]any)["Value"]); got != metric {
				t.Errorf("%s: %s watches %s, want %s", name, id, got, metric)
			}
		}
	}
}

// Every description says what to do.
func TestAlarms_DescribeTheRepair(t *testing.T) {
	for id, a := range resourcesOfType(t, "full", "AWS::CloudWatch::Alarm") {
		p := a.Properties
		if p["ComparisonOperator"] != "GreaterThanThreshold" {
			t.Errorf("%s: %v", id, p["ComparisonOperator"])
		}
		if meaning := render(p["AlarmDescription"]); !strings.Contains(meaning, ": ") &&
			!strings.Contains(meaning, ". ") {
			t.Errorf("%s has description %q: want what has happened, and what to do first", id, meaning)
		}
		if !strings.HasPrefix(render(p["AlarmName"]), "tidemark-full-") {
			t.Errorf("%s is named %v", id, p["AlarmName"])
		}
	}
}

// Only what happens every minute is missed: other metrics have no data without traffic.
func TestAlarms_MissWhatHappensEveryMinute(t *testing.T) {
	var got []string
	for id, a := range resourcesOfType(t, "full", "AWS::CloudWatch::Alarm") {
		if a.Properties["TreatMissingData"] == "breaching" {
			got = append(got, id)
		}
	}
	slices.Sort(got)
	if want := []string{"AggregateProgressAgeAlarm", "PurgeMappingStoppedAlarm",
		"PurgeSilentAlarm"}; !slices.Equal(got, want) {
		t.Errorf("missing data triggers %v, want %v", got, want)
	}
}

// The metrics of a table do not include its indexes.
func TestAlarms_CoverThrottlesOfTheIndexes(t *testing.T) {
	for id, metric := range map[string]string{"TableReadThrottlesAlarm": "ReadThrottleEvents",
		"TableWriteThrottlesAlarm": "WriteThrottleEvents"} {
		var got []string
		for _, m := range resources(t, "prod")[id].Properties["Metrics"].([]any) {
			if of := at(m.(map[string]any), "MetricStat", "Metric"); of != nil {
				var where []string
				for _, d := range at(of.(map[string]any), "Dimensions").([]any) {
					where = append(where, render(d.(map[string]any)["Value"]))
				}
				slices.Sort(where)
				got = append(got, render(at(of.(map[string]any), "MetricName"))+" "+strings.Join(where, " "))
			}
		}
		slices.Sort(got)
		if want := []string{metric + " Table", metric + " Table gsi1", metric + " Table gsi2"}; !slices.Equal(got,
			want) {
			t.Errorf("%s reads %v, want %v", id, got, want)
		}
	}
}

func TestAlarms_OnFailureDepthNamesTheDeadlines(t *testing.T) {
	meaning := render(resources(t, "prod")["OnFailureDepthAlarm"].Properties["AlarmDescription"])
	for _, word := range []string{"24 hours", "failed retry", "rebuild", "30 days", "exact: false"} {
		if !strings.Contains(meaning, word) {
			t.Errorf("%q does not contain %s", meaning, word)
		}
	}
}

func TestDashboard_HasAGraphForEveryMetric(t *testing.T) {
	for _, name := range watched {
		body := render(resources(t, name)["Dashboard"].Properties["DashboardBody"])
		var missing []string
		for _, d := range telemetry.Catalogue() {
			for _, function := range d.Metric.Publishers() {
				line := `"` + telemetry.DefaultNamespace + `","` + string(d.Metric) + `","` +
					telemetry.DimensionFunction + `","tidemark-` + name + "-" + function + `"`
				if !strings.Contains(body, line) {
					missing = append(missing, string(d.Metric)+" of "+function)
				}
			}
		}
		for _, service := range []string{"ConsumedWriteCapacityUnits", "ConsumedReadCapacityUnits",
			"WriteThrottleEvents", "Duration", "IteratorAge", "Latency", "4xx"} {
			if !strings.Contains(body, `"`+service+`"`) {
				missing = append(missing, service)
			}
		}
		if !strings.Contains(body, fmt.Sprintf("max(ages.%d)", telemetry.LoggedAges-1)) {
			missing = append(missing, "the ages of low watermarks")
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
		if strings.HasPrefix(string(d.Metric), "Observations") && d.Metric != telemetry.ObservationsUnknown {
			want = append(want, string(d.Metric))
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the share covers %v, want %v", got, want)
	}
}

// A source has an alarm on the age of what waits in it, if the stage has that source.
func TestAlarms_WatchTheSourcesOfAStage(t *testing.T) {
	for id, want := range map[string]string{
		"InboxAgeAlarm": "AWS/SQS ApproximateAgeOfOldestMessage InboxQueue.QueueName 300",
		"InletAgeAlarm": "AWS/Kinesis GetRecords.IteratorAgeMilliseconds InletStream 300000",
	} {
		p := resources(t, "full")[id].Properties
		got := render(p["Namespace"]) + " " + render(p["MetricName"]) + " " +
			render(at(p["Dimensions"].([]any)[0].(map[string]any), "Value")) + " " + render(p["Threshold"])
		if got != want {
			t.Errorf("%s watches %s, want %s", id, got, want)
		}
		if _, found := resources(t, "prod")[id]; found {
			t.Errorf("prod has no such source, but the alarm %s", id)
		}
	}
}
