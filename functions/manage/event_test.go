package main

import (
	"crypto/rand"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// appendReading stands for a call of the method in a list of samples.
const appendReading = "(append)"

func (f *fixture) readings() *catalog.Kind {
	kind, _ := f.catalog.Kind("READING")
	return kind
}

func readingAt(stream string) ingest.TypedObservation {
	return ingest.TypedObservation{Subject: sensor.ID, Stream: stream, At: mustTime("2026-04-20T14:00:00Z"),
		Attrs: model.Attrs{{Name: "temperature", Value: model.NumberValue(model.NewDecimal(224))}}}
}

// appendReading stores a reading of sensor at 14:00.
func (f *fixture) appendReading() { f.append(readingAt("")) }

func (f *fixture) append(o ingest.TypedObservation) {
	f.Helper()
	service := &ingest.Service{Store: f.table, Limits: config.Default().Limits, Now: f.now, Rand: rand.Reader}
	if results, err := service.AppendEvents(f.Context(), f.readings(),
		[]ingest.TypedObservation{o}); err != nil || results[0].Outcome != model.Applied {
		f.Fatalf("%+v, %v", results, err)
	}
}

// stored returns the reading of sensor at 14:00.
func (f *fixture) stored(stream string) *model.Event {
	f.Helper()
	o := readingAt(stream)
	order := model.Order{At: o.At}
	e, err := storage.Event(f.Context(), f.table,
		model.EventKey{Series: f.readings().Series(o.Subject, stream, order), Order: order})
	if err != nil {
		f.Fatal(err)
	}
	return e
}

func (f *fixture) edit(method, target, ifMatch, body string) string {
	f.Helper()
	r := events.APIGatewayV2HTTPRequest{RawPath: "/v1/devices/sensor_01/readings/" + target, Body: body,
		Headers: map[string]string{"If-Match": ifMatch}}
	if target == "2026-04-20T14:00:00Z?stream=hall" {
		r.RawPath, r.RawQueryString = "/v1/devices/sensor_01/readings/2026-04-20T14:00:00Z", "stream=hall"
	}
	r.RequestContext.HTTP.Method = method
	return f.send(r)
}

func TestEvent_ACorrectionKeepsArrivalAndExpiry(t *testing.T) {
	f := newFixture(t)
	f.append(readingAt("hall"))
	before := f.stored("hall")
	f.clock.Add(1000)
	if got := f.edit("PUT", "2026-04-20T14:00:00Z?stream=hall", "",
		`{"temperature":22.4,"note":"moved"}`); got != "200 corrected" {
		t.Fatal(got)
	}
	after := f.stored("hall")
	if temperature, _ := after.Attrs.Get("temperature"); temperature.Number.String() != "22.4" ||
		len(after.Attrs) != 2 {
		t.Errorf("got %v, want temperature 22.4 and a note", after.Attrs)
	}
	if after.ArrivedAt != before.ArrivedAt || after.ExpiresAt != before.ExpiresAt || after.Hash == before.Hash {
		t.Errorf("got %+v, want the arrival and expiry of %+v, and another hash", after, before)
	}
	if f.stored("") != nil {
		t.Error("the correction created an event without a stream")
	}
}

// Two people correct the same reading: the second, who has not seen the first's fields, fails.
func TestEvent_IfMatchAllowsOneOfTwoEdits(t *testing.T) {
	f := newFixture(t)
	f.appendReading()
	const target = "2026-04-20T14:00:00Z"
	tag := `"` + f.stored("").Hash.String() + `-0123456789ab"` // as a read returns it
	for _, c := range []struct{ method, ifMatch, body, want string }{
		{"PUT", `"nonsense"`, `{"temperature":1}`, "412 /problems/event-changed"},
		{"PUT", tag, `{"temperature":1}`, "200 corrected"},
		{"PUT", tag, `{"temperature":1}`, "200 corrected"}, // the same again: its response was lost
		{"PUT", tag, `{"temperature":2}`, "412 /problems/event-changed"},
		{"DELETE", tag, "", "412 /problems/event-changed"},
		{"DELETE", "*", "", "200 deleted"},
		{"PUT", tag, `{"temperature":1}`, "404 /problems/no-such-event"},
	} {
		if got := f.edit(c.method, target, c.ifMatch, c.body); got != c.want {
			t.Errorf("%s %s %s: got %s, want %s", c.method, c.ifMatch, c.body, got, c.want)
		}
	}
}

// A path below a kind that is not one of an event must not become the id of a new subject.
func TestEvent_AMistypedPathCreatesNoSubject(t *testing.T) {
	f := newFixture(t)
	for target, want := range map[string]string{
		"current":                  "404 /problems/not-found",
		"current/x":                "404 /problems/not-found",
		"latest":                   "405 /problems/method-not-allowed",
		"2026-04-20T14:00:00Z/x/y": "404 /problems/no-such-event",
	} {
		if got := f.edit("PUT", target, "", `{"name":"x"}`); got != want {
			t.Errorf("PUT …/readings/%s: got %s, want %s", target, got, want)
		}
	}
}

// An event in its last minutes is left to expire: its deletion must not look like an expiry.
func TestEvent_AnEventAboutToExpireIsNotEdited(t *testing.T) {
	f := newFixture(t)
	f.appendReading()
	stored := f.stored("")
	f.clock.Store((stored.ExpiresAt - 60) * 1000)
	for _, ifMatch := range []string{"", `"` + stored.Hash.String() + `"`} {
		for _, method := range []string{"PUT", "DELETE"} {
			if got := f.edit(method, "2026-04-20T14:00:00Z", ifMatch,
				`{"temperature":1}`); got != "404 /problems/no-such-event" {
				t.Errorf("%s with If-Match %q: got %s", method, ifMatch, got)
			}
		}
	}
}
