package telemetry_test

import (
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
)

// A metric without a publisher would have no graph and no alarm.
func TestPublishers_EveryMetricHasAtLeastOne(t *testing.T) {
	for _, d := range telemetry.Catalogue() {
		if len(d.Metric.Publishers()) == 0 {
			t.Errorf("no function publishes %s: add them to its row", d.Metric)
		}
	}
	if got, want := telemetry.Throttles.Publishers(), []string{"ingest", "aggregate"}; !slices.Equal(got, want) {
		t.Errorf("Throttles are published by %v, want %v", got, want)
	}
	if got := telemetry.Metric("").Publishers(); got != nil {
		t.Errorf("no metric is published by %v", got)
	}
}
