package main

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// plainIDs are the actions whose paths have no word after the id: the last part of an id
// with a slash would be read as a kind.
var plainIDs = map[httpapi.Action]bool{httpapi.ReadProfile: true, httpapi.ReadAllChart: true,
	httpapi.ReadAllRollups: true, httpapi.ReadAllTop: true, httpapi.ReadAllTotal: true}

// The gateway accepts exactly httpapi.Routes: each must be found with its action and kind.
func TestResourceOf_FindsAllRoutes(t *testing.T) {
	h, _ := newHandler(t)
	visits := catalog.Kind{Name: "VISIT", Subject: catalog.SubjectType{Name: "HALL"},
		Dimensions: []rollup.DimensionSpec{{Name: "door"}}, IndexBy: "badge", LatestBy: []catalog.LatestIndex{{By: []string{"door"}}}}
	visits.Groups, visits.Measures = []string{"wing"}, []rollup.MeasureSpec{{Name: "steps", Counter: true}}
	alarms := catalog.Kind{Name: "ALARM", Subject: visits.Subject}
	var err error
	if h.Catalog, err = catalog.New(append(h.Catalog.Kinds, visits, alarms)...); err != nil {
		t.Fatal(err)
	}
	served := map[httpapi.Action]bool{}
	for _, r := range httpapi.Routes(h.Catalog) {
		if reads[r.Action] == nil {
			continue
		}
		id := "a/b" // the path is decoded
		if plainIDs[r.Action] {
			id = "a"
		}
		path := strings.NewReplacer("{id}", id, "{tier}", "hour", "{dimension}", "door", "{measure}", "steps",
			"{counter}", "steps",
			"{value}", "a/b", "{version}", "3", "{time}", "2026-04-20T14:00:00Z", "{event}", "c/d").Replace(r.Path)
		found, err := parseResource(h.Catalog, "", path)
		if err != nil || found.Action != r.Action {
			t.Errorf("%s %s: found %+v, %v; want %s of %s", r.Method, r.Path, found, err, r.Action, r.Kind)
			continue
		}
		if k := found.series.Kind; k != nil && (k.Name != r.Kind && k.Subject.Name != r.Kind ||
			strings.Contains(r.Path, "{id}") && found.series.Subject != id) {
			t.Errorf("%s %s: found %s", r.Method, r.Path, found.series)
		}
		served[r.Action] = true
	}
	for action := range reads {
		if !served[action] {
			t.Errorf("no route has the action %s", action)
		}
	}
}

func TestHandle_ACallerWithAnOwnerReadsOnlyItsSubjects(t *testing.T) {
	h, _ := newHandler(t)
	h.OwnerClaim = "account"
	for path, want := range map[string]int{
		"/v1/devices/acme:sensor_01/readings":                                       200,
		"/v1/devices/acme:sensor_01/readings/rollups/hour":                          200,
		"/v1/devices/acme:sensor_01/readings/latest":                                404, // no events yet
		"/v1/devices/sensor_01/readings":                                            403,
		"/v1/devices/sensor_01/readings/latest":                                     403,
		"/v1/devices/sensor_01/readings/rollups/hour":                               403,
		"/v1/devices/other/acme:sensor_01/readings":                                 403,
		"/v1/devices/acme:sensor_01/readings/rollups/hour?with=acme:sensor_02":      200,
		"/v1/devices/acme:sensor_01/readings/rollups?with=acme:b&with=other:sensor": 403,
	} {
		if r := getAs(t, h, path, map[string]string{"account": "acme"}); r.Status != want {
			t.Errorf("%s: %d %s; want %d", path, r.Status, r.Body, want)
		}
		if r := get(t, h, path); r.Status != 403 {
			t.Errorf("%s without a token: %d, want 403", path, r.Status)
		}
	}
}
