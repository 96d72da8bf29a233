package timeseriestest_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
	"github.com/tidemark-db/tidemark/pkg/timeseries/timeseriestest"
)

// Alerts are raised, resolved and withdrawn as on the deployed table: by rules of a measure with each Fold,
// and by rules of silence when the clock advances.
func TestFold_AndAdvanceRaiseAndResolveAlerts(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	table := timeseriestest.New(t, start)
	table.Configure(iot.Readings)
	readings, err := timeseries.Open[reading](table, iot.Readings, table.Options())
	if err != nil {
		t.Fatal(err)
	}
	limit := model.MustDecimal("30")
	for _, r := range []timeseries.Rule{
		{Name: "hot", Test: timeseries.TestValue, Measure: "temperature", Above: &limit, By: "test"},
		{Name: "gone", Test: timeseries.TestSilence, For: 30 * time.Minute, By: "test"},
	} {
		if _, err := readings.PutRule(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	alerts := func(step string, want ...string) {
		t.Helper()
		var got []string
		for a, err := range readings.Alerts(ctx, sensor.Subject, timeseries.AlertFilter{}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s %s", a.Rule, a.Status))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: alerts %q, want %q", step, got, want)
		}
	}
	send := func(temperature float64) reading {
		t.Helper()
		r := reading{Device: sensor.Subject, At: table.Now(), Temperature: temperature}
		if _, err := readings.Append(ctx, r); err != nil {
			t.Fatal(err)
		}
		return r
	}

	hot := send(31)
	alerts("not folded")
	table.Fold()
	alerts("hot", "hot.1 open")
	table.Advance(time.Minute)
	send(20)
	table.Fold()
	alerts("cool", "hot.1 resolved")
	if _, err := readings.Delete(ctx, hot); err != nil {
		t.Fatal(err)
	}
	table.Fold()
	alerts("the hot reading is deleted", "hot.1 withdrawn")

	table.Advance(29 * time.Minute)
	alerts("silent for 29 minutes", "hot.1 withdrawn")
	table.Advance(time.Minute)
	alerts("silent for 30 minutes", "gone.1 open", "hot.1 withdrawn")
	send(20)
	table.Sweep() // does not know of the reading
	alerts("not folded", "gone.1 open", "hot.1 withdrawn")
	table.Fold()
	alerts("back", "gone.1 resolved", "hot.1 withdrawn")
}
