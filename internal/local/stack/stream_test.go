package stack

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/local/engine/enginetest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// streamed returns a new table and its stream.
func streamed(t *testing.T, endpoint string) (*dynamo.Table, *TableStream) {
	t.Helper()
	name := fmt.Sprintf("stream-%d-%d", time.Now().UnixNano(), tables.Add(1))
	arn, err := EnsureTable(t.Context(), endpoint, name)
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamo.NewClient(t.Context(), Region, endpoint)
	if err != nil {
		t.Fatal(err)
	}
	return dynamo.New(client, name), NewTableStream(endpoint, arn)
}

func put(t *testing.T, table *dynamo.Table, n int) {
	t.Helper()
	err := table.PutItem(t.Context(), item.Item{
		keys.AttrPK: {Type: item.S, S: "DEVICE#a"}, keys.AttrSK: {Type: item.S, S: fmt.Sprintf("N#%06d", n)},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// readOn reads the records after a sequence number to the end, and returns the numbers of the items.
func readOn(t *testing.T, s *TableStream, shard, after string) (numbers []string, last string) {
	t.Helper()
	for {
		page, err := s.Read(t.Context(), shard, after)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Records) == 0 {
			return numbers, after
		}
		for _, r := range page.Records {
			var body events.DynamoDBEventRecord
			if err := json.Unmarshal(r.Body, &body); err != nil || body.Change.SequenceNumber != r.Seq {
				t.Fatalf("record %s is %s (%v)", r.Seq, r.Body, err)
			}
			numbers = append(numbers, strings.TrimPrefix(body.Change.Keys[keys.AttrSK].String(), "N#"))
			after = r.Seq
		}
	}
}

func TestTableStream_OfTheEngine(t *testing.T) { testTableStream(t, enginetest.Endpoint(t)) }

// testTableStream holds the table streams of a database to what the delivery expects.
func testTableStream(t *testing.T, endpoint string) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, string){
		"records committed before the read": returnsRecordsCommittedBeforeTheRead,
		"after a sequence number":           continuesAfterASequenceNumber,
		"after a failed read":               retriesAFailedRead,
	} {
		t.Run(name, func(t *testing.T) { test(t, endpoint) })
	}
}

// Stack.Idle depends on this: a read that finds the end of the stream returns everything that was
// committed before it.
func returnsRecordsCommittedBeforeTheRead(t *testing.T, endpoint string) {
	table, s := streamed(t, endpoint)
	shards, err := s.Shards(t.Context())
	if err != nil || len(shards) != 1 {
		t.Fatalf("shards %v, %v", shards, err)
	}
	after := ""
	for n := range 300 {
		put(t, table, n)
		var got []string
		if got, after = readOn(t, s, shards[0].ID, after); len(got) != 1 || got[0] != fmt.Sprintf("%06d", n) {
			t.Fatalf("after write %d the stream continued with %v", n, got)
		}
	}
}

func continuesAfterASequenceNumber(t *testing.T, endpoint string) {
	table, s := streamed(t, endpoint)
	shards, err := s.Shards(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		put(t, table, n)
	}
	shard := shards[0].ID
	page, err := s.Read(t.Context(), shard, "")
	if err != nil || len(page.Records) != 5 || page.Closed {
		t.Fatalf("the first page has %d records, closed %t: %v", len(page.Records), page.Closed, err)
	}
	if again, _ := readOn(t, s, shard, page.Records[1].Seq); strings.Join(again, " ") != "000002 000003 000004" {
		t.Errorf("after the second record: %v", again)
	}
	if all, _ := readOn(t, s, shard, ""); len(all) != 5 {
		t.Errorf("from the oldest record: %v", all)
	}
}

func retriesAFailedRead(t *testing.T, endpoint string) {
	table, s := streamed(t, endpoint)
	shards, err := s.Shards(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	shard := shards[0].ID
	put(t, table, 1)
	_, after := readOn(t, s, shard, "")
	put(t, table, 2)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Read(gone, shard, after); err == nil {
		t.Fatal("a read with an ended context succeeded")
	}
	s.remember(shard, position{after: after, iterator: "expired"})
	if _, err := s.Read(t.Context(), shard, after); err == nil {
		t.Fatal("an invalid iterator was used")
	}
	if got, _ := readOn(t, s, shard, after); strings.Join(got, " ") != "000002" {
		t.Errorf("after the failures the stream continued with %v", got)
	}
}
