package main

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// raiseAlert adds a rule to sensor and stores a reading that raises an alert.
func (f *fixture) raiseAlert() storage.Alert {
	f.Helper()
	f.sample("create")
	if got := f.sample("rule-add-own"); got != "200" {
		f.Fatal(got)
	}
	kind, _ := f.catalog.Kind("READING")
	service := &ingest.Service{Store: f.table, Limits: config.Default().Limits, Now: f.now, Rand: rand.Reader}
	results, err := service.AppendEvents(f.Context(), kind,
		[]ingest.TypedObservation{{Subject: sensor.ID, At: f.now(),
			Attrs: model.Attrs{{Name: "temperature", Value: model.NumberValue(model.NewDecimal(40))}}}})
	if err != nil {
		f.Fatal(err)
	}
	report := f.alerts.Evaluate(f.Context(), []storage.Change{{Type: storage.Inserted, Key: results[0].Key}})
	page, err := f.alerts.ListBySubject(f.Context(), sensor, alert.Filter{}, alert.Cursor{}, 0)
	if err != nil || len(page.Alerts) != 1 {
		f.Fatalf("got %d alerts, %v; report %+v", len(page.Alerts), err, report)
	}
	return page.Alerts[0]
}

func TestAlerts_ManualActionsRecordTheCaller(t *testing.T) {
	f := newFixture(t)
	a := f.raiseAlert()
	for _, step := range []struct{ word, want string }{
		{"acknowledge", `"status":"open"`}, {"acknowledge", `"by":"arn:aws:iam::123456789012:user/ops"`},
		{"resolve", `"status":"resolved"`}, {"resolve", `"resolvedAt":"2026-04-20T14:00:01.000Z"`},
	} {
		payload, err := json.Marshal(map[string]any{"version": "2.0",
			"rawPath": "/v1/devices/sensor_01/alerts/" + a.ID + "/" + step.word, "requestContext": map[string]any{
				"http":       map[string]any{"method": "POST"},
				"authorizer": map[string]any{"iam": map[string]any{"userArn": "arn:aws:iam::123456789012:user/ops"}},
			}})
		if err != nil {
			t.Fatal(err)
		}
		text, err := f.Invoke(t.Context(), payload)
		var response struct {
			StatusCode int
			Body       string
		}
		if err != nil || json.Unmarshal(text, &response) != nil || response.StatusCode != 200 ||
			!strings.Contains(response.Body, step.want) {
			t.Errorf("%s: got %s, %v; want %s", step.word, text, err, step.want)
		}
	}
}
