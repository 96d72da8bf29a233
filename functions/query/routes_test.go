package main

import (
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

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
	want := map[catalog.Action]*route{
		catalog.ReadHistory: historyRoute, catalog.ReadCurrent: currentRoute, catalog.ReadRollups: rollupsRoute, catalog.ReadTop: topRoute,
		catalog.ReadByValue: byValueRoute, catalog.ReadProfile: profileRoute, catalog.ReadAllRollups: rollupsRoute, catalog.ReadAllTop: topRoute,
	}
	served := map[catalog.Action]bool{}
	for _, r := range h.Catalog.Routes() {
		if r.Action == catalog.Append {
			continue
		}
		path := strings.NewReplacer("{id}", "sensor_01", "{tier}", "hour", "{dimension}", "door", "{value}", "sensor_01").Replace(r.Path)
		found, err := find(h.Catalog, path)
		if err != nil || found.route != want[r.Action] || found.series.Subject+found.value != "sensor_01" ||
			found.series.Kind.Name != r.Kind && found.series.Kind.Subject.Name != r.Kind {
			t.Errorf("%s %s: found %+v, %v; want %s of %s", r.Method, r.Path, found, err, r.Action, r.Kind)
		}
		served[r.Action] = true
	}
	if len(served) != len(want) {
		t.Errorf("the catalog has routes to %v only", served)
	}
}

func TestHandle_ACallerBoundToAnOwnerReadsItsOwnSubjectsAlone(t *testing.T) {
	h, _ := newHandler(t)
	h.Owner = "account"
	for path, want := range map[string]int{
		"/v1/devices/acme:sensor_01/readings":              200,
		"/v1/devices/acme:sensor_01/readings/rollups/hour": 200,
		"/v1/devices/acme:sensor_01/readings/current":      404, // nothing was appended yet
		"/v1/devices/sensor_01/readings":                   403,
		"/v1/devices/sensor_01/readings/current":           403,
		"/v1/devices/sensor_01/readings/rollups/hour":      403,
		"/v1/devices/other/acme:sensor_01/readings":        403,
	} {
		var r events.APIGatewayV2HTTPRequest
		r.RawPath, r.RequestContext.HTTP.Method = path, "GET"
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
