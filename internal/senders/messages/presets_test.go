package messages_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/senders/messages"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
)

var arrival = time.Date(2026, 4, 20, 14, 0, 0, 0, time.UTC)

// observed returns what a body of a source becomes: the subject, then the fields as name=text.
func observed(t *testing.T, rows []config.SourceRow, source, body string) []string {
	t.Helper()
	return observedBody(t, rows, body, messages.Options{Source: source})
}

func observedBody(t *testing.T, rows []config.SourceRow, body string, options messages.Options) []string {
	t.Helper()
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	mapping := points.Mapping{Rows: rows, Catalog: kinds}
	options.Row = mapping.Row(options.Source)
	options.Now = arrival
	options.Points = 100
	var all []string
	found, err := messages.Decode([]byte(body), options)
	if err != nil {
		return []string{err.Error()}
	}
	for i := range found {
		_, o := mapping.Observation(&found[i], "by_topic")
		if o.DecodeError != nil {
			all = append(all, o.DecodeError.Code)
			continue
		}
		text := o.Subject
		for _, f := range o.Fields {
			if f.Name != catalog.StreamField || f.Text != "" {
				text += fmt.Sprintf(" %s=%s", f.Name, f.Text)
			}
		}
		all = append(all, text)
	}
	return all
}

// documented returns messages that are written by hand in the form that their program documents, with the
// source of the form.
func documented(t *testing.T) (all []struct {
	Preset, Form string
	Message      json.RawMessage
	Body         string // in place of Message: a form
	Want         string
}) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "presets.json"))
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestPresets_ReadTheDocumentedForms(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{}
	for _, c := range documented(t) {
		tried[c.Preset] = true
		options := messages.Options{Source: c.Preset, Form: c.Body != ""}
		if got := strings.Join(observedBody(t, nil, c.Body+string(c.Message), options), "|"); got != c.Want {
			t.Errorf("%s (%s):\n got %s\nwant %s", c.Preset, c.Form, got, c.Want)
		}
	}
	for _, name := range config.Presets() {
		if !tried[name] {
			t.Errorf("no message of %s is tried", name)
		}
	}
}

// The values of a form are text. Each is read as a cell alone in its column; curl names the type of forms for
// any body.
// The storage of The Things Network returns the messages that it sent, each in an object.
func TestPresets_ReadWhatTheThingsNetworkStored(t *testing.T) {
	t.Parallel()
	const message = `{"end_device_ids":{"device_id":"d1"},"received_at":"2026-04-20T13:00:00Z",` +
		`"uplink_message":{"f_port":1,"decoded_payload":{"t":21.5}}}`
	want := observed(t, nil, "ttn", message)
	got := observed(t, nil, "ttn", `{"result":`+message+"}")
	if len(want) != 1 || !strings.HasPrefix(want[0], "d1 ") || !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestForm_IsAnObjectOfItsValues(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"a=21.5&b=21%2C5&c=1,234&d=1e3&e=-0":          "a=21.5 b=21.5 c=1234 d=1000 e=0",
		"a=007&version=1.10&b=5+kW&c=unknown&d=a%26b": "a=007 version=1.10 b=5 kW c=unknown d=a&b",
		"a=true&b=&c&&d=x%3D1=2":                      "a=true d=x=1=2",
		"a=1&a=1&b=1&b=2&c=3":                         "a=1 c=3",
		"a=%zz&b=%FF&c=3":                             "c=3",
		`{"a":1,"b":"x=1"}`:                           "a=1 b=x=1",
		"21.5":                                        "value=21.5",
	} {
		got := observedBody(t, nil, body, messages.Options{Source: "tasmota", Form: true})
		want = "by_topic " + want + " timestamp=2026-04-20T14:00:00Z"
		if diff := cmp.Diff([]string{want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
	row, _ := config.Preset("ecowitt", iot.Kinds()[0].Name)
	row.Subject = "{PASSKEY}"
	options := messages.Options{Source: "ecowitt", Form: true}
	got := observedBody(t, []config.SourceRow{row}, "PASSKEY=00AA&tempf=1", options)
	if want := []string{"00AA tempf=1 timestamp=2026-04-20T14:00:00Z"}; !cmp.Equal(want, got) {
		t.Errorf("a row with the key as its subject: %q, want %q", got, want)
	}
	found, err := messages.Decode([]byte("a=%zz&b=%FF&c=3&c=4"), messages.Options{Form: true, Now: arrival})
	if err != nil || len(found) != 1 || len(found[0].Dropped) != 3 {
		t.Errorf("%+v, %v; want each part that is not stored named", found, err)
	}
}

func TestRows_MapMessagesByPathsPatternsAndConstants(t *testing.T) {
	t.Parallel()
	row := config.SourceRow{
		Match: "plc", Kind: "READING", Measurement: config.RoleDrop, OtherTags: config.RoleDrop,
		Subject: "hall-{meta.unit}", Stream: "line", OtherFields: config.RoleDrop,
		Time:   config.SourceTime{From: []string{"d", "t"}, Format: "%d.%m.%Y %H:%M", Zone: "Europe/Berlin"},
		Fields: []config.Rename{{From: "x.*.avg", To: "*"}, {From: "volt", To: "v"}},
	}
	body := `[{"meta":{"unit":7},"d":"20.04.2026","t":"16:00","x":{"temp":{"avg":21.5,"max":30}},"volt":2,"n":1},
		{"meta":{"unit":8},"d":"20.04.2026","t":"noon","volt":2},{"volt":3}]`
	want := []string{
		"hall-7 temp=21.5 v=2 timestamp=2026-04-20T14:00:00Z stream=line",
		"time-form", // the text is not in the format
		"by_topic v=3 timestamp=2026-04-20T14:00:00Z stream=line",
	}
	got := observed(t, []config.SourceRow{row}, "plc", body)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Records of SenML cost their pack nothing else: one name twice at a time with two values, a sum beside a
// value, a time that is no number, and a member that a reader must understand (RFC 8428, 4.4).
func TestSenML_ARecordThatIsWrongIsRefusedAlone(t *testing.T) {
	t.Parallel()
	const then, before = " timestamp=2026-04-20T14:00:00Z", " timestamp=2026-04-20T13:59:00Z"
	for body, want := range map[string]string{
		`[{"bn":"d:","n":"t","v":1},{"n":"t","v":2},{"n":"u","v":3}]`: "d u=3" + then,
		`[{"bn":"d:","n":"t","v":1,"t":"x"},{"n":"u","v":3}]`:         "time-form|d u=3" + then,
		`[{"bn":"d:","bt":"x","n":"t","v":1},{"n":"u","v":3}]`:        "time-form|time-form",
		`[{"bn":"d:","n":"t","v":1},{"n":"u","v":3,"x_":1}]`:          "d t=1" + then + "|undeclared",
		`[{"bn":"d:","bs":100,"bv":1,"n":"t","s":5},{"n":"u","v":3}]`: "d t=105 u=4" + then,
		`[{"bn":"d:","bv":"x","n":"t","v":5},{"bv":0,"n":"u","v":3}]`: "syntax|d u=3" + then,
		`[{"bn":"d:","n":"t","v":1,"t":-60},{"n":"u","v":3}]`:         "d t=1" + before + "|d u=3" + then,
		// 585 years ago, and a time that the table has not.
		`[{"bn":"d:","n":"t","v":1,"t":-18446744073}]`:          "d t=1 timestamp=1441-09-30T14:25:27Z",
		`[{"bn":"d:","n":"t","v":1,"t":-1e30}]`:                 "d t=1 timestamp=-3166848-06-14T04:13:20Z",
		`[{"bn":"d:","bver":11,"n":"t","v":1},{"n":"u","v":3}]`: "syntax|syntax",
	} {
		got := strings.Join(observed(t, nil, "senml", body), "|")
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", body, got, want)
		}
	}
	row, _ := config.Preset("senml", iot.Kinds()[0].Name)
	options := messages.Options{Source: "senml", Row: &row, Now: arrival, Points: 100}
	const sums = `[{"bn":"d:","n":"power","v":100,"s":5000},{"n":"total","s":7}]`
	found, err := messages.Decode([]byte(sums), options)
	if err != nil || len(found) != 1 || len(found[0].Fields) != 2 || len(found[0].Dropped) != 1 ||
		found[0].Dropped[0].Field != "power.s" {
		t.Errorf("%+v, %v; want the sum beside the value as a part that is not stored", found, err)
	}
}

func TestRows_TwoFieldsOfOneNewNameAreBothKept(t *testing.T) {
	t.Parallel()
	row, _ := config.Preset("tasmota", iot.Kinds()[0].Name)
	row.Fields = []config.Rename{{From: "*.Temperature", To: "temperature"}}
	const body = `{"DS18B20-1":{"Temperature":1},"DS18B20-2":{"Temperature":2}}`
	got := observed(t, []config.SourceRow{row}, "tasmota", body)
	want := []string{"by_topic temperature=1 DS18B20-2.Temperature=2 timestamp=2026-04-20T14:00:00Z"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A word for a time that is not known is no time, and the message about any other text names the setting of
// the row: its reader runs no command with flags.
func TestPresets_SayWhatToDoAboutATime(t *testing.T) {
	for _, word := range []string{`"N/A"`, `"n/a"`, `"unknown"`, `"null"`, `"-"`, `""`, `null`} {
		want := []string{"by_topic temperature=21.5 timestamp=2026-04-20T14:00:00Z"}
		got := observed(t, nil, "zigbee2mqtt", `{"temperature":21.5,"last_seen":`+word+`}`)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("last_seen %s: %s", word, diff)
		}
	}
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"soon": "want 2026-04-20T14:00:00Z, 2026-04-20 14:00, or epoch seconds or milliseconds; " +
			"for another form, set time.format in the row zigbee2mqtt of sources to '%d.%m.%Y %H:%M'",
		"46348": "set time.format in the row zigbee2mqtt of sources to excel, or write it as a date",
		"1/11/2026 10:00": "set time.format in the row zigbee2mqtt of sources to '%m/%d/%Y' or '%d/%m/%Y', " +
			"with its marks and the time of day as they are written",
		"2026-11-01 10:00:00 IST": "set time.zone in the row zigbee2mqtt of sources to Asia/Kolkata, or the " +
			"place that it is of, or write the offset",
	} {
		mapping := points.Mapping{Catalog: kinds}
		options := messages.Options{Source: "zigbee2mqtt", Row: mapping.Row("zigbee2mqtt"), Now: arrival,
			Points: 1}
		found, err := messages.Decode([]byte(`{"temperature":21.5,"last_seen":"`+text+`"}`), options)
		if err != nil {
			t.Fatal(err)
		}
		_, o := mapping.Observation(&found[0], "by_topic")
		if o.DecodeError == nil || !strings.Contains(o.DecodeError.Message, want) ||
			strings.Contains(o.DecodeError.Message, "--") {
			t.Errorf("last_seen %s: %+v; want %q", text, o.DecodeError, want)
		}
	}
}
