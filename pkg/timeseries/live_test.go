package timeseries_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// storeOnly hides the low watermarks of a store.
type storeOnly struct{ timeseries.Store }

func TestRollups_HaveTheEventsOfOpenBuckets(t *testing.T) {
	kind := iot.Readings
	kind.Retention = tier.Standard()
	kind.Retention.Tiers = slices.Clone(kind.Retention.Tiers)
	for i := range kind.Retention.Tiers {
		kind.Retention.Tiers[i].Deferred = true
	}
	events, err := timeseries.Open[Reading](newTable(), kind, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	reading := Reading{Device: "sensor_01", At: today.Add(-time.Minute), Temperature: number("7"),
		Location: "hall"}
	if out, err := events.Append(t.Context(), reading); err != nil || out.Outcome != model.Applied {
		t.Fatalf("append: %s, %v", out.Outcome, err)
	}
	for _, unit := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
		list, err := events.Rollups(t.Context(), sensor, unit,
			timeseries.In(today.AddDate(0, -1, 0), today.AddDate(0, 1, 0)))
		found := list.Rollups
		if err != nil || len(found) != 1 || found[0].Summary.Events() != 1 {
			t.Errorf("%s: %d rollups, %v; want one of one event that no aggregator has processed", unit, len(found),
				err)
		}
	}
	for from, want := range map[time.Duration]int64{2 * time.Minute: 1, 30 * time.Second: 0} {
		total, err := events.Total(t.Context(), sensor, timeseries.In(today.Add(-from), today))
		if err != nil || total.Summary.Events() != want || len(total.Missing) > 0 {
			t.Errorf("the total of %s: %d events, missing %v, %v; want %d events and nothing missing", from,
				total.Summary.Events(), total.Missing, err, want)
		}
	}
	if _, err := timeseries.Open[Reading](storeOnly{newTable()}, kind, nil); err == nil ||
		!strings.Contains(err.Error(), "no low watermarks") {
		t.Errorf("error %v, want that the store has no low watermarks", err)
	}
}
