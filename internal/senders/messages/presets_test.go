package messages_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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
func observed(t *testing.T, rows []config.SourceRow, source, body string) (all []string) {
	t.Helper()
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	mapping := points.Mapping{Rows: rows, Catalog: kinds}
	options := messages.Options{Source: source, Row: mapping.Row(source), Now: arrival, Points: 100}
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
		if got := strings.Join(observed(t, nil, c.Preset, string(c.Message)), "|"); got != c.Want {
			t.Errorf("%s (%s):\n got %s\nwant %s", c.Preset, c.Form, got, c.Want)
		}
	}
	for _, name := range config.Presets() {
		if !tried[name] {
			t.Errorf("no message of %s is tried", name)
		}
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
