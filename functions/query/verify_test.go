package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
)

func TestHandle_ABucketIsRecountedFromItsEvents(t *testing.T) {
	h, _ := newHandler(t)
	h.Buckets.MaxEvents = 100
	const device = "/v1/devices/sensor_01/readings/verify/"
	const other = "/v1/devices/sensor_02/readings/verify/"
	for target, want := range map[string]verify.Status{
		device + "hour?at=2026-04-20T13:10:00Z":     verify.Equal,
		device + "hour?at=2026-04-20T13:59:59.999Z": verify.Equal,
		other + "hour?at=2026-04-20T13:10:00Z":      verify.Equal, // to nothing
		// It has an event and no row.
		device + "hour?at=2026-04-20T14:10:00Z&stream=status": verify.Missing,
	} {
		r := get(t, h, target)
		var got verificationView
		err := json.Unmarshal([]byte(r.Body), &got)
		if err != nil || r.Status != http.StatusOK || got.Status != want {
			t.Errorf("%s: %d %s, %v; want %s", target, r.Status, r.Body, err, want)
		}
		if got.Bucket > at("2026-04-20T14:10:00Z") || got.End.Sub(got.Bucket).Hours() != 1 {
			t.Errorf("%s: bucket %s to %s, want the hour", target, got.Bucket, got.End)
		}
	}
	h.Buckets.MaxEvents = 1
	for target, want := range map[string]string{
		device + "hour":                                                 "at is missing",
		device + "hour?at=soon":                                         "at: ",
		device + "minute?at=2026-04-20T13:10:00Z":                       "minute",
		device + "day?at=2026-04-20T13:10:00Z":                          "tidemark verify",
		"/v1/by-site/berlin/readings-by-site/verify/hour?at=2026-04-20": "",
	} {
		if r := get(t, h, target); r.Status < 400 || r.Status >= 500 || !strings.Contains(r.Body, want) {
			t.Errorf("%s: %d %s; want a problem with %q", target, r.Status, r.Body, want)
		}
	}
}
