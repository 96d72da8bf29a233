package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestHandle_Total(t *testing.T) {
	h, _ := newHandler(t)
	for path, want := range map[string]string{
		"/v1/devices/sensor_01/readings/rollups/total?from=2026-04-20T12:00:00Z&to=2026-04-20T13:05:00Z": `200 {"bucket":"2026-04-20T12:00:00.000Z","end":"2026-04-20T13:05:00.000Z","tier":"total","exact":true,"open":false,"truncated":false,"unreadable":0,"events":1,"measures":{"temperature":{"count":1,"invalid":0,"sum":21.5,`,
		"/v1/devices/sensor_01/readings/rollups/total?from=2026-04-20T12:00:00Z&to=2026-04-20T14:00:00Z": `"whole":true,"parts":[{"tier":"hour","from":"2026-04-20T12:00:00.000Z","to":"2026-04-20T14:00:00.000Z"}]}`,
		"/v1/devices/sensor_01/readings/rollups/total?last=90m":                                          `"tier":"total","exact":true,"open":true,`,
		"/v1/devices/sensor_01/readings/rollups/total?last=0s":                                           `400 {"type":"/problems/bad-span"`,
		"/v1/devices/sensor_01/readings/rollups/total?from=2026-04-20&to=2026-04-20":                     `400 {"type":"/problems/inverted-range"`,
		"/v1/devices/sensor_01/readings/count?last=2h":                                                   `200 {"events":2,`,
		"/v1/devices/sensor_01/readings?last=1h":                                                         `200 {"events":[{"at":"2026-04-20T14:00:00.000Z"`,
	} {
		r := get(t, h, path)
		if got := fmt.Sprint(r.Status, " ", r.Body); !strings.Contains(got, want) {
			t.Errorf("%s: %s\nwant %s", path, got, want)
		}
	}
}

// A cursor stays valid while the span moves with the clock.
func TestHandle_PagesOfASpan(t *testing.T) {
	h, _ := newHandler(t)
	path, events := "/v1/devices/sensor_01/readings?last=3h&limit=1", 0
	for next := ""; ; {
		var page struct {
			Events []json.RawMessage
			Next   *string
		}
		r := get(t, h, path+next)
		if err := json.Unmarshal([]byte(r.Body), &page); err != nil || r.Status != 200 || events > 3 {
			t.Fatal(r.Status, r.Body, err)
		}
		if events += len(page.Events); page.Next == nil {
			break
		}
		next = "&cursor=" + *page.Next
		later := h.Query.Now().Add(1)
		h.Query.Now = func() model.Time { return later }
	}
	if events != 3 {
		t.Errorf("%d events on all pages, want 3", events)
	}
}
