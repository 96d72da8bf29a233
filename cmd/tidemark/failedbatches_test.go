package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// failureMessage returns the on-failure message of all records of the table stream after
// one, and the sequence number of the last.
func (b *bench) failureMessage(after string) (body, last string) {
	b.Helper()
	arn, err := b.table.StreamARN(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	source := stack.NewTableStream(b.endpoint, arn)
	shards, err := source.Shards(b.Context())
	if err != nil || len(shards) != 1 {
		b.Fatalf("shards %v, %v", shards, err)
	}
	var all []eventsource.Record
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
	return newMessage(arn, shards[0].ID, first.Seq, end.Seq, wallClock()), end.Seq
}

func newMessage(arn, shard, first, last string, at model.Time) string {
	return fmt.Sprintf(`{"requestContext":{"condition":"RetryAttemptsExhausted"},"DDBStreamBatchInfo":{"shardId":%q,`+
		`"startSequenceNumber":%q,"endSequenceNumber":%q,"approximateArrivalOfFirstRecord":%q,`+
		`"approximateArrivalOfLastRecord":%q,"batchSize":1,"streamArn":%q}}`, shard, first, last, at, at, arn)
}

// sqsServer handles the two SQS requests that a retry sends.
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

// show makes the messages visible that were received and not removed.
func (q *sqsServer) show() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	clear(q.hidden)
	return len(q.messages)
}

func TestFailed_BatchesProcessesTheRangesOfAQueueAndRemovesThem(t *testing.T) {
	b := newBench(t)
	b.append("a", "2026-11-02T10:00:00Z 1", "2026-11-02T10:30:00Z 2")
	one, last := b.failureMessage("")
	b.append("b", "2026-11-02T10:00:00Z 3")
	two, _ := b.failureMessage(last)
	queue := newQueue(t, one, two)
	line := words("failed retry --source batches --queue " + queue.URL + "/1/on-failure")
	b.expect(1, append(line, "--dry-run"), "2 changes to process", "1 changes to process",
		"batches: 2 to process")
	if n := queue.show(); n != 2 {
		t.Errorf("a dry run left %d messages, want 2", n)
	}
	b.expect(1, words("verify"), "missing")
	b.expect(0, line, "batches: 2 processed and removed")
	b.expect(0, words("verify"), equalText)
	if n := queue.show(); n != 0 {
		t.Errorf("%d messages left, want none", n)
	}
	b.expect(0, line, "batches: there are none")
}

// A message whose range cannot be processed stays, and does not stop the others.
func TestFailed_BatchesMessageStaysUntilItsRangeIsProcessed(t *testing.T) {
	b := newBench(t)
	b.process(b.append("a", "2026-11-02T10:00:00Z 1"))
	row := b.rowItem("a", tier.Hour, "2026-11-02T10:00:00Z")
	newer := b.rowItem("a", tier.Hour, "2026-11-02T10:00:00Z")
	newer[keys.AttrVersion] = item.Value{Type: item.N, S: "99"}
	b.put(newer)
	_, last := b.failureMessage("")
	b.append("a", "2026-11-02T10:30:00Z 2")
	blocked, last := b.failureMessage(last)
	b.append("b", "2026-11-02T10:00:00Z 3")
	fine, _ := b.failureMessage(last)
	file := filepath.Join(t.TempDir(), "on-failure.ndjson")
	write := func(lines ...string) {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(blocked, "not a message", fine)
	line := words("failed retry --source batches --file " + file)
	b.expect(1, line, "not processed", "newer version", "2 of 3 messages were not processed and stay")
	left, err := os.ReadFile(file)
	if err != nil || string(left) != blocked+"\nnot a message\n" {
		t.Fatalf("left %q, %v", left, err)
	}
	b.put(row) // the newer version is gone
	write(blocked)
	b.expect(0, line, "batches: 1 processed and removed")
	b.expect(0, words("verify"), equalText)
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("a file without messages: %v, want none", err)
	}
	b.expect(0, line, "batches: there are none")
}

// A table stream keeps changes for a day. Older ranges are repaired by arrival.
func TestFailed_BatchesTrimmedRangeIsRepairedByArrival(t *testing.T) {
	b := newBench(t)
	b.process(b.append("a", "2026-11-02T10:00:00Z 1"))
	b.append("a", "2026-11-02T10:30:00Z 2")
	arn, err := b.table.StreamARN(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := wallClock()
	queue := newQueue(t, newMessage(arn, "shardId-00000000000000000001-gone", "000000000000000000001",
		"000000000000000000002", at))
	line := words("failed retry --source batches --queue " + queue.URL + "/1/on-failure")
	b.expect(1, append(line, "--dry-run"), "no longer has", "before its raw events expire, on "+
		at.Add(30 * tier.Day24).String()[:10], "1 buckets to recompute")
	queue.show()
	b.expect(0, line, "batches: 1 processed and removed")
	b.expect(0, words("verify"), equalText)
}

// After the raw events expired it is not known what was lost: rows are marked inexact.
func TestFailed_BatchesMarksRowsInexactAfterTheRawEventsExpired(t *testing.T) {
	b := newBench(t)
	at := wallClock().Add(-31 * tier.Day24)
	b.process(b.append("a", at.String()+" 1"))
	arn, err := b.table.StreamARN(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	queue := newQueue(t,
		newMessage(arn, "shardId-00000000000000000001-gone", "000000000000000000001", "000000000000000000002", at))
	b.expect(0, words("failed retry --source batches --queue "+queue.URL+"/1/on-failure"),
		"rows that may miss one are marked", "marked the rows that may miss an event of")
	if row := b.rowItem("a", tier.Hour, at.String()); row[tablekeys.AttrExact].Bool {
		t.Error("the hour of the range says exact")
	}
}

func TestFailed_BatchesRejectsInvalidUsage(t *testing.T) {
	b := newBench(t)
	b.expect(2, words("failed retry --source batches --queue a --file b"), "pass one of them")
	b.expect(2, words("failed retry --source batches --queue OnFailure"), "want its URL")
}
