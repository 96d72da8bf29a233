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
	for id, r := range resources(t, "lean") { // it has a queue, and no data stream
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
	want := []string{"AggregateProgressAge", "InboxAge", "IngestErrors", "OnFailureDepth", "UndeliveredDepth"}
	if !slices.Equal(got, want) {
		t.Errorf("alarms %v, want %v", got, want)
	}
	causes := resourcesOfType(t, "lean", "AWS::CloudWatch::CompositeAlarm")
	if len(causes) != 2 || causes["StoppedCause"].Type == "" || causes["LostCause"].Type == "" {
		t.Errorf("causes %v, want Stopped and Lost", causes)
	}
}

// What nothing reads from a source, and what a webhook does not accept, expires.
func TestLean_WatchesWhatWaitsInTheSourcesAndForWebhooks(t *testing.T) {
	settings := shipped(t)
	for name, change := range map[string]func(*config.Stage){
		"all": func(s *config.Stage) {
			s.Sources.SQS, s.Sources.Kinesis = true, true
			s.Webhooks.Slack = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:slack-AbCdEf"
		},
		"none": func(s *config.Stage) { s.AlarmMail = "team@example.com" },
	} {
		stage := config.NewStage(name)
		stage.Monitoring = config.LeanMonitoring
		change(&stage)
		settings.Stages = append(settings.Stages, stage)
	}
	templates := synthesize(t, settings)
	for name, want := range map[string]bool{"all": true, "none": false} {
		all, err := templates[name].Resources()
		if err != nil {
			t.Fatal(err)
		}
		for _, alarm := range []alarmName{alarmInboxAge, alarmInletAge, alarmDeadAlerts} {
			if _, has := all[string(alarm)+alarmSuffix]; has != want {
				t.Errorf("%s: alarm %s: %t, want %t", name, alarm, has, want)
			}
		}
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
