package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var sampleNow = mustTime("2026-04-20T17:00:00Z")

func mustTime(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return t
}

// stdout is safe for concurrent writes, as a function's standard output is.
type stdout struct {
	mu sync.Mutex // guards writes to the buffer
	bytes.Buffer
}

func (s *stdout) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Buffer.Write(line)
}

// fixture is the handler on a table in memory.
type fixture struct {
	*handler
	table *memory.Table
	out   stdout // metrics
	logs  bytes.Buffer
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	catalog, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	now := func() model.Time { return sampleNow }
	f := &fixture{table: memory.New(now)}
	f.handler = &handler{
		processor: &aggregate.Aggregator{
			Store: f.table, QuarantineStore: f.table, Catalog: catalog, Now: now,
			Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		},
		log:      telemetry.NewLogger(&f.logs, nil),
		metrics:  &telemetry.Emitter{Out: &f.out, Now: now},
		units:    func() (float64, float64) { return 0, 0 },
		function: "aggregate-test",
	}
	return f
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../events/aggregate", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// invoke returns the identifiers of the failed records in the response.
func (f *fixture) invoke(t *testing.T, payload []byte) []string {
	t.Helper()
	out, err := f.Invoke(t.Context(), payload)
	if err != nil {
		t.Fatal(err)
	}
	var decoded events.DynamoDBEventResponse
	if err := json.Unmarshal(out, &decoded); err != nil ||
		!bytes.Contains(out, []byte(`"batchItemFailures":[`)) {
		t.Fatalf("response %s: %v", out, err)
	}
	var seqs []string
	for _, f := range decoded.BatchItemFailures {
		seqs = append(seqs, f.ItemIdentifier)
	}
	return seqs
}

// apply makes the changes of a sample's records in the table.
func (f *fixture) apply(t *testing.T, payload []byte) {
	t.Helper()
	var batch struct {
		Records []struct {
			DynamoDB struct {
				Keys, NewImage map[string]map[string]any
			} `json:"dynamodb"`
		}
	}
	if err := json.Unmarshal(payload, &batch); err != nil {
		t.Fatal(err)
	}
	for _, r := range batch.Records {
		var err error
		if it := storedItem(r.DynamoDB.NewImage); len(it) > 0 {
			err = f.table.PutItem(t.Context(), it)
		} else {
			err = f.table.DeleteItem(t.Context(), storedItem(r.DynamoDB.Keys).Key())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func storedItem(image map[string]map[string]any) item.Item {
	it := item.Item{}
	for name, value := range image {
		for _, form := range []string{"S", "N", "B"} {
			text, ok := value[form].(string)
			switch {
			case ok && form == "S":
				it[name] = item.Value{Type: item.S, S: text}
			case ok && form == "N":
				it[name] = item.Value{Type: item.N, S: text}
			case ok:
				var raw []byte
				_ = json.Unmarshal([]byte(`"`+text+`"`), &raw)
				it[name] = item.Value{Type: item.B, B: raw}
			}
		}
	}
	return it
}

// hour summarizes sensor_01's row of 14:00.
func (f *fixture) hour(t *testing.T) string {
	t.Helper()
	series := model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING"}
	row, err := f.table.Row(t.Context(),
		rollup.Key{Series: series, Tier: tier.Hour.String(), Start: mustTime("2026-04-20T14:00:00Z")})
	switch {
	case err != nil:
		t.Fatal(err)
	case row == nil:
		return "absent"
	case row.Empty:
		return "empty"
	}
	m, _ := row.Summary.Measure("temperature")
	return fmt.Sprintf("%d events, max %s, exact %v", row.Summary.Events(), m.Max, row.Exact)
}

func (f *fixture) quarantined(t *testing.T) (kept []storage.Quarantined) {
	t.Helper()
	items, _, err := f.table.Scan(t.Context(), keys.Key{})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		if q, err := item.Quarantined(it); err == nil {
			kept = append(kept, q)
		}
	}
	return kept
}

// counted returns a metric of the invocation.
func (f *fixture) counted(t *testing.T, m telemetry.Metric) float64 {
	t.Helper()
	var line map[string]any
	if err := json.Unmarshal(f.out.Bytes(), &line); err != nil {
		t.Fatalf("metrics %s: %v", f.out.String(), err)
	}
	n, _ := line[string(m)].(float64)
	return n
}

func TestInvoke_Samples(t *testing.T) {
	for _, c := range []struct {
		name        string
		before      string // a sample that is processed first
		hour        string
		quarantined int
		recomputed  float64
	}{
		{"insert", "", "2 events, max 22.6, exact true", 0, 6},
		{"correction", "insert", "2 events, max 22.6, exact true", 0, 3},
		{"user-delete", "insert", "1 events, max 22.6, exact true", 0, 3},
		{"ttl-expiry", "insert", "2 events, max 22.6, exact true", 0, 0},
		{"replica-expiry", "insert", "2 events, max 22.6, exact true", 0, 0},
		{"poison", "insert", "2 events, max 22.6, exact true", 3, 0},
		{"mixed-batch", "", "1 events, max 21.4, exact true", 2, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			if c.before != "" {
				f.apply(t, sample(t, c.before))
				f.invoke(t, sample(t, c.before))
				f.out.Reset()
			}
			payload := sample(t, c.name)
			if c.name != "poison" { // its records have no item
				f.apply(t, payload)
			}
			if failed := f.invoke(t, payload); len(failed) != 0 {
				t.Errorf("failed records %v, want none", failed)
			}
			if got := f.hour(t); got != c.hour {
				t.Errorf("the hour: %s, want %s", got, c.hour)
			}
			if n := f.counted(t, telemetry.Recomputations); n != c.recomputed {
				t.Errorf("%v recomputations, want %v", n, c.recomputed)
			}
			if kept := f.quarantined(t); len(kept) != c.quarantined ||
				f.counted(t, telemetry.Quarantined) != float64(c.quarantined) {
				t.Errorf("%d quarantined, want %d: %+v", len(kept), c.quarantined, kept)
			}
		})
	}
}

func TestInvoke_QuarantinesAnUnreadableRecordOnce(t *testing.T) {
	f := newFixture(t)
	for range 3 {
		f.invoke(t, sample(t, "poison"))
	}
	kept := f.quarantined(t)
	if len(kept) != 3 {
		t.Fatalf("%d quarantined, want 3", len(kept))
	}
	for _, q := range kept {
		if !json.Valid(q.Payload) || q.Reason == "" || q.Source != "stream" || q.ExpiresAt <= sampleNow.Seconds() {
			t.Errorf("quarantined %+v; want the complete record, a reason and an expiry", q)
		}
	}
}

// scripted fails the given changes.
type scripted struct {
	failing []int // indexes of changes
	closed  bool  // quarantine fails
}

func (s *scripted) Process(context.Context, []storage.Change) (r aggregate.Report) {
	for _, i := range s.failing {
		r.Failures = append(r.Failures, aggregate.Failure{Change: i, Err: errors.New("table unreachable")})
	}
	return r
}

func (s *scripted) Quarantine(context.Context, storage.Quarantined) error {
	if s.closed {
		return errors.New("table unreachable")
	}
	return nil
}

func insertBatch(n int) []byte {
	var records []string
	for i := range n {
		records = append(records,
			fmt.Sprintf(`{"eventID":"e%d","eventName":"INSERT","dynamodb":{"SequenceNumber":"%d","Keys":{"pk":{"S":"DEVICE#d"},"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#%d"}}}}`, i, 900-i, i))
	}
	return []byte(`{"Records":[` + strings.Join(records, ",") + `]}`)
}

// The sequence numbers decrease along the batch: they must not be compared.
func TestInvoke_APartialFailureNamesTheFirstFailedRecord(t *testing.T) {
	const n = 9
	for i := range n {
		f := newFixture(t)
		f.processor = &scripted{failing: []int{min(i+2, n-1), i}}
		got := f.invoke(t, insertBatch(n))
		if want := fmt.Sprint(900 - i); len(got) != 1 || got[0] != want {
			t.Errorf("changes %d and %d failed: got %v, want only %s", i, min(i+2, n-1), got, want)
		}
		if f.counted(t, telemetry.BatchFailures) != 1 {
			t.Error("the failure was not counted")
		}
	}
}

func TestInvoke_AnUnreadableRecordThatCannotBeQuarantinedFails(t *testing.T) {
	const second = "40000000000015838000000062" // of the mixed batch
	for _, failing := range [][]int{nil, {1}, {5}} {
		f := newFixture(t)
		f.processor = &scripted{failing: failing, closed: true}
		if got := f.invoke(t, sample(t, "mixed-batch")); len(got) != 1 || got[0] != second {
			t.Errorf("changes %v failed too: got %v, want %s, the unreadable record", failing, got, second)
		}
	}
	f := newFixture(t)
	f.processor = &scripted{failing: []int{0}, closed: true}
	if got := f.invoke(t, sample(t, "mixed-batch")); len(got) != 1 || got[0] != "40000000000007919000000031" {
		t.Errorf("the first change failed before the unreadable record: got %v, want the change", got)
	}
}

// An empty identifier fails the complete batch; a record without a number needs that.
func TestInvoke_ARecordWithoutANumberThatCannotBeQuarantinedFailsTheBatch(t *testing.T) {
	f := newFixture(t)
	f.processor = &scripted{closed: true}
	if got := f.invoke(t, []byte(`{"Records":[{"eventName":"INSERT"}]}`)); len(got) != 1 || got[0] != "" {
		t.Errorf("got %q, want one empty identifier", got)
	}
}

func TestInvoke_APayloadThatIsNotABatchIsAnError(t *testing.T) {
	f := newFixture(t)
	for _, payload := range []string{"", "{}", `{"version":"2.0"}`} {
		if out, err := f.Invoke(t.Context(), []byte(payload)); err == nil {
			t.Errorf("%q: got %s, which acknowledges it; want an error", payload, out)
		}
	}
}

// deadline records the deadline of Process.
type deadline struct {
	scripted
	at time.Time
}

func (d *deadline) Process(ctx context.Context, _ []storage.Change) (r aggregate.Report) {
	d.at, _ = ctx.Deadline()
	return r
}

func TestInvoke_EndsBeforeTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for left, want := range map[time.Duration]time.Duration{time.Minute: 2 * time.Second,
			5 * time.Second: 500 * time.Millisecond} {
			f := newFixture(t)
			d := &deadline{}
			f.processor = d
			end := time.Now().Add(left)
			ctx, cancel := context.WithDeadline(t.Context(), end)
			if _, err := f.Invoke(ctx, insertBatch(1)); err != nil {
				t.Fatal(err)
			}
			cancel()
			if got := end.Sub(d.at); got != want {
				t.Errorf("%s left: processing ends %s before the deadline, want %s", left, got, want)
			}
		}
	})
}

func TestInvoke_ReturnsUnprocessedRecordsWhenTheContextEnds(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out, err := f.Invoke(ctx, insertBatch(3))
	if err != nil || string(out) != `{"batchItemFailures":[{"itemIdentifier":"900"}]}` {
		t.Errorf("got %s, %v; want the first record", out, err)
	}
}

func TestInvoke_CountsTheUnitsOfTheInvocation(t *testing.T) {
	f := newFixture(t)
	calls := 0.0
	f.units = func() (float64, float64) { calls++; return 100 + calls, 200 + 2*calls }
	f.invoke(t, insertBatch(1))
	if r, w := f.counted(t, telemetry.ReadUnits), f.counted(t, telemetry.WriteUnits); r != 1 || w != 2 {
		t.Errorf("%v read and %v write units, want 1, 2", r, w)
	}
}

func TestInvoke_LogsFailuresAndQuarantinedRecords(t *testing.T) {
	f := newFixture(t)
	f.processor = &scripted{failing: []int{1}}
	f.invoke(t, sample(t, "mixed-batch"))
	for _, want := range []string{`"msg":"record quarantined"`, `"msg":"batch partly failed"`,
		`"error":"table unreachable"`, `"msg":"batch"`} {
		if !strings.Contains(f.logs.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, f.logs.String())
		}
	}
}

// The configuration may not fit the table any more: then nothing may be recomputed by it.
func TestInvoke_ProcessesNothingIfTheConfigurationCannotBeRefreshed(t *testing.T) {
	f, failure := newFixture(t), errors.New("refused")
	f.refresh = func(context.Context) error { return failure }
	f.processor = nil // a call would panic
	for _, payload := range []string{`{"Records":[]}`,
		`{"source":"aws.events","detail-type":"Scheduled Event"}`} {
		if _, err := f.Invoke(t.Context(), []byte(payload)); !errors.Is(err, failure) {
			t.Errorf("%s: %v, want %v", payload, err, failure)
		}
	}
}
