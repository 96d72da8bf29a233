package tidemarkcdk

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
)

// The composite alarms of the two causes notify the receiver of the stage.
func TestLean_WatchesForSilenceAndLossOnly(t *testing.T) {
	var got []string
	for id, r := range resources(t, "lean") {
		switch r.Type {
		case "AWS::CloudWatch::Alarm":
			got = append(got, strings.TrimSuffix(id, "Alarm"))
		case "AWS::CloudWatch::Dashboard":
			t.Error("a lean stage has a dashboard")
		case "AWS::Lambda::EventSourceMapping":
			if r.Properties["MetricsConfig"] != nil {
				t.Errorf("%s publishes event counts", id)
			}
		}
	}
	slices.Sort(got)
	if want := slices.Sorted(slices.Values(texts(leanAlarms))); !slices.Equal(got, want) {
		t.Errorf("alarms %v, want %v", got, want)
	}
	causes := resourcesOfType(t, "lean", "AWS::CloudWatch::CompositeAlarm")
	if len(causes) != 2 || causes["StoppedCause"].Type == "" || causes["LostCause"].Type == "" {
		t.Errorf("causes %v, want Stopped and Lost", causes)
	}
}

// CloudWatch bills a metric for each hour that it has a value, and each line of a log.
func TestLean_PublishesFewerMetricsAndLines(t *testing.T) {
	for _, stage := range []string{"lean", "prod"} {
		functions := resourcesOfType(t, stage, "AWS::Lambda::Function")
		if len(functions) == 0 {
			t.Fatalf("%s has no functions", stage)
		}
		for id, f := range functions {
			lean := at(f.Properties, "Environment", "Variables", config.EnvMonitoring) == "lean"
			quiet := at(f.Properties, "LoggingConfig", "SystemLogLevel") == "WARN"
			if lean != (stage == "lean") || quiet != lean {
				t.Errorf("%s: %s: lean metrics %t, only warnings of Lambda %t", stage, id, lean, quiet)
			}
		}
	}
}
