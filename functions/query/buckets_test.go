package main

import "testing"

func TestHandle_OnlyRollupsMergeStreams(t *testing.T) {
	h, _ := newHandler(t)
	const series, both = "/v1/devices/sensor_01/readings", "?stream=&stream=status&last=24h"
	requireProblem(t, get(t, h, series+"?stream=&stream=status"), "/problems/repeated-parameter")
	requireProblem(t, get(t, h, series+"/latest?stream=&stream=status"), "/problems/repeated-parameter")
	if r := get(t, h, series+"/rollups"+both); r.Status != 200 {
		t.Errorf("rollups of both: %d %s", r.Status, r.Body)
	}
}

func TestHandle_CacheControlDependsOnTheBuckets(t *testing.T) {
	h, _ := newHandler(t)
	const series = "/v1/devices/sensor_01/readings"
	for path, want := range map[string]string{
		series:             "private, no-cache",
		series + "/latest": "private, no-cache",
		series + "/rollups/hour?to=2026-04-20T14:00:00Z":                 "private, max-age=60",
		series + "/rollups/hour?to=2026-04-20T14:00:00Z&consistent=true": "private, no-cache",
		series + "/rollups/hour?to=2026-04-20T14:00:01Z":                 "private, max-age=5",
		series + "/rollups/hour":                                         "private, max-age=5",
		series + "/rollups/day?to=2026-04-20T00:00:00Z":                  "private, max-age=60",
		series + "/rollups?last=2h":                                      "private, max-age=5",
		series + "/rollups/week":                                         "no-store",
	} {
		if got := get(t, h, path).Headers["Cache-Control"]; got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
