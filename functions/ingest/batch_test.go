package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// batchOf is a batch of readings, a record each, named by their places from 1.
func batchOf(t *testing.T, source string, bodies ...string) json.RawMessage {
	t.Helper()
	var records []any
	for i, body := range bodies {
		name := fmt.Sprint(i + 1)
		records = append(records, map[string]any{"eventSource": source, "messageId": name, "body": body,
			"eventID": name, "kinesis": map[string]any{"sequenceNumber": name, "data": []byte(body)}})
	}
	payload, err := json.Marshal(map[string]any{"Records": records})
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// again are the records that an answer names.
func again(t *testing.T, answer any) (names []string) {
	t.Helper()
	text, err := json.Marshal(answer)
	if err != nil || !strings.Contains(string(text), `"batchItemFailures":[`) {
		t.Fatalf("answer %s (%v): want a list, never null", text, err)
	}
	var said struct {
		BatchItemFailures []struct{ ItemIdentifier string }
	}
	if err := json.Unmarshal(text, &said); err != nil {
		t.Fatal(err)
	}
	for _, f := range said.BatchItemFailures {
		names = append(names, f.ItemIdentifier)
	}
	return names
}

var mixed = []string{
	`{"deviceId":"sensor_01","timestamp":1}`,
	`{"deviceId":"sensor_02","timestamp":1}`,
	`{"deviceId":"sensor_01","timestamp":2}`,
	`[{"deviceId":"sensor_01","timestamp":3},{"deviceId":"sensor_02","timestamp":3}]`,
	`no observation`,
}

func TestBatch_NamesWhatMustComeAgain(t *testing.T) {
	t.Parallel()
	refused := errors.New("access denied")
	for _, c := range []struct {
		source string
		answer model.Answer
		err    error
		want   []string
	}{
		{"aws:sqs", model.Throttled, nil, []string{"2", "4"}},
		{"aws:sqs", model.Uncertain, refused, []string{"2", "4"}},
		{"aws:kinesis", model.Throttled, nil, []string{"2"}}, // and with it all that follow
		{"aws:kinesis", model.Uncertain, refused, []string{"2"}},
	} {
		table := memory.New(now)
		w := worldOn(t, unsteady{table, "sensor_02", c.answer, c.err}, table)
		got, err := w.handle(asked(t, "1"), batchOf(t, c.source, mixed...))
		if err != nil || !slices.Equal(again(t, got), c.want) {
			t.Errorf("%s, %v: answered %v, %v; want %q again", c.source, c.answer, got, err, c.want)
		}
		readings, quarantined := w.kept(t)
		if !slices.Equal(readings, []string{one, one, one}) || len(quarantined) != 1 {
			t.Errorf("%s, %v: stored %q and set aside %q; want all of sensor_01, and what is none", c.source, c.answer, readings, quarantined)
		}
	}
}

func TestBatch_DeliveredAgainStoresAndKeepsNothingTwice(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"aws:sqs", "aws:kinesis"} {
		w := newWorld(t)
		for _, request := range []string{"1", "2"} { // a new invocation, the same records
			if got, err := w.handle(asked(t, request), batchOf(t, source, mixed...)); err != nil || again(t, got) != nil {
				t.Fatalf("%s: answered %v, %v; want nothing again", source, got, err)
			}
		}
		if readings, quarantined := w.kept(t); len(readings) != 5 || len(quarantined) != 1 {
			t.Errorf("%s: stored %q and set aside %q, want each once", source, readings, quarantined)
		}
	}
}

func TestBatch_LosesNothingWhenQuarantineIsDown(t *testing.T) {
	t.Parallel()
	table := memory.New(now)
	got, err := worldOn(t, down{table}, table).handle(asked(t, "1"), batchOf(t, "aws:sqs", mixed...))
	if err != nil || !slices.Equal(again(t, got), []string{"5"}) {
		t.Errorf("answered %v, %v; want the record again that is kept nowhere", got, err)
	}
}

func TestBatch_AppendsASeriesTogether(t *testing.T) {
	t.Parallel()
	table := memory.New(now)
	counting := &counted{Table: table}
	var bodies []string
	for i := range 50 {
		bodies = append(bodies, fmt.Sprintf(`{"deviceId":"sensor_01","timestamp":%d}`, i+1))
	}
	if _, err := worldOn(t, counting, table).handle(asked(t, "1"), batchOf(t, "aws:sqs", bodies...)); err != nil {
		t.Fatal(err)
	}
	if counting.appends > 2 { // the first finds that the series is new
		t.Errorf("%d transactions for 50 records of a series, want 2", counting.appends)
	}
}

// counted counts transactions.
type counted struct {
	*memory.Table
	appends int
}

func (c *counted) Append(ctx context.Context, tx ingest.Transaction) (ingest.Reply, error) {
	c.appends++
	return c.Table.Append(ctx, tx)
}
