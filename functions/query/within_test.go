package main

import (
	"strings"
	"testing"
)

// A range has the buckets that begin in it. What it has of the bucket before them is not "no events".
func TestHandle_ABeginningWithinABucketIsNamedAsMissing(t *testing.T) {
	h := newSite(t)
	const (
		views   = "/v1/sites/my-site/pageviews"
		minutes = "?from=2026-04-20T14:28:00Z&to=2026-04-20T14:30:00Z"
		within  = `"missing":[{"tier":"day","from":"2026-04-20T14:28:00.000Z","to":"2026-04-20T14:30`
		before  = `"missing":[{"tier":"day","from":"2026-04-19T14:28:00.000Z","to":"2026-04-20T00:00:00.000Z"`
		half    = `"missing":[{"tier":"minute","from":"2026-04-20T14:28:30.000Z","to":"2026-04-20T14:29:00.000Z"`
		because = `begin it at 2026-04-20T00:00:00.000Z for the day that contains it`
	)
	for path, want := range map[string]string{
		views + "/rollups/day" + minutes:                                                              within,
		views + "/rollups/day" + minutes + "&zone=UTC":                                                "",
		views + "/top/path" + minutes:                                                                 within,
		"/v1/sites/my-site/rollups/day" + minutes:                                                     within,
		views + "/rollups/minute" + minutes:                                                           "",
		views + "/rollups/minute?from=2026-04-20T14:28:30Z&to=2026-04-20T14:29:30Z":                   half,
		views + "/rollups/day?from=2026-04-20&to=2026-04-21":                                          "",
		views + "/rollups/total?from=2026-04-20T14:28:30Z&to=2026-04-20T14:28:40Z":                    "",
		views + "/rollups" + minutes:                                                                  "",
		views + "/rollups/day?from=2026-04-19T14:28:00Z&to=2026-04-20":                                before,
		views + "/rollups/day?from=2026-04-19T14:28:00Z&to=2026-04-20T00:00:01Z":                      before,
		views + "/rollups/day?order=newest&limit=1&from=2026-04-18T14:28:00Z&to=2026-04-21T00:00:00Z": "",
	} {
		got := get(t, h, path)
		missing := strings.Contains(got.Body, `"missing"`)
		if missing != (want != "") || !strings.Contains(got.Body, want) ||
			want == within && !strings.Contains(got.Body, because) {
			t.Errorf("%s: %d %s, want %q", path, got.Status, got.Body, want)
		}
	}
	// The page that reaches the beginning names it.
	older := get(t, h, views+"/rollups/day?order=newest&limit=9&from=2026-04-18T14:28:00Z&to=2026-04-21T00:00:00Z")
	if !strings.Contains(older.Body, `"to":"2026-04-19T00:00:00.000Z"`) {
		t.Errorf("the whole range in a page: %s, want its beginning in missing", older.Body)
	}
	got := get(t, h, views+"/top/path"+minutes)
	if !strings.Contains(got.Body, `"exact":false`) {
		t.Errorf("the values of a range within a day: %s, want exact false", got.Body)
	}
}
