package protocol_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// once sends each request once.
func once(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }

func (s *served) tryPut(pk, sk string) error {
	_, err := s.PutItem(s.Context(), &dynamodb.PutItemInput{TableName: aws.String(name),
		Item: map[string]types.AttributeValue{"pk": text(pk), "sk": text(sk)}}, once)
	return err
}

// get returns the attribute of an item; "" if there is none.
func (s *served) get(pk, attribute string, consistent bool) string {
	s.Helper()
	out, err := s.GetItem(s.Context(), &dynamodb.GetItemInput{TableName: aws.String(name),
		Key: map[string]types.AttributeValue{"pk": text(pk), "sk": text("1")}, ConsistentRead: &consistent})
	if err != nil {
		s.Fatal(err)
	}
	v, _ := out.Item[attribute].(*types.AttributeValueMemberS)
	if v == nil {
		return ""
	}
	return v.Value
}

func TestFaults_APartitionTakesItsUnitsASecond(t *testing.T) {
	const units, seconds = 10, 30
	s := serveWith(t, protocol.Faults{PartitionWrites: units, PartitionReads: 3 * units})
	taken := 0
	for range seconds {
		for n := range 5 * units {
			switch err := s.tryPut("hot", fmt.Sprint(n)); {
			case err == nil:
				taken++
			case !errors.As(err, new(*types.ProvisionedThroughputExceededException)):
				t.Fatal(err)
			}
		}
		s.advance(time.Second)
	}
	if taken != units*seconds {
		t.Errorf("a partition took %d writes in %d seconds, want %d", taken, seconds, units*seconds)
	}
	for n := range 5 * units {
		if err := s.tryPut(fmt.Sprint("cold", n), "1"); err != nil {
			t.Fatalf("another partition: %v", err)
		}
	}
	reads := 0
	for range 20 * units {
		_, err := s.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(name),
			Key: map[string]types.AttributeValue{"pk": text("hot"), "sk": text("1")}}, once)
		if err == nil {
			reads++
		}
	}
	if reads != 6*units { // half a unit each
		t.Errorf("a partition took %d eventually consistent reads in a second, want %d", reads, 6*units)
	}
}

func TestFaults_WhatAPartitionDoesNotTakeIsUnprocessedOrCancelsTheTransaction(t *testing.T) {
	s := serveWith(t, protocol.Faults{PartitionWrites: 1, PartitionReads: 3})
	s.put("hot", "0", nil)
	var requests []types.WriteRequest
	var actions []types.TransactWriteItem
	for _, pk := range []string{"hot", "cold"} {
		it := map[string]types.AttributeValue{"pk": text(pk), "sk": text("1")}
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: it}})
		put := &types.Put{TableName: aws.String(name), Item: it}
		actions = append(actions, types.TransactWriteItem{Put: put})
	}
	var cancelled *types.TransactionCanceledException
	_, err := s.TransactWriteItems(t.Context(),
		&dynamodb.TransactWriteItemsInput{TransactItems: actions}, once)
	if !errors.As(err, &cancelled) || *cancelled.CancellationReasons[0].Code != "ThrottlingError" ||
		*cancelled.CancellationReasons[1].Code != "None" {
		t.Errorf("a transaction on a partition without units: %v", err)
	}
	out, err := s.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{name: requests}}, once)
	if err != nil {
		t.Fatal(err)
	}
	left := out.UnprocessedItems[name]
	if len(left) != 1 || left[0].PutRequest.Item["pk"].(*types.AttributeValueMemberS).Value != "hot" {
		t.Errorf("unprocessed: %v, want the item of the hot partition", left)
	}
	_, err = s.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{name: requests[:1]}}, once)
	if !errors.As(err, new(*types.ProvisionedThroughputExceededException)) {
		t.Errorf("a batch of which nothing is processed: %v", err)
	}
}

func TestFaults_ALostResponseIsOfAWriteThatIsStoredOrNot(t *testing.T) {
	for fault, stored := range map[simstream.Fault]bool{
		simstream.WriteLost: false, simstream.WriteUnconfirmed: true, simstream.Throttled: false,
	} {
		s := serveWith(t, protocol.Faults{Rates: map[simstream.Fault]float64{fault: .5}})
		failed := 0
		for n := range 40 {
			err := s.tryPut(fmt.Sprint(n), "1")
			if err == nil {
				continue
			}
			failed++
			throttled := errors.As(err, new(*types.ProvisionedThroughputExceededException))
			if responded := errors.As(err, new(smithy.APIError)); responded != throttled ||
				throttled != (fault == simstream.Throttled) {
				t.Errorf("%s: %v", fault, err)
			}
			it, _ := s.Table(name).Get(keys.Key{PK: fmt.Sprint(n), SK: "1"})
			if (it != nil) != stored {
				t.Errorf("%s: stored %t, want %t", fault, it != nil, stored)
			}
		}
		if failed < 10 || failed > 30 {
			t.Errorf("%s: %d of 40 writes failed, want about half", fault, failed)
		}
	}
}

func TestFaults_AnEventuallyConsistentReadLags(t *testing.T) {
	const lag = time.Minute
	s := serveWith(t, protocol.Faults{StaleReads: lag})
	s.put("a", "1", map[string]types.AttributeValue{"v": text("old")})
	s.advance(2 * lag)
	s.put("a", "1", map[string]types.AttributeValue{"v": text("new")})
	s.advance(lag / 2)
	seen := map[string]int{}
	for range 100 {
		seen[s.get("a", "v", false)]++
		if got := s.get("a", "v", true); got != "new" {
			t.Fatalf("a consistent read returns %q", got)
		}
		page, err := s.Query(t.Context(), &dynamodb.QueryInput{TableName: aws.String(name),
			KeyConditionExpression:    aws.String("pk = :pk"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":pk": text("a")}})
		if err != nil || len(page.Items) != 1 {
			t.Fatal(page, err)
		}
		seen[page.Items[0]["v"].(*types.AttributeValueMemberS).Value]++
	}
	if seen["old"] < 50 || seen["new"] < 50 || seen["old"]+seen["new"] != 200 {
		t.Errorf("eventually consistent reads in the middle of the lag: %v, want half of them old", seen)
	}
	s.advance(lag)
	for range 20 {
		if got := s.get("a", "v", false); got != "new" {
			t.Errorf("a read after the lag returns %q", got)
		}
	}
}

func TestFaults_RecordsAreDelayedAndShardsSplit(t *testing.T) {
	s := serveWith(t, protocol.Faults{RecordsAfter: time.Minute,
		Rates: map[simstream.Fault]float64{simstream.ShardSplit: 1}})
	for n := range 5 {
		s.put("a", fmt.Sprint(n), nil)
	}
	count := func() (records, closed int) {
		for _, shard := range s.shards() {
			some, end := s.read(shard.ShardId)
			records += len(some)
			if end {
				closed++
			}
		}
		return records, closed
	}
	if records, _ := count(); records != 0 || !s.Delays(name) {
		t.Errorf("%d records at once, want none for a minute", records)
	}
	s.advance(time.Minute)
	if records, closed := count(); records != 5 || closed == 0 || s.Delays(name) {
		t.Errorf("%d records and %d closed shards after a minute, want 5, and some", records, closed)
	}
}

func TestFaults_AreSetByTheirNames(t *testing.T) {
	all := protocol.DescribeFaults()
	for _, line := range all {
		var f protocol.Faults
		example, _, _ := strings.Cut(line, "  ")
		if err := f.Set(example); err != nil {
			t.Errorf("%q: %v", example, err)
		}
		if f.Rates == nil && f.PartitionWrites == 0 && f.StaleReads == 0 && f.RecordsAfter == 0 {
			t.Errorf("%q sets nothing", example)
		}
	}
	if len(all) < 9 {
		t.Errorf("%d faults", len(all))
	}
	for given, want := range map[string]string{
		"write-lsot=0.1":       "did you mean write lost?",
		"write-lost":           "write lost=0.05",
		"write-lost=2":         "a probability from 0 to 1",
		"write-lost=NaN":       "a probability from 0 to 1",
		"partition-units=0":    "units a second from 1 on",
		"stale-reads=2":        "a duration",
		"delayed-delivery=-1s": "a duration",
	} {
		if err := new(protocol.Faults).Set(given); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", given, err, want)
		}
	}
}
