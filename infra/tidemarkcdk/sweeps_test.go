package tidemarkcdk

import (
	"fmt"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
)

// Each part of the sweeps is a target of the schedule, and no queue shard is left out.
func TestSchedule_InvokesAggregateForEachPartOfTheSweeps(t *testing.T) {
	targets := at(resources(t, "full")["AlertsSchedule"].Properties, "Targets").([]any)
	names, parts := map[string]bool{}, map[envelope.Part]bool{}
	for _, t := range targets {
		target := t.(map[string]any)
		names[target["Id"].(string)] = true
		parts[envelope.ParsePart([]byte(target["Input"].(string)))] = true
	}
	if len(names) != 4 || len(parts) != 4 || !parts[envelope.Part{Sweep: 3, Sweeps: 4}] {
		t.Errorf("targets %v are the parts %v, want four", names, parts)
	}
	for _, name := range []string{"dev", "prod"} {
		if got := at(resources(t, name)["AlertsSchedule"].Properties, "Targets").([]any); len(got) != 1 ||
			got[0].(map[string]any)["Input"] != nil {
			t.Errorf("stage %s: targets %s, want one with the scheduled event", name, fmt.Sprint(got...))
		}
	}
}
