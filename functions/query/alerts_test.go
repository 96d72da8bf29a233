package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// alertAt returns an alert of sensor_01; minutes makes its id unique.
func alertAt(minutes int) *storage.Alert {
	return &storage.Alert{
		ID: fmt.Sprintf("01KPN3Q8G0V7H4T2W9R5M6C1%02d", minutes), Rule: "too-hot.1", Severity: storage.Critical, Measure: "temperature", Limit: "above 30",
		Series:    model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING"},
		Violation: storage.Violation{Raised: model.Order{At: now.Add(0)}, Value: model.MustDecimal("31.5")},
	}
}

func TestAlerts_AreListedInPagesAndReadOneByOne(t *testing.T) {
	h, _ := newHandler(t)
	table := h.Alerts.Store.(*memory.Table)
	for minutes := range 5 {
		a := alertAt(minutes)
		if minutes == 4 {
			a.Withdrawn = "its event was deleted"
		}
		if err := table.PutItem(t.Context(), item.FromAlert(a, 0)); err != nil {
			t.Fatal(err)
		}
	}
	for _, list := range []struct {
		path, query string
		want        int
	}{
		{"/v1/devices/sensor_01/alerts", "", 5},
		{"/v1/devices/sensor_01/alerts", "open=true", 4},
		{"/v1/devices/sensor_01/alerts", "severity=info", 0},
		{"/v1/alerts/devices", "severity=critical", 4},
		{"/v1/alerts/devices", "", 4},
	} {
		seen, cursor := 0, ""
		for pages := 0; pages < 10; pages++ {
			query := strings.TrimPrefix(list.query+"&limit=2"+cursor, "&")
			response := get(t, h, list.path+"?"+query)
			if response.Status != 200 {
				t.Fatalf("%s?%s: %d %s", list.path, query, response.Status, response.Body)
			}
			seen += strings.Count(response.Body, `"message":"temperature 31.5 above 30"`)
			_, next, more := strings.Cut(response.Body, `"next":"`)
			if !more {
				break
			}
			next, _, _ = strings.Cut(next, `"`)
			cursor = "&cursor=" + next
		}
		if seen != list.want {
			t.Errorf("%s?%s: %d alerts, want %d", list.path, list.query, seen, list.want)
		}
	}
	if r := get(t, h, "/v1/devices/sensor_01/alerts/"+alertAt(3).ID); r.Status != 200 ||
		!strings.Contains(r.Body, `"status":"open"`) {
		t.Errorf("one alert: %d %s", r.Status, r.Body)
	}
}

func TestAlerts_ACallerWithAnOwnerCannotReadWhatIsOfAll(t *testing.T) {
	h, _ := newHandler(t)
	h.OwnerClaim = "tenant"
	for _, path := range []string{"/v1/rules/devices", "/v1/devices/other:1/alerts"} {
		if r := getAs(t, h, path, map[string]string{"tenant": "acme"}); r.Status != 403 {
			t.Errorf("%s: %d %s; want 403", path, r.Status, r.Body)
		}
	}
}
