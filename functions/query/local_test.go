package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Days of a zone are cut from buckets and events, and dates of the range are in the zone.
func TestHandle_RollupsOfATimeZone(t *testing.T) {
	h, _ := newHandler(t)
	const path = "/v1/devices/sensor_01/readings/rollups/"
	for query, want := range map[string]string{
		"day?zone=Europe/Berlin&from=2026-04-20&to=2026-04-21":     `200 {"rollups":[{"bucket":"2026-04-19T22:00:00.000Z","end":"2026-04-20T22:00:00.000Z","tier":"day","zone":"Europe/Berlin","exact":true,"open":true,`,
		"week?zone=America/New_York&from=2026-04-20&to=2026-04-21": `"bucket":"2026-04-20T04:00:00.000Z","end":"2026-04-27T04:00:00.000Z","tier":"week","zone":"America/New_York"`,
		"week-sunday?zone=Europe/Berlin&last=1h":                   `"end":"2026-04-25T22:00:00.000Z","tier":"week-sunday"`,
		"month?zone=Asia/Kathmandu&last=1h":                        `"bucket":"2026-03-31T18:15:00.000Z","end":"2026-04-30T18:15:00.000Z","tier":"month","zone":"Asia/Kathmandu"`,
		"day?zone=Europe/Berlin&from=2026-04-21&to=2026-04-22":     `200 {"rollups":[],"next":null`,
		"hour?zone=Europe/Berlin":                                  `404 {"type":"/problems/unknown-tier"`,
		"day?zone=Mars/Olympus":                                    `400 {"type":"/problems/bad-zone"`,
		"day?zone=Europe/Berlin&limit=0":                           `400 {"type":"/problems/bad-limit"`,
		"day?zone=Europe/Berlin&cursor=x":                          `400 {"type":"/problems/forged-cursor"`,
		"day?zone=Europe/Berlin&from=2020&to=2026":                 `422 {"type":"/problems/too-many-buckets"`,
		"day?zone=Europe/Berlin&from=2026-04-21&to=2026-04-20":     `400 {"type":"/problems/inverted-range"`,
	} {
		r := get(t, h, path+query)
		if got := fmt.Sprint(r.Status, " ", r.Body); !strings.Contains(got, want) {
			t.Errorf("%s: %.400s\nwant %s", query, got, want)
		}
	}
}

// inZone returns a handler whose device has a time zone in its profile.
func inZone(t *testing.T, name string) *Handler {
	h, _ := newHandler(t)
	profile := model.Profile{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"},
		Attrs: model.Attrs{text("timezone", name)}, CreatedAt: now}
	if err := h.Query.Store.(*memory.Table).PutItem(t.Context(), item.FromProfile(&profile)); err != nil {
		t.Fatal(err)
	}
	return h
}

// midnight is a local midnight between the first event and the other two.
const midnight = "2026-04-20T13:00:00.000Z"

// Without zone, days and dates are in the profile's zone, and all kinds of read agree. The
// response says which zone it was.
func TestHandle_TheZoneOfAProfileIsTheDefault(t *testing.T) {
	h := inZone(t, "Pacific/Noumea")
	const path, local = "/v1/devices/sensor_01/readings/", "Pacific/Noumea"
	for query, want := range map[string][2]string{
		"rollups/day?last=3d&order=newest":                        {local, `"bucket":"` + midnight + `","end":"2026-04-21T13:00:00.000Z","tier":"day","zone":"Pacific/Noumea","exact":true,"open":true,"truncated":false,"unreadable":0,"events":2,`},
		"rollups/day?from=2026-04-21":                             {local, `{"rollups":[{"bucket":"` + midnight + `"`},
		"rollups/hour?from=2026-04-21":                            {local, `{"rollups":[{"bucket":"` + midnight + `"`},
		"rollups/hour":                                            {"UTC", `{"rollups":[{"bucket":"2026-04-20T12:00:00.000Z"`},
		"rollups/week?last=3d":                                    {local, `"tier":"week","zone":"Pacific/Noumea"`},
		"rollups?tier=day&from=2026-04-21&to=2026-04-22":          {local, `"rollups":[{"bucket":"` + midnight + `","end":"2026-04-21T13:00:00.000Z","tier":"day","zone":"Pacific/Noumea"`},
		"rollups?from=2026-04-21&to=2026-04-22":                   {local, `"rollups":[{"bucket":"` + midnight + `","end":"2026-04-20T14:00:00.000Z","tier":"hour"`},
		"rollups?tier=day&gaps=true&from=2026-04-21":              {local, `"bucket":"2026-04-20T00:00:00.000Z"`},
		"rollups/total?from=2026-04-21&to=2026-04-22":             {local, `{"bucket":"` + midnight + `","end":"2026-04-21T13:00:00.000Z","tier":"total","exact":true,"open":true,"truncated":false,"unreadable":0,"events":2,`},
		"rollups/day?zone=UTC&last=3d":                            {"UTC", `{"rollups":[{"bucket":"2026-04-20T00:00:00.000Z","end":"2026-04-21T00:00:00.000Z","tier":"day","zone":"UTC","exact":true,"open":true,"truncated":false,"unreadable":0,"events":3,`},
		"rollups/total?zone=UTC&from=2026-04-20&to=2026-04-21":    {"UTC", `"events":3,`},
		"rollups?zone=UTC&tier=day&from=2026-04-20&to=2026-04-21": {"UTC", `"rollups":[{"bucket":"2026-04-20T00:00:00.000Z"`},
	} {
		r := get(t, h, path+query)
		if r.Status != 200 || r.Headers[headerZone] != want[0] || !strings.Contains(r.Body, want[1]) {
			t.Errorf("%s: %d in zone %q, %.500s\nwant %s in %s", query, r.Status, r.Headers[headerZone], r.Body,
				want[1], want[0])
		}
	}
	if r := get(t, h, path+"rollups/day"); r.Headers[headerRequests] == "" || r.Headers["Cache-Control"] == "" {
		t.Errorf("the response lacks its cost or its age: %v", r.Headers)
	}
	requireProblem(t, get(t, inZone(t, "Mars/Olympus"), path+"rollups/day"), "/problems/bad-zone")
}

// A top of a time zone is of exactly its range, because days of it are not buckets.
func TestHandle_TopsOfATimeZoneAreExact(t *testing.T) {
	h := newSite(t)
	for query, want := range map[string]string{
		"path?zone=Pacific/Noumea&from=2026-04-21T01:28&to=2026-04-21T01:29": `{"dimension":"path","tier":"total","buckets":1,"open":false,"events":1,"values":[{"value":"/","count":1,"share":1}],"other":0,"exact":true}`,
		"path?zone=Pacific/Noumea&last=2m&limit=1":                           `"values":[{"value":"/","count":2,"share":0.6666666666666666}],"other":1,"exact":true}`,
		"path?zone=UTC&from=2026-04-20&to=2026-04-21":                        `{"dimension":"path","tier":"day","buckets":1,"open":true,"events":4,`,
		"path?zone=Pacific/Noumea&tier=day":                                  `{"dimension":"path","tier":"day","buckets":1,`,
		"path?zone=Pacific/Noumea&from=2026-01-01&to=2026-01-05T00:00:01":    `"values":[],"other":0,"exact":true}`, // no month was stored, so there were none
		"path?zone=Pacific/Noumea&limit=0":                                   "/problems/bad-limit",
		"path?zone=Pacific/Noumea&last=0d":                                   "/problems/bad-span",
		"path?zone=Pacific/Noumea&consistent=perhaps":                        "/problems/bad-boolean",
		"path?zone=x": "/problems/bad-zone",
	} {
		r := get(t, h, "/v1/sites/my-site/pageviews/top/"+query)
		if !strings.Contains(r.Body, want) {
			t.Errorf("%s: %d %s\nwant %s", query, r.Status, r.Body, want)
		}
	}
}

// Pages of local days follow each other in both directions, each with the position at which the one
// before ended.
func TestHandle_DaysOfATimeZoneHavePages(t *testing.T) {
	h := inZone(t, "Pacific/Noumea")
	for _, order := range []string{"oldest", "newest"} {
		path, starts := "/v1/devices/sensor_01/readings/rollups/day?last=3d&limit=1&order="+order, []string{}
		for next := ""; len(starts) < 3; {
			r := get(t, h, path+next)
			var page struct {
				Rollups []struct {
					Bucket string
					Events int
				}
				Next *string
			}
			if err := json.Unmarshal([]byte(r.Body), &page); err != nil || r.Status != 200 || len(page.Rollups) != 1 {
				t.Fatalf("%s: %d %s", path+next, r.Status, r.Body)
			}
			starts = append(starts, fmt.Sprint(page.Rollups[0].Bucket, " ", page.Rollups[0].Events))
			if page.Next == nil {
				break
			}
			next = "&cursor=" + *page.Next
			requireProblem(t, get(t, h, strings.Replace(path, "last=3d", "last=4d", 1)+next),
				"/problems/foreign-cursor")
		}
		want := []string{"2026-04-19T13:00:00.000Z 1", midnight + " 2"}
		if order == "newest" {
			slices.Reverse(want)
		}
		if !slices.Equal(starts, want) {
			t.Errorf("%s first: %q, want %q", order, starts, want)
		}
	}
}

// A profile that cannot be read is a failure of the table.
func TestHandle_AZoneThatCannotBeReadIsARetry(t *testing.T) {
	h := inZone(t, "Pacific/Noumea")
	h.Query.Store = &storetest.FaultyStore{Store: h.Query.Store.(*memory.Table),
		Reads: func(c storetest.Call) bool { return c.Method == "Profile" }}
	requireProblem(t, get(t, h, "/v1/devices/sensor_01/readings/rollups/day"), httpapi.ProblemUnavailable.URI)
}
