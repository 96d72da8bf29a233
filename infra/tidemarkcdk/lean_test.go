package tidemarkcdk

import (
	"slices"
	"strings"
	"testing"
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
