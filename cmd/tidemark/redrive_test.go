package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/local"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// givenUp is the message of all that the table's stream holds so far beyond a record.
func (b *bench) givenUp(after string) (body, last string) {
	b.Helper()
	arn, err := b.table.StreamARN(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	source := local.NewTableStream(b.endpoint, arn)
	shards, err := source.Shards(b.Context())
	if err != nil || len(shards) != 1 {
		b.Fatalf("shards %v, %v", shards, err)
	}
	var all []streamtest.Record
	for from := after; ; {
		page, err := source.Read(b.Context(), shards[0].ID, from)
		if err != nil {
			b.Fatal(err)
		}
		if len(page.Records) == 0 {
			break
		}
		all = append(all, page.Records...)
		from = all[len(all)-1].Seq
	}
	first, end := all[0], all[len(all)-1]
	return messageOf(arn, shards[0].ID, first.Seq, end.Seq, wallClock()), end.Seq
}

func messageOf(arn, shard, first, last string, at model.Time) string {
	return fmt.Sprintf(`{"requestContext":{"condition":"RetryAttemptsExhausted"},"DDBStreamBatchInfo":{"shardId":%q,`+
		`"startSequenceNumber":%q,"endSequenceNumber":%q,"approximateArrivalOfFirstRecord":%q,`+
		`"approximateArrivalOfLastRecord":%q,"batchSize":1,"streamArn":%q}}`, shard, first, last, at, at, arn)
}

// sqsServer answers as the queue does, to the two requests that redrive makes.
type sqsServer struct {
	*httptest.Server
	mu       sync.Mutex
	messages map[string]string // by receipt handle
	hidden   map[string]bool
}

func newQueue(t *testing.T, bodies ...string) *sqsServer {
	q := &sqsServer{messages: map[string]string{}, hidden: map[string]bool{}}
	for i, body := range bodies {
		q.messages[fmt.Sprint("receipt-", i)] = body
	}
	q.Server = httptest.NewServer(q)
	t.Cleanup(q.Close)
	return q
}

func (q *sqsServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	var in struct{ ReceiptHandle string }
	text, _ := io.ReadAll(r.Body)
	json.Unmarshal(text, &in)
	switch r.Header.Get("X-Amz-Target") {
	case "AmazonSQS.ReceiveMessage":
		var out []map[string]string
		for handle, body := range q.messages {
			if !q.hidden[handle] {
				q.hidden[handle] = true
				out = append(out, map[string]string{"MessageId": "id-" + handle, "ReceiptHandle": handle, "Body": body})
			}
		}
		json.NewEncoder(w).Encode(map[string]any{"Messages": out})
	case "AmazonSQS.DeleteMessage":
		delete(q.messages, in.ReceiptHandle)
		io.WriteString(w, "{}")
	default:
		w.WriteHeader(http.StatusBadRequest)
	}
}

// show makes what was received and not removed show again.
func (q *sqsServer) show() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	clear(q.hidden)
	return len(q.messages)
}

func TestRedrive_SettlesTheRangesOfAQueueAndRemovesThem(t *testing.T) {
	b := newBench(t)
	b.append("a", "2026-11-02T10:00:00Z 1", "2026-11-02T10:30:00Z 2")
	one, last := b.givenUp("")
	b.append("b", "2026-11-02T10:00:00Z 3")
	two, _ := b.givenUp(last)
	queue := newQueue(t, one, two)
	line := words("redrive --queue " + queue.URL + "/1/on-failure")
	b.expect(1, append(line, "--dry-run"), "2 changes to settle", "1 changes to settle", "2 messages to settle")
	if n := queue.show(); n != 2 {
		t.Errorf("a dry run left %d messages, want 2", n)
	}
	b.expect(1, words("verify"), "missing")
	b.expect(0, line, "2 messages settled and removed")
	b.expect(0, words("verify"), equalText)
	if n := queue.show(); n != 0 {
		t.Errorf("%d messages left, want none", n)
	}
	b.expect(0, line, "nothing was given up")
}

// What cannot be settled stays, and holds up no other.
func TestRedrive_AMessageStaysUntilItsRangeIsSettled(t *testing.T) {
	b := newBench(t)
	b.settle(b.append("a", "2026-11-02T10:00:00Z 1"))
	row := b.rowItem("a", tier.Hour, "2026-11-02T10:00:00Z")
	newer := b.rowItem("a", tier.Hour, "2026-11-02T10:00:00Z")
	newer[keys.AttrVersion] = item.Value{Type: item.N, S: "99"}
	b.put(newer)
	_, last := b.givenUp("")
	b.append("a", "2026-11-02T10:30:00Z 2")
	blocked, last := b.givenUp(last)
	b.append("b", "2026-11-02T10:00:00Z 3")
	fine, _ := b.givenUp(last)
	file := filepath.Join(t.TempDir(), "on-failure.ndjson")
	write := func(lines ...string) {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(blocked, "no message", fine)
	line := words("redrive --file " + file)
	b.expect(3, line, "not settled", "newer version", "2 of 3 messages are not settled and stay")
	left, err := os.ReadFile(file)
	if err != nil || string(left) != blocked+"\nno message\n" {
		t.Fatalf("left %q, %v", left, err)
	}
	b.put(row) // the newer version is gone
	write(blocked)
	b.expect(0, line, "1 messages settled and removed")
	b.expect(0, words("verify"), equalText)
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("a file of which all is settled: %v, want it gone", err)
	}
	b.expect(0, line, "nothing was given up")
}

// oneRecord is a range of the table stream of one record.
type oneRecord struct{ types.Record }

func (r oneRecord) read(_ context.Context, g envelope.GivenUp, take func(rangePage) error) error {
	return (&streams{}).hand(g, []types.Record{r.Record}, take)
}

// oneMessage is a queue that notes whether its message was removed.
type oneMessage struct{ removed bool }

func (*oneMessage) receive(context.Context) ([]message, error)    { return nil, nil }
func (m *oneMessage) remove(context.Context, message) (err error) { m.removed = true; return nil }
func (*oneMessage) close() error                                  { return nil }

// expiry is the record of TTL taking an item away.
func expiry(it item.Item) types.Record {
	image := map[string]types.AttributeValue{}
	for name, v := range it {
		switch v.Type {
		case item.S:
			image[name] = &types.AttributeValueMemberS{Value: v.S}
		case item.N:
			image[name] = &types.AttributeValueMemberN{Value: v.S}
		case item.B:
			image[name] = &types.AttributeValueMemberB{Value: v.B}
		}
	}
	at := map[string]types.AttributeValue{keys.AttrPK: image[keys.AttrPK], keys.AttrSK: image[keys.AttrSK]}
	return types.Record{
		EventName: types.OperationTypeRemove, EventID: aws.String("1"), UserIdentity: &types.Identity{Type: aws.String("Service"), PrincipalId: aws.String("dynamodb.amazonaws.com")},
		Dynamodb: &types.StreamRecord{Keys: at, OldImage: image, SequenceNumber: aws.String("100"), StreamViewType: types.StreamViewTypeNewAndOldImages},
	}
}

// What the mapping of purge gave up waits in the same queue: it is done before its
// message is removed.
func TestRedrive_EndsTheLivesWhoseTombstonesExpired(t *testing.T) {
	sensor, life := model.Subject{Type: "DEVICE", ID: "sensor_01"}, model.Life{1}
	tombstone := item.FromTombstone(&model.Profile{Subject: sensor, Version: 2, Life: life})
	damaged := maps.Clone(tombstone)
	damaged[keys.AttrLife] = item.Value{Type: item.S, S: "?"}
	for _, c := range []struct {
		name          string
		record        item.Item
		dryRun, fails bool
		left          int // versions of the life
		removed       bool
		says          string
	}{
		{"settled", tombstone, false, false, 0, true, "settled 1 changes"},
		{"dry run", tombstone, true, false, 1, false, "1 changes to settle"},
		{"damaged", damaged, false, true, 1, false, ""},
	} {
		table, source, out := memory.New(wallClock), &oneMessage{}, &strings.Builder{}
		version := model.ProfileVersion{Profile: model.Profile{Subject: sensor, Version: 1, Life: life}, Change: model.ProfileCreated}
		if err := table.PutItem(t.Context(), item.FromProfileVersion(&version)); err != nil {
			t.Fatal(err)
		}
		r := &redriver{
			out: out, dryRun: c.dryRun, source: source, streams: oneRecord{expiry(c.record)},
			agg:    &aggregate.Aggregator{Store: table, Quarantine: table, Now: wallClock, Rand: rand.Reader},
			alerts: &alert.Service{Store: table, Now: wallClock, Rand: rand.Reader},
			life:   &lifecycle.Service{Store: table, Now: wallClock, Rand: rand.Reader},
		}
		err := r.settle(t.Context(), message{id: "m"}, envelope.GivenUp{Shard: "s", First: "100", Last: "100"})
		left, _, _ := table.Scan(t.Context(), keys.Key{})
		if (err != nil) != c.fails || len(left) != c.left || source.removed != c.removed || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: %v; %d versions are left of a life that ended, removed: %v; said %q", c.name, err, len(left), source.removed, out)
		}
	}
}

// A stream remembers a day: what is older is mended by its time.
func TestRedrive_WhatTheStreamHasForgottenIsMendedByItsTime(t *testing.T) {
	b := newBench(t)
	b.settle(b.append("a", "2026-11-02T10:00:00Z 1"))
	b.append("a", "2026-11-02T10:30:00Z 2")
	arn, err := b.table.StreamARN(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	queue := newQueue(t, messageOf(arn, "shardId-00000000000000000001-gone", "000000000000000000001", "000000000000000000002", wallClock()))
	line := words("redrive --queue " + queue.URL + "/1/on-failure")
	b.expect(1, append(line, "--dry-run"), "has forgotten", "before its raw events expire, on "+wallClock().Add(30 * tier.Day24).String()[:10], "1 buckets to look at again")
	queue.show()
	b.expect(0, line, "1 messages settled and removed")
	b.expect(0, words("verify"), equalText)
}

// After the raw events expired nobody can know what was lost: the rows say so.
func TestRedrive_AfterTheDeadlineTheRangeIsMarked(t *testing.T) {
	b := newBench(t)
	at := wallClock().Add(-31 * tier.Day24)
	b.settle(b.append("a", at.String()+" 1"))
	arn, err := b.table.StreamARN(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	queue := newQueue(t, messageOf(arn, "shardId-00000000000000000001-gone", "000000000000000000001", "000000000000000000002", at))
	b.expect(0, words("redrive --queue "+queue.URL+"/1/on-failure"), "what may miss one is marked", "marked what stands over")
	if row := b.rowItem("a", tier.Hour, at.String()); row[keys.AttrExact].Bool {
		t.Error("the hour of the range says exact")
	}
}

func TestFailureFile_LosesNoLineThatComesMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	write := func(to, text string) {
		if err := appendFile(to, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	write(path+".redriving", "left by a run that was killed\n")
	write(path, "one\ntwo\n")
	f, err := openFailureFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.receive(t.Context())
	if err != nil || len(got) != 3 {
		t.Fatalf("received %v, %v", got, err)
	}
	for _, m := range got {
		if string(m.body) != "two" {
			if err := f.remove(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(path+".redriving", "by one that had the file open\n")
	write(path, "by one that opened it since\n")
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadFile(path)
	if want := "by one that opened it since\ntwo\nby one that had the file open\n"; err != nil || string(left) != want {
		t.Errorf("left %q, %v; want %q", left, err, want)
	}
}

func TestRedrive_WhatIsAskedWronglyIsTold(t *testing.T) {
	b := newBench(t)
	b.expect(2, words("redrive --queue a --file b"), "want one of them")
	b.expect(2, words("redrive --queue OnFailure"), "want its URL")
}
