package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/memory"
)

// newBatch returns a batch with a record for each body. Records are named 1, 2, and so on.
func newBatch(t *testing.T, source string, bodies ...string) json.RawMessage {
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

// failed returns the records that a response asks to deliver again.
func failed(t *testing.T, response any) (names []string) {
	t.Helper()
	text, err := json.Marshal(response)
	if err != nil || !strings.Contains(string(text), `"batchItemFailures":[`) {
		t.Fatalf("response %s (%v): want a list, never null", text, err)
	}
	var decoded struct {
		BatchItemFailures []struct{ ItemIdentifier string }
	}
	if err := json.Unmarshal(text, &decoded); err != nil {
		t.Fatal(err)
	}
	for _, f := range decoded.BatchItemFailures {
		names = append(names, f.ItemIdentifier)
	}
	return names
}

var mixed = []string{
	`{"deviceId":"sensor_01","timestamp":1776600001}`,
	`{"deviceId":"sensor_02","timestamp":1776600001}`,
	`{"deviceId":"sensor_01","timestamp":1776600002}`,
	`[{"deviceId":"sensor_01","timestamp":1776600003},{"deviceId":"sensor_02","timestamp":1776600003}]`,
	`not an observation`,
}

func TestBatch_NamesTheRecordsToDeliverAgain(t *testing.T) {
	t.Parallel()
	denied := errors.New("access denied")
	for _, c := range []struct {
		source string
		result storage.WriteResult
		err    error
		want   []string
	}{
		{"aws:sqs", storage.Throttled, nil, []string{"2", "4"}},
		{"aws:sqs", storage.Unknown, denied, []string{"2", "4"}},
		{"aws:kinesis", storage.Throttled, nil, []string{"2"}}, // and all records after it
		{"aws:kinesis", storage.Unknown, denied, []string{"2"}},
	} {
		table := memory.New(now)
		f := onStore(t, failingTable{Table: table, subject: "sensor_02", result: c.result, err: c.err}, table)
		got, err := f.handle(invocation(t, "1"), newBatch(t, c.source, mixed...))
		if err != nil || !slices.Equal(failed(t, got), c.want) {
			t.Errorf("%s, %v: got %v, %v; want %q delivered again", c.source, c.result, got, err, c.want)
		}
		readings, quarantined := f.stored(t)
		if !slices.Equal(readings, []string{one, one, one}) || len(quarantined) != 1 {
			t.Errorf("%s, %v: stored %q and quarantined %q; want the readings of sensor_01, "+
				"and the invalid body in quarantine", c.source, c.result, readings, quarantined)
		}
	}
}

func TestBatch_DeliveredAgainStoresNothingTwice(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"aws:sqs", "aws:kinesis"} {
		f := newFixture(t)
		for _, request := range []string{"1", "2"} { // a new invocation, the same records
			if got, err := f.handle(invocation(t, request), newBatch(t, source, mixed...)); err != nil ||
				failed(t, got) != nil {
				t.Fatalf("%s: got %v, %v; want no failed record", source, got, err)
			}
		}
		if readings, quarantined := f.stored(t); len(readings) != 5 || len(quarantined) != 1 {
			t.Errorf("%s: stored %q and quarantined %q, want each once", source, readings, quarantined)
		}
	}
}

func TestBatch_LosesNothingWhenQuarantineFails(t *testing.T) {
	t.Parallel()
	table := memory.New(now)
	got, err := onStore(t, failingQuarantine{table}, table).handle(invocation(t, "1"),
		newBatch(t, "aws:sqs", mixed...))
	if err != nil || !slices.Equal(failed(t, got), []string{"5"}) {
		t.Errorf("got %v, %v; want the record that is stored nowhere delivered again", got, err)
	}
}

func TestBatch_AppendsASeriesInOneTransaction(t *testing.T) {
	t.Parallel()
	table := memory.New(now)
	counting := &counted{Table: table}
	var bodies []string
	for i := range 50 {
		bodies = append(bodies, fmt.Sprintf(`{"deviceId":"sensor_01","timestamp":%d}`, 1776600001+i))
	}
	f := onStore(t, counting, table)
	got, err := f.handle(invocation(t, "1"), newBatch(t, "aws:sqs", bodies...))
	if err != nil || failed(t, got) != nil {
		t.Fatalf("got %v, %v; want no failed record", got, err)
	}
	if readings, _ := f.stored(t); len(readings) != len(bodies) {
		t.Errorf("%d readings are stored, want %d", len(readings), len(bodies))
	}
	if counting.appends < 1 || counting.appends > 2 { // the first transaction finds that the series is new
		t.Errorf("%d transactions for 50 records of a series, want 1 or 2", counting.appends)
	}
}

func TestHandle_KeepsHeadroomToRespond(t *testing.T) {
	t.Parallel()
	table := memory.New(now)
	counting := &counted{Table: table}
	end := time.Now().Add(time.Minute)
	ctx, cancel := context.WithDeadline(invocation(t, "1"), end)
	defer cancel()
	if _, err := onStore(t, counting, table).handle(ctx, newBatch(t, "aws:sqs", mixed...)); err != nil {
		t.Fatal(err)
	}
	if got := end.Sub(counting.deadline); got != 500*time.Millisecond {
		t.Errorf("the last append may end %s before the deadline, want 500ms", got)
	}
}

// counted counts transactions, and keeps the deadline of the last. The series of a batch are appended
// concurrently.
type counted struct {
	*memory.Table
	mu       sync.Mutex // guards the fields below
	appends  int
	deadline time.Time
}

func (c *counted) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	c.mu.Lock()
	c.appends++
	c.deadline, _ = ctx.Deadline()
	c.mu.Unlock()
	return c.Table.Append(ctx, tx)
}
