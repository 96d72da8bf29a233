package main

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/envelope"
)

// rule returns what a rule sends of a message to a topic of a thing.
func rule(t *testing.T, f fixture, topic, message string) json.RawMessage {
	t.Helper()
	found, ok := envelope.FindTopic(f.appends.Catalog, topic)
	if !ok {
		t.Fatalf("no kind has the topic %s", topic)
	}
	encoded := found.Batch || found.Source != ""
	payload, err := envelope.ByRule([]byte(message), found.Kind.Name, found.Subject, encoded)
	if err != nil {
		t.Fatal(err)
	}
	return envelope.Arrived(payload, found.Source, time.Date(2026, 4, 20, 11, 59, 59, 0, time.UTC))
}

const ownForm = `{"end_device_ids":{"device_id":"other"},` +
	`"uplink_message":{"decoded_payload":{"temperature":21.5}}}`

func TestSources_MapTheMessagesOfThingsForTheThingAlone(t *testing.T) {
	t.Parallel()
	for topic, message := range map[string]string{
		"tidemark/devices/hall/readings/from/ttn":                 ownForm,
		"tidemark/devices/hall/readings/from/tasmota/tele/SENSOR": `{"temperature":21.5}`,
		"tidemark/devices/hall/readings":                          `{"temperature":21.5}`, // no clock: arrival
	} {
		f := newFixture(t)
		for range 2 { // a repeated delivery is of the same time
			if _, err := f.handle(invocation(t, "7"), rule(t, f, topic, message)); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{"DEVICE/hall/READING  2026-04-20T11:59:59.000Z temperature=21.5"}
		if got := f.events(t); !slices.Equal(got, want) {
			t.Errorf("%s: stored %q, want %q", topic, got, want)
		}
	}
}

// A name that only the row "*" matches is a mistake, as it is by HTTP.
func TestSources_AMessageOfASourceThatIsNotKnownIsRejected(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	sent := rule(t, f, "tidemark/devices/hall/readings/from/tasmotta", `{"temperature":21.5}`)
	if _, err := f.handle(invocation(t, "7"), sent); err != nil {
		t.Fatal(err)
	}
	got := f.quarantined(t)
	if len(got) != 1 || !strings.Contains(got[0].Errors[0].Message, "did you mean tasmota?") {
		t.Errorf("in quarantine: %+v, want the message with the name that is meant", got)
	}
	if stored := f.events(t); len(stored) > 0 {
		t.Errorf("stored %q, want nothing", stored)
	}
}

func TestSources_MapTheMessagesOfQueues(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	message := `{"tidemark_source":"ttn","received_at":"2026-04-20T11:00:00.5Z",` + ownForm[1:]
	if _, err := f.handle(invocation(t, "7"), record("aws:sqs", []byte(message))); err != nil {
		t.Fatal(err)
	}
	want := []string{"DEVICE/other/READING  2026-04-20T11:00:00.500Z temperature=21.5"}
	if got := f.events(t); !slices.Equal(got, want) {
		t.Errorf("stored %q, want %q", got, want)
	}
}

func TestSources_MapTheMessagesOfWebhooks(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	post := func(source, query, body string) (int, string, string) {
		r := f.write(t, write{path: access.PathSources + source, query: query, body: body, key: anyKey})
		return r.StatusCode, r.Body, r.Headers["Tidemark-Not-Stored"]
	}
	if status, body, _ := post("ttn", "", ownForm); status != 204 {
		t.Errorf("an uplink: %d %s", status, body)
	}
	const join = `{"end_device_ids":{"device_id":"other"},"join_accept":{}}`
	if status, body, not := post("ttn", "", join); status != 204 || not != "1" {
		t.Errorf("a message that is no measurement: %d %s, %s not stored; want it named", status, body, not)
	}
	if status, body, _ := post("tasmota", "subject=hall", `{"DS18B20":{"Temperature":20}}`); status != 204 {
		t.Errorf("a subject in the query: %d %s", status, body)
	}
	form := f.write(t, write{path: access.PathSources + "ecowitt", query: "subject=roof", key: anyKey,
		body:    "PASSKEY=00AA&dateutc=2026-04-20+13:59:10&tempf=39.74",
		headers: map[string]string{"content-type": "application/x-www-form-urlencoded"}})
	if form.StatusCode != 204 {
		t.Errorf("a form: %d %s", form.StatusCode, form.Body)
	}
	inURL := f.write(t, write{path: access.PathSources + "wunderground", key: anyKey,
		query: "subject=ignored&ID=KROOF&PASSWORD=x&dateutc=2026-04-20+13%3A59%3A10&tempf=39.74"})
	if inURL.StatusCode != 204 {
		t.Errorf("a form in the URL: %d %s", inURL.StatusCode, inURL.Body)
	}
	status, body, _ := post("tasmota", "", `{"a":1}`)
	if status != 400 || !strings.Contains(body, "deviceId: is not in it: pass ?subject=ID") {
		t.Errorf("no subject: %d %s", status, body)
	}
	status, body, _ = post("tasmotta", "subject=hall", `{"a":1}`)
	if status != 404 || !strings.Contains(body, "did you mean tasmota?") {
		t.Errorf("no such source: %d %s", status, body)
	}
	if status, body, _ := post("ttn", "", `{`); status != 400 || !strings.Contains(body, "not JSON") {
		t.Errorf("no JSON: %d %s", status, body)
	}
	const station = "DEVICE/roof/READING  2026-04-20T13:59:10.000Z tempf=39.74"
	const alike = "DEVICE/KROOF/READING  2026-04-20T13:59:10.000Z tempf=39.74"
	if got := f.events(t); len(got) != 4 || !slices.Contains(got, station) || !slices.Contains(got, alike) {
		t.Errorf("stored %q, want four, with %s and %s", got, station, alike)
	}
}

// A payload of Sparkplug B waits in quarantine, whole, with what to do, by each door that takes bytes.
func TestSources_NameAPayloadOfSparkplug(t *testing.T) {
	t.Parallel()
	// A time, and a sequence number that is the end of a line in text.
	const payload = "\x08\x80\xd0\xf8\xf2\xda\x33\x18\x0a"
	const want = "it is a payload of Sparkplug B (protobuf): decode it in the broker or in Node-RED"
	f := newFixture(t)
	for name, message := range map[string]json.RawMessage{
		"batch":   rule(t, f, "tidemark/devices/hall/readings/batch", payload),
		"source":  rule(t, f, "tidemark/devices/hall/readings/from/ttn", payload),
		"kinesis": record("aws:kinesis", []byte(payload)),
	} {
		f := newFixture(t)
		if _, err := f.handle(invocation(t, "7"), message); err != nil {
			t.Fatal(err)
		}
		kept := f.quarantined(t)
		if len(kept) != 1 || !strings.Contains(kept[0].Reason, want) {
			t.Errorf("%s: %+v; want it in quarantine with %q", name, kept, want)
		}
	}
	response := f.write(t, write{path: access.PathSources + "ttn", key: anyKey, base64: true,
		body: base64.StdEncoding.EncodeToString([]byte(payload))})
	if response.StatusCode != 400 || !strings.Contains(response.Body, want) {
		t.Errorf("HTTP: %d %s; want 400 with %q", response.StatusCode, response.Body, want)
	}
}
