package docs

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// Reading is one measurement of a device. The tags give each field its role.
type Reading struct {
	Device      string         `tide:"subject"`
	At          time.Time      `tide:"time"`
	Temperature *model.Decimal `tide:"measure,scale=9,percentiles"`
	Location    string         `tide:"field"`
}

// load appends a batch and returns the outcome of each reading, in order.
func load(ctx context.Context, table timeseries.Store, batch []Reading) ([]model.Outcome, error) {
	readings, err := timeseries.Open[Reading](table, iot.Readings, nil)
	if err != nil {
		return nil, err
	}
	results, err := readings.AppendAll(ctx, batch)
	var outcomes []model.Outcome
	for _, r := range results {
		outcomes = append(outcomes, r.Outcome) // applied, late, duplicate, …
	}
	return outcomes, err
}

// average returns the average temperature of a device on each day from a time on.
func average(ctx context.Context, table timeseries.Store, device string, from time.Time) ([]float64, error) {
	readings, err := timeseries.Open[Reading](table, iot.Readings, nil)
	if err != nil {
		return nil, err
	}
	days, err := readings.Rollups(ctx, timeseries.Key{Subject: device}, tier.Day,
		timeseries.In(from, time.Now()))
	if err == nil && len(days.Missing) > 0 { // days that have expired are not days without readings
		err = fmt.Errorf("not known from %s on: %s", days.Missing[0].From, days.Missing[0].Reason())
	}
	var averages []float64
	for _, day := range days.Rollups {
		if avg, ok := day.Measure("temperature").Avg(); ok {
			averages = append(averages, avg)
		}
	}
	return averages, err
}

func TestReadme_ABatchThatIsDeliveredTwiceCountsOnce(t *testing.T) {
	now := func() model.Time { return model.NewTime(time.Now()) }
	table := memory.New(now)
	hot := model.MustDecimal("30")
	mild := model.MustDecimal("20")
	noon := time.Now().Truncate(24 * time.Hour).Add(-12 * time.Hour)
	batch := []Reading{{Device: "sensor_01", At: noon, Temperature: &mild},
		{Device: "sensor_01", At: noon.Add(time.Minute), Temperature: &hot}}
	for _, want := range []model.Outcome{model.Applied, model.Duplicate} {
		outcomes, err := load(t.Context(), table, batch)
		if err != nil || len(outcomes) != 2 || outcomes[0] != want || outcomes[1] != want {
			t.Fatalf("load: got %v, %v; want %s twice", outcomes, err, want)
		}
	}
	for range 2 { // the stream's batch is delivered twice, too
		aggregateStream(t, table)
	}
	got, err := average(t.Context(), table, "sensor_01", noon.Add(-12*time.Hour))
	if err != nil || len(got) != 1 || got[0] != 25 {
		t.Errorf("average: got %v, %v; want [25]", got, err)
	}
}

// aggregateStream delivers all records of the table's stream to the aggregate function.
func aggregateStream(t *testing.T, table *memory.Table) {
	t.Helper()
	kinds, err := catalog.New(iot.Readings)
	if err != nil {
		t.Fatal(err)
	}
	a := &aggregate.Aggregator{Store: table, QuarantineStore: table, Catalog: kinds, Now: func() model.Time {
		return model.NewTime(time.Now())
	}}
	var changes []storage.Change
	for _, r := range table.Records(0) {
		if key, err := keys.ParseEvent(r.Keys); err == nil && r.Name == memory.Insert {
			changes = append(changes, storage.Change{Type: storage.Inserted, Key: key, Seq: "1", At: r.At})
		}
	}
	if report := a.Process(t.Context(), changes); len(report.Failures) > 0 {
		t.Fatalf("aggregate: %+v", report.Failures)
	}
}
