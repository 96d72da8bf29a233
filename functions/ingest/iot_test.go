package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
)

func TestIoT_IsDeliveredAgainAndStoresNothingTwice(t *testing.T) {
	t.Parallel()
	table := memory.New(now)
	const three = `[{"timestamp":31536001},{"timestamp":31536002,"id":"bad"},{"id":"no time"}]`
	batch := base64.StdEncoding.EncodeToString([]byte(three))
	payload := json.RawMessage(`{"tidemark_batch":"` + batch + `","tidemark_subject":"sensor_01"}`)
	if _, err := onStore(t, failingTable{Table: table, subject: "sensor_01", result: storage.Conflicted},
		table).handle(invocation(t, "7"), payload); err == nil {
		t.Fatal("no error for an undecided reading: Lambda would not deliver the message again")
	}
	f := onStore(t, table, table)
	if _, err := f.handle(invocation(t, "7"), payload); err != nil {
		t.Fatal(err)
	}
	got, err := f.handle(invocation(t, "7"), payload)
	if want := "map[duplicate:2 rejected:1]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("delivered again: got %v, error %v; want %s", got, err, want)
	}
	readings, quarantined := f.stored(t)
	if want := []string{"QUARANTINE#DEVICE#sensor_01"}; !slices.Equal(readings, []string{one, one}) ||
		!slices.Equal(quarantined, want) {
		t.Errorf("stored %q and quarantined %q, want each once", readings, quarantined)
	}
}

func TestIoT_QuarantinesUnreadableMessages(t *testing.T) {
	t.Parallel()
	for payload, code := range map[string]string{
		`5`:   ingest.CodeUnmarked,
		`[5]`: ingest.CodeUnmarked,
		`{"deviceId":"a","timestamp":1776600001}`:       ingest.CodeUnmarked,
		`{"tidemark_subject":5,"timestamp":1776600001}`: ingest.CodeWrongType,
		`{"tidemark_subject":"a","a":1,"a":2}`:          ingest.CodeDuplicateName,
		`{"tidemark_subject":"a","tidemark_who":""}`:    ingest.CodeNameReserved,
	} {
		f := newFixture(t)
		if _, err := f.handle(invocation(t, "1"), json.RawMessage(payload)); err != nil {
			t.Errorf("%.60s: %v", payload, err)
		}
		q := f.quarantined(t)
		if len(q) != 1 || string(q[0].Payload) != strings.Trim(payload, "[]") && string(q[0].Payload) != payload {
			t.Errorf("%.60s: %d quarantined items, want one with the complete payload", payload, len(q))
			continue
		}
		if last := q[0].Errors[len(q[0].Errors)-1]; last.Code != code || q[0].Source != "iot" || q[0].Reason == "" {
			t.Errorf("%.60s: quarantined %+v, want code %s", payload, q[0], code)
		}
	}
}

func (f fixture) quarantined(t *testing.T) (all []storage.Quarantined) {
	t.Helper()
	items, _, err := f.table.Scan(t.Context(), keys.Key{})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		q, err := item.Quarantined(it)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, q)
	}
	return all
}

// A message with another device's mark and id is stored for neither device, whether the rule replaces the
// mark or adds its own. make live-check probes which of the two AWS does, and counts these partitions.
func TestIoT_AForgedMarkIsRefused(t *testing.T) {
	t.Parallel()
	const forged = `{"tidemark_subject":"victim","tidemark_kind":"READING","deviceId":"victim",` +
		`"timestamp":31536001}`
	byRule := func(message string, batch bool) string {
		payload, err := envelope.ByRule([]byte(message), "READING", "forger", batch)
		if err != nil {
			t.Fatal(err)
		}
		return string(payload)
	}
	for payload, want := range map[string]string{
		byRule(forged, false):        "QUARANTINE#DEVICE#forger",
		byRule("["+forged+"]", true): "QUARANTINE#DEVICE#forger",
		strings.TrimSuffix(forged, "}") + `,"tidemark_subject":"forger"}`: "QUARANTINE#iot",
	} {
		f := newFixture(t)
		if _, err := f.handle(invocation(t, "1"), json.RawMessage(payload)); err != nil {
			t.Errorf("%s: %v", payload, err)
		}
		readings, quarantined := f.stored(t)
		if len(readings) > 0 || !slices.Equal(quarantined, []string{want}) {
			t.Errorf("%s: stored %q and quarantined %q, want %s", payload, readings, quarantined, want)
		}
	}
}

// failingQuarantine cannot quarantine.
type failingQuarantine struct{ *memory.Table }

func (failingQuarantine) Quarantine(context.Context, storage.Quarantined) (storage.WriteResult, error) {
	return storage.Throttled, nil
}

func TestIoT_LosesNothingWhenQuarantineFails(t *testing.T) {
	t.Parallel()
	table := memory.New(now)
	if _, err := onStore(t, failingQuarantine{table}, table).handle(invocation(t, "1"),
		sample(t, "iot-other-device")); err == nil {
		t.Error("no error for a rejected message that is stored nowhere")
	}
}

// A device with a clock in seconds sends temperature and humidity in two messages.
func TestIoT_ACollisionIsQuarantinedWithItsPayloadOrMerged(t *testing.T) {
	t.Parallel()
	first := `{"tidemark_subject":"sensor_01","timestamp":1776600001,"temperature":20}`
	second := `{"tidemark_subject":"sensor_01","timestamp":1776600001,"humidity":50}`
	for policy, quarantined := range map[string]int{"report": 1, "merge": 0} {
		conf, err := configfile.Parse("tidemark.yaml", []byte("kinds: {READING: {onCollision: "+policy+"}}"),
			domains.Kinds()...)
		if err != nil {
			t.Fatal(err)
		}
		table := memory.New(now)
		f := newFixtureOn(t, conf, table, table)
		for i, payload := range []string{first, second, second} {
			if _, err := f.handle(invocation(t, fmt.Sprint(min(i, 1))), json.RawMessage(payload)); err != nil {
				t.Fatal(err)
			}
		}
		readings, all := f.stored(t)
		if len(readings) != 1 || len(all) != quarantined {
			t.Errorf("%s: stored %q, quarantined %q; want one event and %d", policy, readings, all, quarantined)
		}
		if quarantined == 1 {
			var q storage.Quarantined
			items, _, _ := f.table.Scan(t.Context(), keys.Key{})
			for _, it := range items {
				if found, err := item.Quarantined(it); err == nil {
					q = found
				}
			}
			if string(q.Payload) != second || len(q.Errors) != 1 || q.Errors[0].Code != ingest.CodeCollision ||
				q.Subject.ID != "sensor_01" {
				t.Errorf("quarantined %+v, want the second message and the reason", q)
			}
		}
	}
}
