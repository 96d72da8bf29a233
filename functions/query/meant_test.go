package main

import (
	"strings"
	"testing"
)

func TestHandle_NamesWhatWasMeant(t *testing.T) {
	h := newSubjects(t)
	for path, want := range map[string]string{
		"/v1/device/c/readings":                              "devices",
		"/v1/devices/c/reading/latest":                       "readings",
		"/v1/devices/c/readings/rollups/daily":               "day",
		"/v1/devices/c/readings/rollups/day?zone=Berlin":     "Europe/Berlin",
		"/v1/devices/c/readings/rollups/day?form=2026-01-01": "from",
	} {
		if got := get(t, h, path); !strings.Contains(got.Body, "(did you mean "+want+"?)") {
			t.Errorf("%s: %s, want %s named", path, got.Body, want)
		}
	}
}
