package telemetry_test

import (
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/telemetry"
)

// A metric without a publisher would be drawn and watched nowhere.
func TestPublishers_EveryMetricHasOne(t *testing.T) {
	for _, d := range telemetry.Catalogue() {
		if len(d.Metric.Publishers()) == 0 {
			t.Errorf("%s is published by no function: give it a place among the publishers", d.Name)
		}
	}
	if got, want := telemetry.Throttles.Publishers(), []string{telemetry.ByIngest, telemetry.ByAggregate}; !slices.Equal(got, want) {
		t.Errorf("Throttles are published by %v, want %v", got, want)
	}
	if got := telemetry.Metric(0).Publishers(); got != nil {
		t.Errorf("no metric is published by %v", got)
	}
}
