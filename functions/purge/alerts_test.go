package main

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// alerted is a stage on which a reading of sensor_01 has raised an alert by a rule of its
// own.
func alerted(t *testing.T) (*stage, model.Alert) {
	t.Helper()
	s := newStage(t)
	s.sample("create")
	if got := s.sample("rule-add-own"); got != "200" {
		t.Fatal(got)
	}
	kind, _ := s.catalog.Kind("READING")
	appends := &ingest.Service{Store: s.table, Limits: config.Default().Limits, Now: s.now, Rand: rand.Reader}
	out, err := appends.AppendEvents(t.Context(), kind, []ingest.Draft{{Subject: sensor.ID, At: s.now(),
		Attrs: model.Attrs{{Name: "temperature", Value: model.NumberValue(model.DecimalOf(40))}}}})
	if err != nil {
		t.Fatal(err)
	}
	report := s.alerts.Look(t.Context(), []model.Change{{What: model.Inserted, Key: out[0].Key}})
	page, err := s.alerts.OfSubject(t.Context(), sensor, alert.Filter{}, alert.Cursor{}, 0)
	if err != nil || len(page.Alerts) != 1 {
		t.Fatalf("%d alerts, %v; %+v", len(page.Alerts), err, report)
	}
	return s, page.Alerts[0]
}

func TestHands_OverHTTPAreWhoeverCalls(t *testing.T) {
	s, a := alerted(t)
	for _, step := range []struct{ word, want string }{
		{"acknowledge", `"status":"open"`}, {"acknowledge", `"by":"arn:aws:iam::123456789012:user/ops"`},
		{"resolve", `"status":"resolved"`}, {"resolve", `"resolvedAt":"2026-04-20T14:00:01.000Z"`},
	} {
		request := map[string]any{"rawPath": "/v1/devices/sensor_01/alerts/" + a.ID + "/" + step.word, "requestContext": map[string]any{
			"http":       map[string]any{"method": "POST"},
			"authorizer": map[string]any{"iam": map[string]any{"userArn": "arn:aws:iam::123456789012:user/ops"}},
		}}
		payload, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := s.Invoke(t.Context(), payload)
		var response struct {
			StatusCode int
			Body       string
		}
		if err != nil || json.Unmarshal(answer, &response) != nil || response.StatusCode != 200 || !strings.Contains(response.Body, step.want) {
			t.Errorf("%s answers %s, %v; want %s", step.word, answer, err, step.want)
		}
	}
}

func TestPurge_TakesRulesStatesAlertsAndNoticesOfTheSubject(t *testing.T) {
	s, _ := alerted(t)
	s.sample("direct")
	for range 10 {
		s.clock.Add(time.Minute.Milliseconds())
		s.sample("scheduled")
	}
	items, _, err := s.table.Scan(t.Context(), keys.Key{})
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, it := range items {
		left = append(left, it.Key().PK+" "+it.Key().SK)
	}
	// That there are subjects with rules of their own names no subject.
	if want := []string{"GATE#DEVICE#sensor_01 GATE", "RULE#DEVICE READING#SUBJECTS"}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}
