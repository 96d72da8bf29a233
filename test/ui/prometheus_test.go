package ui

import (
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	prom "github.com/prometheus/common/model"
)

// The requests of Grafana's data source, from a client of Prometheus, pass the front and the function of a
// local stack.
func TestPrometheus_IsServedByTheLocalStack(t *testing.T) {
	s := start(t, "")
	now := machine.Now().UTC()
	post(t, s.URL+"/v1/readings", map[string]any{"deviceId": "sensor_01",
		"timestamp": now.Add(-time.Second).Format(time.RFC3339), "temperature": 20})
	if err := s.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	client, err := api.NewClient(api.Config{Address: s.URL + "/prometheus"})
	if err != nil {
		t.Fatal(err)
	}
	prometheus := v1.NewAPI(client)
	if sum, _, _, err := prometheus.Query(t.Context(), "1+1", now); err != nil || sum.(*prom.Scalar).Value != 2 {
		t.Errorf("1+1: %v, %v", sum, err)
	}
	if info, err := prometheus.Buildinfo(t.Context()); err != nil || info.Version == "" {
		t.Errorf("build info: %+v, %v", info, err)
	}
	all := []string{`{__name__=~".+"}`}
	names, _, _, err := prometheus.LabelValues(t.Context(), "__name__", all, now.Add(-time.Hour), now,
		v1.WithLimit(1000))
	if err != nil || !slices.Contains(names, "temperature") {
		t.Errorf("metrics: %v, %v", names, err)
	}
	series, _, _, err := prometheus.Series(t.Context(), all, now.Add(-time.Hour), now, v1.WithLimit(5))
	if err != nil || len(series) != 5 || series[0]["subject"] != "sensor_01" {
		t.Errorf("series: %v, %v", series, err)
	}
	if _, err := prometheus.Metadata(t.Context(), "temperature", ""); err != nil {
		t.Error(err)
	}
}
