package protocol_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go"

	"github.com/tidemark-db/tidemark/internal/local/engine/enginetest"
	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const name = "tidemark"

// served is a served table with a clock.
type served struct {
	*testing.T
	*protocol.Listener
	*dynamodb.Client
	streams *dynamodbstreams.Client
	clock   atomic.Int64
}

func serve(t *testing.T) *served { return serveWith(t, protocol.Faults{}) }

func serveWith(t *testing.T, f protocol.Faults) *served {
	s := &served{T: t}
	s.clock.Store(int64(model.NewTime(time.Date(2026, 3, 29, 0, 30, 0, 0, time.UTC))))
	s.Listener = enginetest.Start(t, func() model.Time { return model.Time(s.clock.Load()) })
	s.SetFaults(f)
	var err error
	if s.Client, err = dynamo.NewClient(t.Context(), "", s.Endpoint); err != nil {
		t.Fatal(err)
	}
	o := s.Client.Options()
	s.streams = dynamodbstreams.New(
		dynamodbstreams.Options{Region: o.Region, BaseEndpoint: &s.Endpoint, Credentials: o.Credentials})
	if err := dynamo.New(s.Client, name).Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *served) advance(d time.Duration) { s.clock.Add(d.Milliseconds()); s.Tick() }

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func (s *served) put(pk, sk string, more map[string]types.AttributeValue) {
	s.Helper()
	it := map[string]types.AttributeValue{"pk": text(pk), "sk": text(sk)}
	for name, v := range more {
		it[name] = v
	}
	if _, err := s.PutItem(s.Context(),
		&dynamodb.PutItemInput{TableName: aws.String(name), Item: it}); err != nil {
		s.Fatal(err)
	}
}

func (s *served) arn() string {
	s.Helper()
	out, err := s.DescribeTable(s.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(name)})
	if err != nil {
		s.Fatal(err)
	}
	return *out.Table.LatestStreamArn
}

func (s *served) shards() []streamtypes.Shard {
	s.Helper()
	out, err := s.streams.DescribeStream(s.Context(),
		&dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(s.arn())})
	if err != nil {
		s.Fatal(err)
	}
	return out.StreamDescription.Shards
}

// read returns the records of a shard from its oldest one, and whether the shard is closed and read
// completely.
func (s *served) read(shard *string) (records []streamtypes.Record, closed bool) {
	s.Helper()
	it, err := s.streams.GetShardIterator(s.Context(), &dynamodbstreams.GetShardIteratorInput{
		StreamArn: aws.String(s.arn()), ShardId: shard, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
	})
	if err != nil {
		s.Fatal(err)
	}
	for next := it.ShardIterator; next != nil; {
		out, err := s.streams.GetRecords(s.Context(),
			&dynamodbstreams.GetRecordsInput{ShardIterator: next, Limit: aws.Int32(2)})
		if err != nil {
			s.Fatal(err)
		}
		if records = append(records, out.Records...); len(out.Records) == 0 {
			return records, out.NextShardIterator == nil
		}
		next = out.NextShardIterator
	}
	return records, true
}

func TestTTL_RemovesAsTheServiceWhenTheClockMoves(t *testing.T) {
	s := serve(t)
	expires := &types.AttributeValueMemberN{Value: model.NewDecimal(
		model.Time(s.clock.Load()).Add(time.Hour).Seconds()).String()}
	s.put("a", "1", map[string]types.AttributeValue{keys.AttrExpiresAt: expires})
	s.put("a", "2", nil)
	s.advance(59 * time.Minute)
	shard := s.shards()[0].ShardId
	if records, _ := s.read(shard); len(records) != 2 {
		t.Fatalf("%d records before the item expires, want 2", len(records))
	}
	s.advance(2 * time.Minute)
	records, closed := s.read(shard)
	if len(records) != 3 || closed {
		t.Fatalf("%d records, closed %v; want 3 in an open shard", len(records), closed)
	}
	last := records[2]
	if last.EventName != streamtypes.OperationTypeRemove || last.UserIdentity == nil ||
		*last.UserIdentity.PrincipalId != "dynamodb.amazonaws.com" {
		t.Errorf("the record is %v by %v, want a removal by the service", last.EventName, last.UserIdentity)
	}
}

func TestStream_HasShardsThatSplitAndKeepTheOrderOfAnItem(t *testing.T) {
	s := serve(t)
	for _, pk := range []string{"a", "b", "c", "d", "e", "f"} {
		s.put(pk, "1", nil)
	}
	if err := s.Split(name); err != nil {
		t.Fatal(err)
	}
	for _, pk := range []string{"a", "b", "c", "d", "e", "f"} {
		s.put(pk, "1", map[string]types.AttributeValue{"v": text("2")})
	}
	shards := s.shards()
	if len(shards) != 3 || *shards[1].ParentShardId != *shards[0].ShardId ||
		*shards[2].ParentShardId != *shards[0].ShardId {
		t.Fatalf("shards are %v, want one with two children", shards)
	}
	total := 0
	for i, shard := range shards {
		records, closed := s.read(shard.ShardId)
		if closed != (i == 0) || len(records) == 0 {
			t.Errorf("shard %d: closed %v with %d records; only the parent is closed, and all have records", i, closed,
				len(records))
		}
		total += len(records)
	}
	if total != 12 {
		t.Errorf("%d records in all shards, want 12", total)
	}
}

func TestStream_ForgetsRecordsAfterADay(t *testing.T) {
	s := serve(t)
	s.put("a", "1", nil)
	shard := s.shards()[0]
	s.advance(25 * time.Hour)
	s.put("a", "2", nil)
	if records, _ := s.read(shard.ShardId); len(records) != 1 {
		t.Errorf("%d records, want only the one of today", len(records))
	}
	_, err := s.streams.GetShardIterator(t.Context(), &dynamodbstreams.GetShardIteratorInput{
		StreamArn: aws.String(s.arn()), ShardId: shard.ShardId, ShardIteratorType: streamtypes.ShardIteratorTypeAtSequenceNumber,
		SequenceNumber: shard.SequenceNumberRange.StartingSequenceNumber,
	})
	if trimmed := new(streamtypes.TrimmedDataAccessException); !errors.As(err, &trimmed) {
		t.Errorf("an iterator at a record that is gone: %v, want TrimmedDataAccessException", err)
	}
	it, err := s.streams.GetShardIterator(t.Context(), &dynamodbstreams.GetShardIteratorInput{
		StreamArn: aws.String(s.arn()), ShardId: shard.ShardId, ShardIteratorType: streamtypes.ShardIteratorTypeLatest,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.advance(16 * time.Minute)
	_, err = s.streams.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: it.ShardIterator})
	if expired := new(streamtypes.ExpiredIteratorException); !errors.As(err, &expired) {
		t.Errorf("an iterator after 16 minutes: %v, want ExpiredIteratorException", err)
	}
}

// What the engine does not do, it must refuse by name: a guess would look like DynamoDB's response.
// Sums are exact, an attribute that ADD does not find is 0, and operands are numbers that exist.
func TestServer_AddsNumbers(t *testing.T) {
	s := serve(t)
	number := func(text string) types.AttributeValue { return &types.AttributeValueMemberN{Value: text} }
	key := map[string]types.AttributeValue{"pk": text("sums"), "sk": text("1")}
	for expression, want := range map[string]string{
		"SET n = n + :v":                       "0.3",
		"SET n = n - :v":                       "-0.1",
		"SET n = :v - n":                       "0.1",
		"SET n = if_not_exists(n, :zero) + :v": "0.3",
		"SET n = if_not_exists(m, :zero) + :v": "0.2",
		"ADD n :v":                             "0.3",
		"ADD m :v":                             "0.1", // n is as it was
		"SET m = :v ADD n :v":                  "0.3",
		"SET n = m + :v":                       "does not exist in the item",
		"SET n = t + :v":                       "incorrect data type",
		"SET n = n + t":                        "incorrect data type",
		"ADD t :v":                             "incorrect data type",
		"ADD n :t":                             "operator: ADD",
	} {
		item := map[string]types.AttributeValue{"pk": text("sums"), "sk": text("1"), "n": number("0.1"),
			"t": text("x")}
		_, err := s.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(name), Item: item})
		if err != nil {
			t.Fatal(err)
		}
		var values map[string]types.AttributeValue
		for placeholder, v := range map[string]types.AttributeValue{":v": number("0.2"), ":zero": number("0"),
			":t": text("x")} {
			if strings.Contains(expression, placeholder) {
				if values == nil {
					values = map[string]types.AttributeValue{}
				}
				values[placeholder] = v
			}
		}
		_, err = s.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{TableName: aws.String(name), Key: key,
			UpdateExpression: aws.String(expression), ExpressionAttributeValues: values})
		out, err2 := s.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(name), Key: key})
		if err2 != nil {
			t.Fatal(err2)
		}
		got := out.Item["n"].(*types.AttributeValueMemberN).Value
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%s: got %s, want %s", expression, got, want)
		}
	}
}

func TestServer_RefusesByNameWhatItDoesNotKnow(t *testing.T) {
	s := serve(t)
	key := map[string]types.AttributeValue{"pk": text("a"), "sk": text("1")}
	table := aws.String(name)
	values := map[string]types.AttributeValue{":v": text("x")}
	for what, request := range map[string]func(context.Context) error{
		"FilterExpression": func(ctx context.Context) error {
			_, err := s.Scan(ctx, &dynamodb.ScanInput{TableName: table, FilterExpression: aws.String("a = :v"),
				ExpressionAttributeValues: values})
			return err
		},
		"ProjectionExpression": func(ctx context.Context) error {
			_, err := s.GetItem(ctx,
				&dynamodb.GetItemInput{TableName: table, Key: key, ProjectionExpression: aws.String("a")})
			return err
		},
		"size": func(ctx context.Context) error {
			_, err := s.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: key,
				ConditionExpression: aws.String("size(a) < :v"), ExpressionAttributeValues: values})
			return err
		},
		"IN": func(ctx context.Context) error {
			_, err := s.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: key,
				ConditionExpression: aws.String("a IN (:v)"), ExpressionAttributeValues: values})
			return err
		},
		"ADD": func(ctx context.Context) error {
			_, err := s.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: table, Key: key,
				UpdateExpression: aws.String("ADD a :set"), ExpressionAttributeValues: map[string]types.AttributeValue{
					":set": &types.AttributeValueMemberSS{Value: []string{"x"}}}})
			return err
		},
		"a.…": func(ctx context.Context) error {
			_, err := s.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: table, Key: key,
				UpdateExpression: aws.String("SET a.b = :v"), ExpressionAttributeValues: values})
			return err
		},
		"ReturnValues ALL_NEW": func(ctx context.Context) error {
			_, err := s.UpdateItem(ctx,
				&dynamodb.UpdateItemInput{TableName: table, Key: key, UpdateExpression: aws.String("SET a = :v"),
					ExpressionAttributeValues: values, ReturnValues: types.ReturnValueAllNew})
			return err
		},
		"TransactGetItems": func(ctx context.Context) error {
			_, err := s.TransactGetItems(ctx,
				&dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: table,
					Key: key}}}})
			return err
		},
		"ExecuteStatement": func(ctx context.Context) error {
			_, err := s.ExecuteStatement(ctx,
				&dynamodb.ExecuteStatementInput{Statement: aws.String(`SELECT * FROM "tidemark"`)})
			return err
		},
	} {
		err := request(t.Context())
		var refused smithy.APIError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), what) ||
			!strings.Contains(err.Error(), "is not known to Tidemark's engine") {
			t.Errorf("%s: %v, want an error that refuses it by name", what, err)
			continue
		}
		if code := refused.ErrorCode(); code != "ValidationException" && code != "UnknownOperationException" {
			t.Errorf("%s: code %s", what, code)
		}
	}
}
