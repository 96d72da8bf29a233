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
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var sampleNow = mustTime("2026-04-20T17:00:00Z")

func mustTime(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFiner)
	if err != nil {
		panic(err)
	}
	return t
}

// stage is the handler on a table in memory.
type stage struct {
	*handler
	table *memory.Table
	out   bytes.Buffer // metrics
	logs  bytes.Buffer
}

func newStage(t *testing.T) *stage {
	t.Helper()
	catalog, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	now := func() model.Time { return sampleNow }
	s := &stage{table: memory.New(now)}
	s.handler = &handler{
		settler: &aggregate.Aggregator{
			Store: s.table, Quarantine: s.table, Catalog: catalog, Now: now,
			Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		},
		log:      telemetry.NewLogger(&s.logs, nil),
		metrics:  &telemetry.Emitter{Out: &s.out, Now: now},
		units:    func() (float64, float64) { return 0, 0 },
		function: "aggregate-test", now: now,
	}
	return s
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../events/aggregate", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// invoke answers the identifiers of the answer, in its order.
func (s *stage) invoke(t *testing.T, payload []byte) []string {
	t.Helper()
	out, err := s.Invoke(t.Context(), payload)
	if err != nil {
		t.Fatal(err)
	}
	var answer events.DynamoDBEventResponse // as Lambda's own types read it
	if err := json.Unmarshal(out, &answer); err != nil || !bytes.Contains(out, []byte(`"batchItemFailures":[`)) {
		t.Fatalf("answer %s: %v", out, err)
	}
	var seqs []string
	for _, f := range answer.BatchItemFailures {
		seqs = append(seqs, f.ItemIdentifier)
	}
	return seqs
}

// apply makes in the table the changes that a sample's records are of.
func (s *stage) apply(t *testing.T, payload []byte) {
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
			err = s.table.PutItem(t.Context(), it)
		} else {
			err = s.table.DeleteItem(t.Context(), storedItem(r.DynamoDB.Keys).Key())
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

// hour says what the row of 14:00 of sensor_01 holds.
func (s *stage) hour(t *testing.T) string {
	t.Helper()
	series := model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING"}
	row, err := s.table.Row(t.Context(), rollup.Key{Series: series, Tier: tier.Hour.String(), Start: mustTime("2026-04-20T14:00:00Z")})
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

func (s *stage) quarantined(t *testing.T) (kept []model.Quarantined) {
	t.Helper()
	items, _, err := s.table.Scan(t.Context(), keys.Key{})
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

// counted is a metric of the invocation, as CloudWatch takes it from the log.
func (s *stage) counted(t *testing.T, m telemetry.Metric) float64 {
	t.Helper()
	var line map[string]any
	if err := json.Unmarshal(s.out.Bytes(), &line); err != nil {
		t.Fatalf("metrics %s: %v", s.out.String(), err)
	}
	n, _ := line[m.String()].(float64)
	return n
}

func TestInvoke_Samples(t *testing.T) {
	for _, c := range []struct {
		name        string
		before      string // the sample that came first
		hour        string
		quarantined int
		looks       float64
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
			s := newStage(t)
			if c.before != "" {
				s.apply(t, sample(t, c.before))
				s.invoke(t, sample(t, c.before))
				s.out.Reset()
			}
			payload := sample(t, c.name)
			if c.name != "poison" { // its records are of no item
				s.apply(t, payload)
			}
			if failed := s.invoke(t, payload); len(failed) != 0 {
				t.Errorf("failed from %v on", failed)
			}
			if got := s.hour(t); got != c.hour {
				t.Errorf("the hour: %s, want %s", got, c.hour)
			}
			if looks := s.counted(t, telemetry.Looks); looks != c.looks {
				t.Errorf("%v looks, want %v", looks, c.looks)
			}
			if kept := s.quarantined(t); len(kept) != c.quarantined || s.counted(t, telemetry.Quarantined) != float64(c.quarantined) {
				t.Errorf("%d quarantined, want %d: %+v", len(kept), c.quarantined, kept)
			}
		})
	}
}

func TestInvoke_PoisonIsKeptOnceHoweverOftenItComes(t *testing.T) {
	s := newStage(t)
	for range 3 {
		s.invoke(t, sample(t, "poison"))
	}
	kept := s.quarantined(t)
	if len(kept) != 3 {
		t.Fatalf("%d quarantined, want 3", len(kept))
	}
	for _, q := range kept {
		if !json.Valid(q.Payload) || q.Reason == "" || q.Door != "stream" || q.ExpiresAt <= sampleNow.Seconds() {
			t.Errorf("kept as %+v; want the whole record, a reason and an end", q)
		}
	}
}

// scripted fails what it is told to.
type scripted struct {
	failing []int // places of changes
	closed  bool  // quarantine cannot be written
}

func (s *scripted) Settle(context.Context, []model.Change) (r aggregate.Report) {
	for _, i := range s.failing {
		r.Failures = append(r.Failures, aggregate.Failure{Change: i, Err: errors.New("table unreachable")})
	}
	return r
}

func (s *scripted) SetAside(context.Context, model.Quarantined) error {
	if s.closed {
		return errors.New("table unreachable")
	}
	return nil
}

func insertBatch(n int) []byte {
	var records []string
	for i := range n {
		records = append(records, fmt.Sprintf(`{"eventID":"e%d","eventName":"INSERT","dynamodb":{"SequenceNumber":"%d","Keys":{"pk":{"S":"DEVICE#d"},"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#%d"}}}}`, i, 900-i, i))
	}
	return []byte(`{"Records":[` + strings.Join(records, ",") + `]}`)
}

// The numbers fall along the batch: they must not be compared.
func TestInvoke_PartialFailureAtEveryIndexNamesThatRecord(t *testing.T) {
	const n = 9
	for i := range n {
		s := newStage(t)
		s.settler = &scripted{failing: []int{min(i+2, n-1), i}}
		got := s.invoke(t, insertBatch(n))
		if want := fmt.Sprint(900 - i); len(got) != 1 || got[0] != want {
			t.Errorf("changes %d and %d failed: answered %v, want %s alone", i, min(i+2, n-1), got, want)
		}
		if s.counted(t, telemetry.BatchFailures) != 1 {
			t.Error("the failure was not counted")
		}
	}
}

func TestInvoke_PoisonThatCannotBeKeptFailsFromItsPlace(t *testing.T) {
	const second = "40000000000015838000000062" // of the mixed batch
	for _, failing := range [][]int{nil, {1}, {5}} {
		s := newStage(t)
		s.settler = &scripted{failing: failing, closed: true}
		if got := s.invoke(t, sample(t, "mixed-batch")); len(got) != 1 || got[0] != second {
			t.Errorf("changes %v failed too: answered %v, want %s, the poison", failing, got, second)
		}
	}
	s := newStage(t)
	s.settler = &scripted{failing: []int{0}, closed: true}
	if got := s.invoke(t, sample(t, "mixed-batch")); len(got) != 1 || got[0] != "40000000000007919000000031" {
		t.Errorf("the first change failed before the poison: answered %v", got)
	}
}

// An empty identifier fails a batch whole, which is what a nameless record needs.
func TestInvoke_NamelessPoisonThatCannotBeKeptFailsTheBatchWhole(t *testing.T) {
	s := newStage(t)
	s.settler = &scripted{closed: true}
	if got := s.invoke(t, []byte(`{"Records":[{"eventName":"INSERT"}]}`)); len(got) != 1 || got[0] != "" {
		t.Errorf("answered %q, want one empty identifier", got)
	}
}

func TestInvoke_PayloadThatIsNoBatchIsAnError(t *testing.T) {
	s := newStage(t)
	for _, payload := range []string{"", "{}", `{"version":"2.0"}`} {
		if out, err := s.Invoke(t.Context(), []byte(payload)); err == nil {
			t.Errorf("%q is answered with %s: that acknowledges it", payload, out)
		}
	}
}

// deadline remembers when the work is to end.
type deadline struct {
	scripted
	at time.Time
}

func (d *deadline) Settle(ctx context.Context, _ []model.Change) (r aggregate.Report) {
	d.at, _ = ctx.Deadline()
	return r
}

func TestInvoke_LeavesRoomToAnswer(t *testing.T) {
	for left, room := range map[time.Duration]time.Duration{time.Minute: 2 * time.Second, 5 * time.Second: 500 * time.Millisecond} {
		s := newStage(t)
		d := &deadline{}
		s.settler = d
		end := sampleNow.Time().Add(left)
		ctx, cancel := context.WithDeadline(t.Context(), end)
		if _, err := s.Invoke(ctx, insertBatch(1)); err != nil {
			t.Fatal(err)
		}
		cancel()
		if got := end.Sub(d.at); got != room {
			t.Errorf("%s left: %s kept to answer, want %s", left, got, room)
		}
	}
}

func TestInvoke_AnswersWhatIsUnsettledWhenTheTimeIsOver(t *testing.T) {
	s := newStage(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out, err := s.Invoke(ctx, insertBatch(3))
	if err != nil || string(out) != `{"batchItemFailures":[{"itemIdentifier":"900"}]}` {
		t.Errorf("answered %s, %v; want the first record", out, err)
	}
}

func TestInvoke_CountsUnitsOfItsOwnInvocation(t *testing.T) {
	s := newStage(t)
	calls := 0.0
	s.units = func() (float64, float64) { calls++; return 100 + calls, 200 + 2*calls }
	s.invoke(t, insertBatch(1))
	if r, w := s.counted(t, telemetry.ReadUnits), s.counted(t, telemetry.WriteUnits); r != 1 || w != 2 {
		t.Errorf("%v read and %v write units, want 1, 2", r, w)
	}
}

func TestInvoke_LogSaysWhatFailedAndWhatWasSetAside(t *testing.T) {
	s := newStage(t)
	s.settler = &scripted{failing: []int{1}}
	s.invoke(t, sample(t, "mixed-batch"))
	for _, want := range []string{`"msg":"record set aside"`, `"msg":"batch not settled"`, `"error":"table unreachable"`, `"msg":"batch"`} {
		if !strings.Contains(s.logs.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, s.logs.String())
		}
	}
}

var _ settler = (*aggregate.Aggregator)(nil)
