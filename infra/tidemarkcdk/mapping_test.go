package tidemarkcdk

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
)

// mappingSettings returns a mapping as the settings of a local stack, without the filter.
func mappingSettings(mapping map[string]any) eventsource.Settings {
	number := func(name string) int { n, _ := mapping[name].(float64); return int(n) }
	return eventsource.Settings{
		BatchSize:       number("BatchSize"),
		Window:          time.Duration(number("MaximumBatchingWindowInSeconds")) * time.Second,
		MaxRetries:      number("MaximumRetryAttempts"),
		MaxRecordAge:    time.Duration(number("MaximumRecordAgeInSeconds")) * time.Second,
		Bisect:          mapping["BisectBatchOnFunctionError"] == true,
		Parallelization: number("ParallelizationFactor"),
		ReportFailures:  render(mapping["FunctionResponseTypes"]) == "ReportBatchItemFailures",
	}
}

// pattern returns the only filter of a mapping.
func pattern(mapping map[string]any) string {
	filters, _ := at(mapping, "FilterCriteria", "Filters").([]any)
	if len(filters) != 1 {
		return ""
	}
	return render(filters[0].(map[string]any)["Pattern"])
}

func TestMapping_EqualsTheLocalStacks(t *testing.T) {
	want, err := stack.MappingSettings(shipped(t).Mapping)
	if err != nil {
		t.Fatal(err)
	}
	want.Filter = nil
	for _, name := range all {
		if diff := cmp.Diff(want, mappingSettings(resources(t, name)["Mapping"].Properties)); diff != "" {
			t.Errorf("%s (-local +deployed):\n%s", name, diff)
		}
	}
}

// Filters cannot be compared directly: each sample record of the table stream must match both
// or neither.
func TestMapping_FiltersLikeTheLocalStack(t *testing.T) {
	localSettings, err := stack.MappingSettings(shipped(t).Mapping)
	if err != nil {
		t.Fatal(err)
	}
	deployed, err := eventsource.ParseFilter(pattern(resources(t, "prod")["Mapping"].Properties))
	if err != nil {
		t.Fatal(err)
	}
	matched, other := 0, 0
	for _, record := range sampledRecords(t) {
		want, got := localSettings.Filter.Match(record), deployed.Match(record)
		if got != want {
			t.Errorf("deployed %v, local %v: %s", got, want, record)
		}
		if got {
			matched++
		} else {
			other++
		}
	}
	if matched == 0 || other == 0 {
		t.Errorf("%d records matched and %d did not: the samples must have both", matched, other)
	}
}

func sampledRecords(t *testing.T) (records []json.RawMessage) {
	t.Helper()
	samples, err := filepath.Glob("../../events/aggregate/*.json")
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

func TestMapping_StartsAtTheOldestRecordAndKeepsFailedBatches(t *testing.T) {
	for _, name := range watched {
		mapping := resources(t, name)["Mapping"].Properties
		got := map[string]string{
			"filter":     pattern(mapping),
			"from":       render(mapping["StartingPosition"]),
			"source":     render(mapping["EventSourceArn"]),
			"function":   render(mapping["FunctionName"]),
			"on failure": render(at(mapping, "DestinationConfig", "OnFailure", "Destination")),
			"metrics":    render(at(mapping, "MetricsConfig", "Metrics")),
		}
		want := map[string]string{
			"filter":     tablekeys.AggregateFilter,
			"from":       config.StartingPosition,
			"source":     "Table.StreamArn",
			"function":   "AggregateFunction.Arn",
			"on failure": "OnFailureQueue.Arn",
			"metrics":    "EventCount",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestPurgeMapping_DeliversOnlyExpiredTombstones(t *testing.T) {
	for _, name := range all {
		mapping := resources(t, name)["PurgeMapping"].Properties
		if got := pattern(mapping); got != tablekeys.PurgeFilter {
			t.Errorf("%s: filters by %s", name, got)
		}
		if diff := cmp.Diff(mappingSettings(resources(t, name)["Mapping"].Properties),
			mappingSettings(mapping)); diff != "" {
			t.Errorf("%s (-aggregate +purge):\n%s", name, diff)
		}
		if render(mapping["FunctionName"]) != "PurgeFunction.Arn" ||
			render(mapping["EventSourceArn"]) != "Table.StreamArn" {
			t.Errorf("%s: %v invokes %v", name, mapping["EventSourceArn"], mapping["FunctionName"])
		}
	}
}

// A stream shard supports two readers: a third would slow them down.
func TestTableStream_HasTwoReaders(t *testing.T) {
	for _, name := range all {
		readers := 0
		for _, m := range resourcesOfType(t, name, "AWS::Lambda::EventSourceMapping") {
			if render(m.Properties["EventSourceArn"]) == "Table.StreamArn" {
				readers++
			}
		}
		if readers != 2 {
			t.Errorf("%s: %d readers of the table stream, want 2", name, readers)
		}
	}
}

func TestPurgeSchedule_HasTheIntervalOfTheLocalStack(t *testing.T) {
	for _, name := range all {
		rule := resources(t, name)["PurgeSchedule"].Properties
		if got := render(rule["ScheduleExpression"]); got != "rate(1 minute)" || config.PurgeEvery != time.Minute {
			t.Errorf("%s: invokes at %s, a local stack every %s", name, got, config.PurgeEvery)
		}
		targets, _ := rule["Targets"].([]any)
		if len(targets) != 1 || render(targets[0].(map[string]any)["Arn"]) != "PurgeFunction.Arn" {
			t.Errorf("%s: invokes %v", name, targets)
		}
	}
}

// Lambda's defaults for both are unlimited.
func TestMappings_RetryWithinBounds(t *testing.T) {
	for _, name := range all {
		for id, m := range resourcesOfType(t, name, "AWS::Lambda::EventSourceMapping") {
			// Only the records that a function reports as failed are delivered again.
			if got := render(m.Properties["FunctionResponseTypes"]); got != "ReportBatchItemFailures" {
				t.Errorf("%s: %s reports failures by %q", name, id, got)
			}
			if render(m.Properties["EventSourceArn"]) == "InboxQueue.Arn" {
				continue // a queue counts receipts itself
			}
			for _, bound := range []string{"MaximumRetryAttempts", "MaximumRecordAgeInSeconds"} {
				if n, ok := m.Properties[bound].(float64); !ok || n < 0 {
					t.Errorf("%s: %s has %s %v: want a bound", name, id, bound, m.Properties[bound])
				}
			}
		}
		invoke := resources(t, name)["IngestInvokeConfig"].Properties
		if invoke["MaximumRetryAttempts"] != 2.0 ||
			render(at(invoke, "DestinationConfig", "OnFailure", "Destination")) != "UndeliveredQueue.Arn" {
			t.Errorf("%s: the asynchronous invocation configuration is %v", name, invoke)
		}
	}
	inbox := resources(t, "full")["InboxQueue"].Properties
	if at(inbox, "RedrivePolicy", "maxReceiveCount") != float64(inboxRetries) ||
		render(at(inbox, "RedrivePolicy", "deadLetterTargetArn")) != "UndeliveredQueue.Arn" {
		t.Errorf("the inbox redrives by %v", inbox["RedrivePolicy"])
	}
}

// A failing record of the data stream is retried as long as one of the table stream, then kept, and noticed
// while it waits.
func TestInlet_HasThePatienceOfTheTableStream(t *testing.T) {
	all := resources(t, "full")
	for _, name := range []string{"MaximumRetryAttempts", "MaximumRecordAgeInSeconds",
		"BisectBatchOnFunctionError", "FunctionResponseTypes", "StartingPosition"} {
		if diff := cmp.Diff(all["Mapping"].Properties[name], all["InletMapping"].Properties[name]); diff != "" {
			t.Errorf("%s (-table stream +data stream):\n%s", name, diff)
		}
	}
	if got := render(at(all["InletMapping"].Properties, "DestinationConfig", "OnFailure",
		"Destination")); got != "UndeliveredQueue.Arn" {
		t.Errorf("a batch that is given up goes to %q", got)
	}
	inbox, patience := all["InboxQueue"].Properties, 15*time.Minute.Seconds()
	if times, _ := at(inbox, "RedrivePolicy",
		"maxReceiveCount").(float64); times*inbox["VisibilityTimeout"].(float64) < patience {
		t.Errorf("a message of the queue is received %v times within %v s each, want %v s together", times,
			inbox["VisibilityTimeout"], patience)
	}
	for _, id := range []string{"InletAgeAlarm", "InboxAgeAlarm"} {
		if all[id].Type != "AWS::CloudWatch::Alarm" {
			t.Errorf("no alarm %s", id)
		}
	}
}
