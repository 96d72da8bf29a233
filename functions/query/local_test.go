package main

import (
	"fmt"
	"strings"
	"testing"
)

// Days of a zone are cut from buckets and events, and dates of the range are in the zone.
func TestHandle_RollupsOfATimeZone(t *testing.T) {
	h, _ := newHandler(t)
	const path = "/v1/devices/sensor_01/readings/rollups/"
	for query, want := range map[string]string{
		"day?zone=Europe/Berlin&from=2026-04-20&to=2026-04-21":     `200 {"rollups":[{"bucket":"2026-04-19T22:00:00.000Z","end":"2026-04-20T22:00:00.000Z","tier":"day","zone":"Europe/Berlin","exact":true,"open":true,`,
		"week?zone=America/New_York&from=2026-04-20&to=2026-04-21": `"bucket":"2026-04-20T04:00:00.000Z","end":"2026-04-27T04:00:00.000Z","tier":"week","zone":"America/New_York"`,
		"month?zone=Asia/Kathmandu&last=1h":                        `"bucket":"2026-03-31T18:15:00.000Z","end":"2026-04-30T18:15:00.000Z","tier":"month","zone":"Asia/Kathmandu"`,
		"day?zone=Europe/Berlin&from=2026-04-21&to=2026-04-22":     `200 {"rollups":[],"next":null`,
		"hour?zone=Europe/Berlin":                                  `404 {"type":"/problems/unknown-tier"`,
		"day?zone=Mars/Olympus":                                    `400 {"type":"/problems/bad-zone"`,
		"day?zone=Europe/Berlin&limit=3":                           `400 {"type":"/problems/bad-zone"`,
		"day?zone=Europe/Berlin&from=2020&to=2026":                 `422 {"type":"/problems/too-many-buckets"`,
		"day?zone=Europe/Berlin&from=2026-04-21&to=2026-04-20":     `400 {"type":"/problems/inverted-range"`,
	} {
		r := get(t, h, path+query)
		if got := fmt.Sprint(r.Status, " ", r.Body); !strings.Contains(got, want) {
			t.Errorf("%s: %.400s\nwant %s", query, got, want)
		}
	}
}
