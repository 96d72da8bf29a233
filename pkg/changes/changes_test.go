package changes_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/changes"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
	"github.com/tidemark-db/tidemark/pkg/timeseries/timeseriestest"
)

type reading struct {
	Device      string    `tide:"subject"`
	At          time.Time `tide:"time"`
	Temperature float64   `tide:"measure"`
}

var start = time.Date(2026, 4, 20, 18, 0, 0, 0, time.UTC)

func open(t *testing.T) (*timeseriestest.Table, *timeseries.Events[reading]) {
	t.Helper()
	table := timeseriestest.New(t, start)
	readings, err := timeseries.Open[reading](table, iot.Readings, table.Options())
	if err != nil {
		t.Fatal(err)
	}
	return table, readings
}

// failedFrom returns the first record that Lambda delivers again; "" if there is none.
func failedFrom(t *testing.T, response []byte, err error) string {
	t.Helper()
	var r struct {
		BatchItemFailures []struct{ ItemIdentifier string }
	}
	if err = errors.Join(err, json.Unmarshal(response, &r)); err != nil {
		t.Fatal(err)
	}
	if len(r.BatchItemFailures) == 0 {
		return ""
	}
	return r.BatchItemFailures[0].ItemIdentifier
}

func TestHandler_GetsEachChangeOfAnEvent(t *testing.T) {
	t.Parallel()
	table, readings := open(t)
	ctx := t.Context()
	first := reading{Device: "sensor_01", At: start, Temperature: 20}
	second := reading{Device: "sensor_01", At: start.Add(-time.Hour), Temperature: 30}
	for _, r := range []reading{first, second} {
		if _, err := readings.Append(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	second.Temperature = 31
	if _, err := readings.Correct(ctx, second); err != nil {
		t.Fatal(err)
	}
	if _, err := readings.Delete(ctx, second); err != nil {
		t.Fatal(err)
	}
	table.Advance(31 * 24 * time.Hour)
	var got []string
	h := changes.Handler[reading]{Events: readings,
		Handle: func(_ context.Context, c changes.Change[reading]) error {
			line := string(c.Type)
			for _, v := range []*reading{c.Before, c.After} {
				if v == nil {
					line += " -"
				} else {
					line += fmt.Sprintf(" %s %s %g", v.Device, v.At.Format("15:04"), v.Temperature)
				}
			}
			got = append(got, line)
			return nil
		}}
	response, err := h.Invoke(ctx, table.StreamBatch())
	if failed := failedFrom(t, response, err); failed != "" {
		t.Errorf("record %s failed", failed)
	}
	want := "inserted - sensor_01 18:00 20\ninserted - sensor_01 17:00 30\n" +
		"corrected sensor_01 17:00 30 sensor_01 17:00 31\ndeleted sensor_01 17:00 31 -\nexpired sensor_01 18:00 20 -"
	if lines := strings.Join(got, "\n"); lines != want {
		t.Errorf("changes:\n%s\nwant:\n%s", lines, want)
	}
}

func TestHandler_FailsFromTheFirstRecordThatFails(t *testing.T) {
	t.Parallel()
	table, readings := open(t)
	for minute := range 4 {
		r := reading{Device: "sensor_01", At: start.Add(time.Duration(minute-10) * time.Minute),
			Temperature: float64(minute)}
		if _, err := readings.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	batch, handled := table.StreamBatch(), 0
	h := changes.Handler[reading]{Events: readings, Log: slog.New(slog.DiscardHandler),
		Handle: func(_ context.Context, c changes.Change[reading]) error {
			if handled++; c.After.Temperature == 2 {
				return errors.New("busy")
			}
			return nil
		}}
	response, err := h.Invoke(t.Context(), batch)
	failed := failedFrom(t, response, err)
	if failed == "" || handled != 3 {
		t.Fatalf("failed from %q after %d changes, want the third", failed, handled)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	response, err = h.Invoke(ended, batch)
	if failedFrom(t, response, err) == "" || handled != 3 {
		t.Errorf("%d changes after the context ended, want none and a failure", handled)
	}
}

func TestHandler_QuarantinesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	_, readings := open(t)
	payload := []byte(`{"Records":[{"eventID":"e1","eventName":"INSERT","dynamodb":{"SequenceNumber":"7","Keys":{"pk":{"N":"1"}}}}]}`)
	var kept []changes.Poison
	h := changes.Handler[reading]{
		Events: readings, Log: slog.New(slog.DiscardHandler),
		Handle: func(context.Context, changes.Change[reading]) error { return errors.New("not a change") },
	}
	response, err := h.Invoke(t.Context(), payload)
	if failed := failedFrom(t, response, err); failed != "7" {
		t.Errorf("without quarantine the record %q failed, want 7", failed)
	}
	h.Quarantine = func(_ context.Context, p changes.Poison) error { kept = append(kept, p); return nil }
	response, err = h.Invoke(t.Context(), payload)
	if failed := failedFrom(t, response, err); failed != "" || len(kept) != 1 || kept[0].ID != "e1" ||
		kept[0].Reason == "" {
		t.Errorf("failed from %q, kept %+v; want one record in quarantine", failed, kept)
	}
	if _, err := h.Invoke(t.Context(), []byte(`{"detail":1}`)); err == nil {
		t.Error("a payload that is no batch: no error")
	}
	if _, err := (&changes.Handler[reading]{}).Invoke(t.Context(), payload); err == nil {
		t.Error("a handler without functions: no error")
	}
}
