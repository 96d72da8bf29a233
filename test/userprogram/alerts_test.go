package userprogram

import (
	"context"
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// Two ways to list alerts: all of one device, and the critical ones of all devices.
func TestAlerts_AreRaisedByRulesAndListed(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx := context.Background()
		readings := open(t, s, iot.Readings)
		appended(t, readings, at(30), model.Applied)
		limit := model.MustDecimal("20")
		hot := timeseries.Rule{Name: "hot", Subject: sensor.Subject, Measure: "temperature", Above: &limit,
			Severity: timeseries.Critical}
		stored, err := readings.PutRule(ctx, hot)
		if err != nil {
			t.Fatal(err)
		}
		check := func(want timeseries.AlertStatus, open int) {
			t.Helper()
			var found []timeseries.Alert
			for a, err := range readings.Alerts(ctx, sensor.Subject, timeseries.AlertFilter{}) {
				if err != nil {
					t.Fatal(err)
				}
				found = append(found, a)
			}
			if len(found) != 1 || found[0].Status != want || found[0].Rule != stored.ID ||
				!found[0].Raised.Equal(at(30).At) {
				t.Fatalf("alerts of the device: %+v, want one that is %s", found, want)
			}
			n := 0
			for a, err := range readings.OpenAlerts(ctx, timeseries.Critical) {
				if n++; err != nil || a.ID != found[0].ID {
					t.Errorf("%+v, %v", a, err)
				}
			}
			if n != open {
				t.Errorf("%d critical alerts are open, want %d", n, open)
			}
		}
		check(timeseries.AlertOpen, 1)
		if err := readings.DeleteRule(ctx, sensor.Subject, hot.Name, "ann"); err != nil {
			t.Fatal(err)
		}
		check(timeseries.AlertResolved, 0)
		hot.Measure = "temprature"
		if _, err := readings.PutRule(ctx, hot); !errors.Is(err, timeseries.ErrRejected) {
			t.Errorf("a rule of a measure with a typing error: %v", err)
		}
	})
}
