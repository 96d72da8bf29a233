package main

import (
	"crypto/rand"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// raiseAlert adds a rule to sensor and stores a reading that raises an alert.
func (f *fixture) raiseAlert() {
	f.Helper()
	kind, _ := f.catalog.Kind("READING")
	alerts := &alert.Service{Store: f.table, Catalog: f.catalog, Now: f.now, Rand: rand.Reader}
	high := model.NewDecimal(30)
	if _, invalid, err := alerts.AddRule(f.Context(), storage.Rule{Name: "too-hot", SubjectType: sensor.Type,
		Subject: sensor.ID, Kind: kind.Name, AnyStream: true,
		Measure: "temperature", Bounds: storage.Above, High: &high, Severity: storage.Info}); err != nil || invalid != nil {
		f.Fatal(invalid, err)
	}
	service := &ingest.Service{Store: f.table, Limits: config.Default().Limits, Now: f.now, Rand: rand.Reader}
	results, err := service.AppendEvents(f.Context(), kind,
		[]ingest.TypedObservation{{Subject: sensor.ID, At: f.now(),
			Attrs: model.Attrs{{Name: "temperature", Value: model.NumberValue(model.NewDecimal(40))}}}})
	if err != nil {
		f.Fatal(err)
	}
	report := alerts.Evaluate(f.Context(), []storage.Change{{Type: storage.Inserted, Key: results[0].Key}})
	page, err := alerts.ListBySubject(f.Context(), sensor, alert.Filter{}, alert.Cursor{}, 0)
	if err != nil || len(page.Alerts) != 1 {
		f.Fatalf("got %d alerts, %v; report %+v", len(page.Alerts), err, report)
	}
}

func TestPurge_RemovesRulesStatesAlertsAndNotificationsOfTheSubject(t *testing.T) {
	f := newFixture(t)
	f.create()
	f.raiseAlert()
	f.sample("direct")
	for range 10 {
		f.clock.Add(time.Minute.Milliseconds())
		f.sample("scheduled")
	}
	items, _, err := f.table.Scan(t.Context(), keys.Key{})
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, it := range items {
		left = append(left, it.Key().PK+" "+it.Key().SK)
	}
	// The second item records that some subject has its own rules; it names no subject.
	if want := []string{"GATE#DEVICE#sensor_01 GATE", "RULE#DEVICE READING#SUBJECTS"}; !slices.Equal(left,
		want) {
		t.Errorf("left after the purge: %q, want %q", left, want)
	}
}
