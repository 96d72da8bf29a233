package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// alertAt is an alert of sensor_01 in the table, of some minutes after now.
func alertAt(minutes int) *model.Alert {
	return &model.Alert{
		ID: fmt.Sprintf("01KPN3Q8G0V7H4T2W9R5M6C1%02d", minutes), Rule: "too-hot.1", Severity: model.Critical, Measure: "temperature", Limit: "above 30",
		Series:    model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING"},
		Violation: model.Violation{Raised: model.Order{At: now.Add(0)}, Value: model.MustDecimal("31.5")},
	}
}

// ask asks the handler for a path.
func ask(t *testing.T, h *Handler, path, query string) (int, string) {
	t.Helper()
	r := events.APIGatewayV2HTTPRequest{RawPath: path, RawQueryString: query}
	r.RequestContext.HTTP.Method = "GET"
	response, err := h.Handle(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Body
}

func TestAlerts_AreListedPageByPageAndShownOneByOne(t *testing.T) {
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
			status, body := ask(t, h, list.path, query)
			if status != 200 {
				t.Fatalf("%s?%s: %d %s", list.path, query, status, body)
			}
			seen += strings.Count(body, `"message":"temperature 31.5 above 30"`)
			_, next, more := strings.Cut(body, `"next":"`)
			if !more {
				break
			}
			cursor = "&cursor=" + strings.TrimSuffix(next, `"}`)
		}
		if seen != list.want {
			t.Errorf("%s?%s: %d alerts, want %d", list.path, list.query, seen, list.want)
		}
	}
	if status, body := ask(t, h, "/v1/devices/sensor_01/alerts/"+alertAt(3).ID, ""); status != 200 || !strings.Contains(body, `"status":"open"`) {
		t.Errorf("one alert: %d %s", status, body)
	}
}

func TestAlerts_WhoIsBoundToAnOwnerHasNoListOverAll(t *testing.T) {
	h, _ := newHandler(t)
	h.Owner = "tenant"
	for _, path := range []string{"/v1/alerts/devices", "/v1/rules/devices", "/v1/devices/other:1/alerts"} {
		r := events.APIGatewayV2HTTPRequest{RawPath: path}
		r.RequestContext.HTTP.Method = "GET"
		r.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
			JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{"tenant": "acme"}},
		}
		if response, err := h.Handle(t.Context(), r); err != nil || response.StatusCode != 403 {
			t.Errorf("%s: %d %s, %v; want 403", path, response.StatusCode, response.Body, err)
		}
	}
}
