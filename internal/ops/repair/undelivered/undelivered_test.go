package undelivered_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/kinesis"
	"github.com/aws/aws-sdk-go-v2/service/kinesis/types"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/ops/repair/onfailure"
	"github.com/tidemark-db/tidemark/internal/ops/repair/quarantine"
	"github.com/tidemark-db/tidemark/internal/ops/repair/undelivered"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const now = model.Time(1_793_620_800_000) // 2026-11-02T12:00:00Z

// queue is an SQS queue: what was not removed is received again by the next reader.
type queue struct {
	messages   []onfailure.Message
	received   map[string]bool
	failRemove int // removals fail from this one on, counted from 1; 0 is never
	removals   int
}

func (q *queue) Receive(context.Context) (some []onfailure.Message, err error) {
	for _, m := range q.messages {
		if !q.received[m.ID] && len(some) < 10 {
			q.received[m.ID] = true
			some = append(some, m)
		}
	}
	return some, nil
}

var errNoResponse = errors.New("no response")

func (q *queue) Remove(_ context.Context, m onfailure.Message) error {
	if q.removals++; q.failRemove > 0 && q.removals >= q.failRemove {
		return errNoResponse
	}
	q.messages = slices.DeleteFunc(q.messages, func(x onfailure.Message) bool { return x.ID == m.ID })
	return nil
}

// shard is a data stream with one shard, which returns three records a page. Its records have the
// sequence numbers 1, 2, …
type shard struct {
	records [][]byte
	trimmed int // records that are gone
}

func (s *shard) GetShardIterator(_ context.Context, in *kinesis.GetShardIteratorInput,
	_ ...func(*kinesis.Options)) (*kinesis.GetShardIteratorOutput, error) {
	if *in.ShardId != "shardId-1" {
		return nil, errNoResponse
	}
	return &kinesis.GetShardIteratorOutput{ShardIterator: in.StartingSequenceNumber}, nil
}

func (s *shard) GetRecords(_ context.Context, in *kinesis.GetRecordsInput,
	_ ...func(*kinesis.Options)) (*kinesis.GetRecordsOutput, error) {
	var next int
	fmt.Sscan(*in.ShardIterator, &next)
	out := &kinesis.GetRecordsOutput{MillisBehindLatest: new(int64(0))}
	for next = max(next, s.trimmed+1); next <= len(s.records) && len(out.Records) < 3; next++ {
		out.Records = append(out.Records,
			types.Record{SequenceNumber: new(fmt.Sprint(next)), Data: s.records[next-1]})
	}
	out.NextShardIterator = new(fmt.Sprint(next))
	return out, nil
}

type fixture struct {
	*testing.T
	table *memory.Table
	kinds *catalog.Catalog
	queue *queue
	shard *shard
	*undelivered.Replayer
}

// newFixture returns a Replayer on a table whose kind has minted ids, so that only the identity of a
// delivery says whether an observation is stored.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	clock := func() model.Time { return now }
	kinds := iot.Kinds()
	kinds[0].IDs = catalog.MintedID
	settings := config.Default(kinds...)
	f := &fixture{T: t, table: memory.New(clock), queue: &queue{received: map[string]bool{}}, shard: &shard{}}
	var err error
	if f.kinds, err = settings.Catalog(); err != nil {
		t.Fatal(err)
	}
	f.Replayer = &undelivered.Replayer{
		Queue: f.queue, Catalog: f.kinds, Stream: undelivered.Reader{Client: f.shard},
		Appender: quarantine.NewRetrier(
			f.table, f.kinds, settings.Limits, f.kinds.Kinds[0].Name, clock, io.Discard),
	}
	return f
}

// reading is an observation of a second of sensor_01; without a subject it is a device's.
func reading(n int, subject bool) string {
	at := now.Add(time.Duration(n-100_000) * time.Second)
	if subject {
		return fmt.Sprintf(`{"deviceId":"sensor_01","timestamp":%q,"temperature":%d}`, at, n)
	}
	return fmt.Sprintf(`{"timestamp":%q,"temperature":%d}`, at, n)
}

func (f *fixture) add(body string) {
	f.queue.messages = append(f.queue.messages,
		onfailure.Message{ID: fmt.Sprint("m", len(f.queue.messages)), Body: []byte(body)})
}

// addForm adds the message of a form with the n-th reading, as AWS documents its members.
func (f *fixture) addForm(form undelivered.Form, n int) {
	switch form {
	case undelivered.Inbox:
		f.add(reading(n, true))
	case undelivered.Invocation:
		payload := `{"tidemark_subject":"sensor_01","tidemark_kind":"READING",` + reading(n, false)[1:]
		f.add(fmt.Sprintf(`{"version":"1.0","timestamp":"2026-11-02T11:00:00Z","requestContext":{"requestId":"r%d","functionArn":"arn:aws:lambda:eu-west-1:123456789012:function:ingest:live",
			"condition":"RetriesExhausted","approximateInvokeCount":3},"requestPayload":%s,"responseContext":{"statusCode":200,"functionError":"Unhandled"},"responsePayload":{"errorMessage":"timeout"}}`, n, payload))
	case undelivered.Rule:
		topic, message := "tidemark/devices/sensor_01/readings", reading(n, false)
		if n%3 == 1 {
			topic, message = topic+"/batch", "["+message+"]"
		}
		failed := fmt.Sprintf(`"topic":%q,"base64OriginalPayload":%q`, topic,
			base64.StdEncoding.EncodeToString([]byte(message)))
		if n%3 == 2 { // of a batch across topics
			failed = `"payloadsWithMetadata":[{"id":"7a28",` + failed + `}]`
		}
		f.add(fmt.Sprintf(`{"ruleName":"tidemark_prod_READING",%s,"cloudwatchTraceId":"00000000-0000-0000-0000-000000000000","clientId":"sensor_01","sourceIp":"192.0.2.1",
			"failures":[{"failedAction":"LambdaAction","failedResource":"ingest","errorMessage":"throttled"}]}`, failed))
	case undelivered.Stream:
		f.shard.records = append(f.shard.records, []byte(reading(n, true)))
	}
}

// addRange adds the message of a range of the data stream.
func (f *fixture) addRange(first, last int) {
	f.add(fmt.Sprintf(`{"requestContext":{"requestId":"x","functionArn":"arn:aws:lambda:eu-west-1:123456789012:function:ingest:live","condition":"RetryAttemptsExhausted","approximateInvokeCount":11},
		"responseContext":{"statusCode":200,"functionError":"Unhandled"},"version":"1.0","timestamp":"2026-11-02T11:00:00Z","KinesisBatchInfo":{"shardId":"shardId-1","startSequenceNumber":"%d","endSequenceNumber":"%d",
		"approximateArrivalOfFirstRecord":"2026-11-02T10:59:00Z","approximateArrivalOfLastRecord":"2026-11-02T10:59:01Z","batchSize":%d,"streamArn":"arn:aws:kinesis:eu-west-1:123456789012:stream/inlet"}}`, first, last, last-first+1))
}

// replayAll replays each message, as a new process does, and returns the errors of those that stay.
func (f *fixture) replayAll() (stay []error) {
	f.Helper()
	f.queue.received, f.queue.removals = map[string]bool{}, 0
	err := f.Each(f.Context(), func(m undelivered.Message) error {
		if _, err := f.Replay(f.Context(), m); err != nil {
			stay = append(stay, err)
		}
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	return stay
}

// stored returns the temperatures of the events of sensor_01, in their order.
func (f *fixture) stored() (found []string) {
	f.Helper()
	kind := &f.kinds.Kinds[0]
	for e, err := range storage.MergeEvents(f.Context(), f.table, kind.ShardSeries(
		kind.Series("sensor_01", "", model.Order{})), storage.Range{From: model.MinTime, To: model.MaxTime}) {
		if err != nil {
			f.Fatal(err)
		}
		v, _ := e.Attrs.Get("temperature")
		found = append(found, v.Number.String())
	}
	return found
}

// A thousand messages of each form are replayed by processes that stop in the middle, some of whose
// removals have no response. Each reading is stored, none twice.
func TestReplay_LosesNothingAndStoresNothingTwice(t *testing.T) {
	const n = 1000
	for _, form := range []undelivered.Form{undelivered.Inbox, undelivered.Invocation, undelivered.Rule,
		undelivered.Stream} {
		t.Run(string(form), func(t *testing.T) {
			f := newFixture(t)
			var want []string
			for i := range n {
				f.addForm(form, i)
				want = append(want, fmt.Sprint(i))
			}
			if form == undelivered.Stream {
				for first := 1; first < n; first += 50 {
					f.addRange(first, min(first+69, n)) // bisected ranges may overlap
				}
			}
			sent := len(f.queue.messages)
			f.queue.failRemove = sent / 2
			if stay := f.replayAll(); len(stay) != sent-sent/2+1 {
				t.Errorf("%d messages stay, want %d: %v", len(stay), sent-sent/2+1, stay[0])
			}
			f.queue.failRemove = 0
			if stay := f.replayAll(); len(stay) > 0 || len(f.queue.messages) > 0 {
				t.Errorf("%d messages stay: %v", len(f.queue.messages), stay)
			}
			if got := f.stored(); !slices.Equal(got, want) {
				t.Errorf("%d readings are stored, want the %d that were sent, each once", len(got), n)
			}
		})
	}
}

// What cannot be stored stays, with the reason, and keeps nothing else from being stored.
func TestReplay_KeepsWhatItCannotStore(t *testing.T) {
	f := newFixture(t)
	f.shard.records = [][]byte{[]byte(reading(1, true)), []byte(reading(2, true)), []byte(reading(3, true))}
	f.shard.trimmed = 1
	for body, want := range map[string]string{
		`not JSON`: "not JSON",
		`{"deviceId":"sensor_01","timestamp":"yesterday"}`:                                                                               "timestamp",
		`{"tidemark_kind":"FLOW","deviceId":"a"}`:                                                                                        `kind "FLOW" is not declared`,
		`{"requestContext":{"requestId":"r"},"requestPayload":{"deviceId":"a"}}`:                                                         "does not come from a rule",
		`{"requestContext":{"requestId":"r"},"requestPayload":{"detail-type":"x"}}`:                                                      "not of an IoT rule",
		`{"ruleName":"r","topic":"tidemark/pumps/1/flows","base64OriginalPayload":"e30="}`:                                               "no kind has the topic",
		`{"ruleName":"r","topic":"tidemark/devices/a/readings","base64OriginalPayload":"bm90IEpTT04="}`:                                  "not JSON",
		`{"ruleName":"r","payloadsWithMetadata":[{"topic":"tidemark/devices/a/readings","base64OriginalPayload":"e30="},{"topic":"x"}]}`: "no kind has the topic",
	} {
		f.add(body)
		if m := f.last(); m.Err == nil {
			_, m.Err = f.Replay(t.Context(), m)
			f.wantReason(body, m.Err, want)
		} else {
			_, err := f.Replay(t.Context(), m)
			f.wantReason(body, err, want)
		}
	}
	for name, c := range map[string]struct {
		first, last int
		want        string
	}{"trimmed": {1, 2, "no longer has record 1"},
		"an end that is not there": {2, 9, "record 9, the last of the range, was not found"}} {
		f.addRange(c.first, c.last)
		_, err := f.Replay(t.Context(), f.last())
		f.wantReason(name, err, c.want)
	}
	if left := len(f.queue.messages); left != 10 {
		t.Errorf("%d messages are left, want all 10", left)
	}
	f.add(reading(4, true))
	if stay := f.replayAll(); len(stay) != 10 || !slices.Contains(f.stored(), "4") {
		t.Errorf("%d messages stay, stored %v; want 10, and the reading of the last", len(stay), f.stored())
	}
}

func (f *fixture) last() undelivered.Message {
	return undelivered.Decode(f.queue.messages[len(f.queue.messages)-1], f.kinds)
}

func (f *fixture) wantReason(of string, err error, want string) {
	f.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		f.Errorf("%s: %v, want %s", of, err, want)
	}
}

// A message says in which form it came.
func TestDecode_NamesTheForm(t *testing.T) {
	f := newFixture(t)
	for form, detail := range map[undelivered.Form]string{undelivered.Inbox: "",
		undelivered.Invocation: "RetriesExhausted", undelivered.Rule: "tidemark/devices/sensor_01/readings"} {
		f.addForm(form, 0)
		if m := f.last(); m.Form != form || m.Detail != detail || m.Err != nil || !json.Valid(m.Body) {
			t.Errorf("%s %q %v, want %s %q", m.Form, m.Detail, m.Err, form, detail)
		}
	}
	f.addRange(1, 2)
	if m := f.last(); m.Form != undelivered.Stream || m.Detail != "RetryAttemptsExhausted shardId-1" {
		t.Errorf("%s %q", m.Form, m.Detail)
	}
}
