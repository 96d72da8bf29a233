package main

import (
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// whole are the actions at whose paths no word follows the id, so that an id with a
// slash would look like a kind.
var whole = map[catalog.Action]bool{catalog.ReadProfile: true, catalog.ReadAllChart: true, catalog.ReadAllRollups: true, catalog.ReadAllTop: true}

// What an API lets through is the catalog's routes: each must be one that is found
// here, and as what it says it is.
func TestFind_ServesTheCatalogsRoutes(t *testing.T) {
	h, _ := newHandler(t)
	visits := catalog.Kind{Name: "VISIT", Subject: catalog.SubjectType{Name: "HALL"}, Dimensions: []rollup.DimensionSpec{{Name: "door"}}, IndexBy: "badge"}
	alarms := catalog.Kind{Name: "ALARM", Subject: visits.Subject}
	var err error
	if h.Catalog, err = catalog.New(append(h.Catalog.Kinds, visits, alarms)...); err != nil {
		t.Fatal(err)
	}
	served := map[catalog.Action]bool{}
	for _, r := range h.Catalog.AllRoutes() {
		if writes[r.Action].summary != "" {
			continue
		}
		id := "a/b" // the path comes decoded
		if whole[r.Action] {
			id = "a"
		}
		path := strings.NewReplacer("{id}", id, "{tier}", "hour", "{dimension}", "door", "{value}", "a/b", "{version}", "3").Replace(r.Path)
		found, err := find(h.Catalog, path)
		if err != nil || found.action != r.Action {
			t.Errorf("%s %s: found %+v, %v; want %s of %s", r.Method, r.Path, found, err, r.Action, r.Kind)
			continue
		}
		if k := found.series.Kind; k != nil && (k.Name != r.Kind && k.Subject.Name != r.Kind || strings.Contains(r.Path, "{id}") && found.series.Subject != id) {
			t.Errorf("%s %s: found %s", r.Method, r.Path, found.series)
		}
		served[r.Action] = true
	}
	for action := range reads {
		if !served[action] {
			t.Errorf("the catalog has no route to %s", action)
		}
	}
}

func TestHandle_ACallerBoundToAnOwnerReadsItsOwnSubjectsAlone(t *testing.T) {
	h, _ := newHandler(t)
	h.Owner = "account"
	for path, want := range map[string]int{
		"/v1/devices/acme:sensor_01/readings":                                       200,
		"/v1/devices/acme:sensor_01/readings/rollups/hour":                          200,
		"/v1/devices/acme:sensor_01/readings/current":                               404, // nothing was appended yet
		"/v1/devices/sensor_01/readings":                                            403,
		"/v1/devices/sensor_01/readings/current":                                    403,
		"/v1/devices/sensor_01/readings/rollups/hour":                               403,
		"/v1/devices/other/acme:sensor_01/readings":                                 403,
		"/v1/devices/acme:sensor_01/readings/rollups/hour?with=acme:sensor_02":      200,
		"/v1/devices/acme:sensor_01/readings/rollups?with=acme:b&with=other:sensor": 403,
	} {
		var r events.APIGatewayV2HTTPRequest
		r.RawPath, r.RawQueryString, _ = strings.Cut(path, "?")
		r.RequestContext.HTTP.Method = "GET"
		r.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
			JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{"account": "acme"}},
		}
		answer, err := h.Handle(t.Context(), r)
		if err != nil || answer.StatusCode != want {
			t.Errorf("%s: %d %s, %v; want %d", path, answer.StatusCode, answer.Body, err, want)
		}
		if stranger := get(t, h, path); stranger.StatusCode != 403 {
			t.Errorf("%s without a token: %d, want 403", path, stranger.StatusCode)
		}
	}
}
