package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/local"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

// settingsOf reads a mapping back as the laptop's settings, but for its filter.
func settingsOf(mapping map[string]any) streamtest.Settings {
	number := func(name string) int { n, _ := mapping[name].(float64); return int(n) }
	return streamtest.Settings{
		BatchSize:       number("BatchSize"),
		Window:          time.Duration(number("MaximumBatchingWindowInSeconds")) * time.Second,
		MaxRetries:      number("MaximumRetryAttempts"),
		MaxRecordAge:    time.Duration(number("MaximumRecordAgeInSeconds")) * time.Second,
		Bisect:          mapping["BisectBatchOnFunctionError"] == true,
		Parallelization: number("ParallelizationFactor"),
		ReportFailures:  say(mapping["FunctionResponseTypes"]) == "ReportBatchItemFailures",
	}
}

// pattern is the one filter of a mapping.
func pattern(mapping map[string]any) string {
	filters, _ := at(mapping, "FilterCriteria", "Filters").([]any)
	if len(filters) != 1 {
		return ""
	}
	return say(filters[0].(map[string]any)["Pattern"])
}

func TestMapping_IsTheLaptops(t *testing.T) {
	want, err := local.MappingSettings(shipped(t).Mapping)
	if err != nil {
		t.Fatal(err)
	}
	want.Filter = nil
	for _, name := range all {
		if diff := cmp.Diff(want, settingsOf(resources(t, name)["Mapping"].Properties)); diff != "" {
			t.Errorf("%s (-laptop +deployed):\n%s", name, diff)
		}
	}
}

// Filters cannot be compared, so they are asked: each sampled record of the table
// stream passes both or neither.
func TestMapping_FiltersAsOnALaptop(t *testing.T) {
	onALaptop, err := local.MappingSettings(shipped(t).Mapping)
	if err != nil {
		t.Fatal(err)
	}
	deployed, err := streamtest.ParseFilter(pattern(resources(t, "prod")["Mapping"].Properties))
	if err != nil {
		t.Fatal(err)
	}
	passed, stopped := 0, 0
	for _, record := range sampledRecords(t) {
		want, got := onALaptop.Filter.Match(record), deployed.Match(record)
		if got != want {
			t.Errorf("deployed %v, on a laptop %v: %s", got, want, record)
		}
		if got {
			passed++
		} else {
			stopped++
		}
	}
	if passed == 0 || stopped == 0 {
		t.Errorf("%d records passed and %d were stopped: the samples tell nothing apart", passed, stopped)
	}
}

func sampledRecords(t *testing.T) (records []json.RawMessage) {
	t.Helper()
	samples, err := filepath.Glob("../events/aggregate/*.json")
	if err != nil || len(samples) == 0 {
		t.Fatalf("no samples of the table stream: %v", err)
	}
	for _, path := range samples {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var batch struct{ Records []json.RawMessage }
		if err := json.Unmarshal(data, &batch); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		records = append(records, batch.Records...)
	}
	return records
}

func TestMapping_DeliversEventsFromTheOldestOnAndLosesNone(t *testing.T) {
	for _, name := range all {
		mapping := resources(t, name)["Mapping"].Properties
		got := map[string]string{
			"filter":   pattern(mapping),
			"from":     say(mapping["StartingPosition"]),
			"source":   say(mapping["EventSourceArn"]),
			"function": say(mapping["FunctionName"]),
			"given up": say(at(mapping, "DestinationConfig", "OnFailure", "Destination")),
			"metrics":  say(at(mapping, "MetricsConfig", "Metrics")),
		}
		want := map[string]string{
			"filter":   keys.AggregateFilter,
			"from":     config.StartingPosition,
			"source":   "Table.StreamArn",
			"function": "AggregateFunction.Arn",
			"given up": "OnFailureQueue.Arn",
			"metrics":  "EventCount",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestPurgeMapping_TellsOfExpiredTombstonesAlone(t *testing.T) {
	for _, name := range all {
		mapping := resources(t, name)["PurgeMapping"].Properties
		if got := pattern(mapping); got != keys.PurgeFilter {
			t.Errorf("%s: filters by %s", name, got)
		}
		if diff := cmp.Diff(settingsOf(resources(t, name)["Mapping"].Properties), settingsOf(mapping)); diff != "" {
			t.Errorf("%s (-aggregate +purge):\n%s", name, diff)
		}
		if say(mapping["FunctionName"]) != "PurgeFunction.Arn" || say(mapping["EventSourceArn"]) != "Table.StreamArn" {
			t.Errorf("%s: %v invokes %v", name, mapping["EventSourceArn"], mapping["FunctionName"])
		}
	}
}

// A stream shard bears two readers: a third would take turns with them.
func TestTableStream_HasTwoReaders(t *testing.T) {
	for _, name := range all {
		readers := 0
		for _, m := range typed(t, name, "AWS::Lambda::EventSourceMapping") {
			if say(m.Properties["EventSourceArn"]) == "Table.StreamArn" {
				readers++
			}
		}
		if readers != 2 {
			t.Errorf("%s: %d read the table stream, want 2", name, readers)
		}
	}
}

func TestPurgeSchedule_LooksAsOftenAsOnALaptop(t *testing.T) {
	for _, name := range all {
		rule := resources(t, name)["PurgeSchedule"].Properties
		if got := say(rule["ScheduleExpression"]); got != "rate(1 minute)" || config.PurgeEvery != time.Minute {
			t.Errorf("%s: looks at %s, a laptop every %s", name, got, config.PurgeEvery)
		}
		targets, _ := rule["Targets"].([]any)
		if len(targets) != 1 || say(targets[0].(map[string]any)["Arn"]) != "PurgeFunction.Arn" {
			t.Errorf("%s: invokes %v", name, targets)
		}
	}
}

// Lambda's own defaults for both are without end.
func TestMappings_RetryWithinBounds(t *testing.T) {
	for _, name := range all {
		for id, m := range typed(t, name, "AWS::Lambda::EventSourceMapping") {
			// Every function that is read for answers which records failed, and no others
			// come again.
			if got := say(m.Properties["FunctionResponseTypes"]); got != "ReportBatchItemFailures" {
				t.Errorf("%s: %s hears of failures by %q", name, id, got)
			}
			if say(m.Properties["EventSourceArn"]) == "InboxQueue.Arn" {
				continue // a queue counts receipts itself
			}
			for _, bound := range []string{"MaximumRetryAttempts", "MaximumRecordAgeInSeconds"} {
				if n, ok := m.Properties[bound].(float64); !ok || n < 0 {
					t.Errorf("%s: %s has %s %v: want a bound", name, id, bound, m.Properties[bound])
				}
			}
		}
		invoke := resources(t, name)["IngestInvokeConfig"].Properties
		if invoke["MaximumRetryAttempts"] != 2.0 || say(at(invoke, "DestinationConfig", "OnFailure", "Destination")) != "UndeliveredQueue.Arn" {
			t.Errorf("%s: what an asynchronous door cannot deliver ends as %v", name, invoke)
		}
	}
	inbox := resources(t, "full")["InboxQueue"].Properties
	if at(inbox, "RedrivePolicy", "maxReceiveCount") != float64(doorRetries) || say(at(inbox, "RedrivePolicy", "deadLetterTargetArn")) != "UndeliveredQueue.Arn" {
		t.Errorf("the inbox redrives by %v", inbox["RedrivePolicy"])
	}
}
