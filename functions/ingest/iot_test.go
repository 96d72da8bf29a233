package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestIoT_AsksForTheDeliveryAgainAndStoresNothingTwice(t *testing.T) {
	t.Parallel()
	table := memory.New(now)
	payload := json.RawMessage(`[{"deviceId":"sensor_01","timestamp":1},{"deviceId":"sensor_02","timestamp":1},{"deviceId":"sensor_03"}]`)
	if _, err := worldOn(t, unsteady{table, "sensor_02", model.Conflicting, nil}, table).handle(asked(t, "7"), payload); err == nil {
		t.Fatal("no error, though a reading is open: Lambda would not deliver again")
	}
	w := worldOn(t, table, table)
	got, err := w.handle(asked(t, "7"), payload)
	if want := "map[applied:1 duplicate:1 rejected:1]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("delivered again: got %v, error %v; want %s", got, err, want)
	}
	readings, quarantined := w.kept(t)
	if want := []string{"QUARANTINE#DEVICE#sensor_03"}; !slices.Equal(readings, []string{one, two}) || !slices.Equal(quarantined, want) {
		t.Errorf("stored %q and set aside %q, want each once", readings, quarantined)
	}
}

func TestIoT_KeepsWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for payload, code := range map[string]string{
		`5`:                                    ingest.CodeNotAnObject,
		`[5]`:                                  ingest.CodeNotAnObject,
		`{"tidemark_subject":5,"timestamp":1}`: ingest.CodeWrongType,
		"[" + strings.Repeat("{},", 1000) + "{}]":    ingest.CodeTooMany,
		`{"tidemark_subject":"a","a":1,"a":2}`:       ingest.CodeDuplicateName,
		`{"tidemark_subject":"a","tidemark_who":""}`: ingest.CodeNameReserved,
	} {
		w := newWorld(t)
		if _, err := w.handle(asked(t, "1"), json.RawMessage(payload)); err != nil {
			t.Errorf("%.60s: %v", payload, err)
		}
		q := w.quarantined(t)
		if len(q) != 1 || string(q[0].Payload) != strings.Trim(payload, "[]") && string(q[0].Payload) != payload {
			t.Errorf("%.60s: set aside %d, want the payload whole", payload, len(q))
			continue
		}
		if last := q[0].Errors[len(q[0].Errors)-1]; last.Code != code || q[0].Door != "iot" || q[0].Reason == "" {
			t.Errorf("%.60s: set aside as %+v, want code %s", payload, q[0], code)
		}
	}
}

func (w world) quarantined(t *testing.T) (all []model.Quarantined) {
	t.Helper()
	items, _, err := w.table.Scan(t.Context(), keys.Key{})
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

// down loses quarantine.
type down struct{ *memory.Table }

func (down) Quarantine(context.Context, model.Quarantined) (model.Answer, error) {
	return model.Throttled, nil
}

func TestIoT_LosesNothingWhenQuarantineIsDown(t *testing.T) {
	t.Parallel()
	table := memory.New(now)
	if _, err := worldOn(t, down{table}, table).handle(asked(t, "1"), sample(t, "iot-other-device")); err == nil {
		t.Error("no error, though what was rejected is kept nowhere")
	}
}
