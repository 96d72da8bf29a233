package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// tableProbes are about DynamoDB alone. They have a table of their own.
var tableProbes = []probe{
	{
		name:    "stream-order",
		assumes: "the records of an item are in the table stream in the order of its writes, each once",
		page:    "decisions/0001-recompute.md", how: "20 changes of each of 3 items, read from the stream",
		suites: onDynamoDB, run: streamOrder,
	},
	{
		name: "stream-unchanged", assumes: "a write that changes nothing has no record",
		page: "decisions/0001-recompute.md", how: "the same item put three times", suites: onDynamoDB,
		run: streamUnchanged,
	},
	{
		name:    "transaction-reasons",
		assumes: "a cancelled transaction has a reason for each of its parts, in their order",
		page:    "inside/FAULTS.md",
		how:     "a transaction of 3 parts, of which the second has a condition that fails",
		suites:  onDynamoDB, run: transactionReasons,
	},
	{
		name: "transaction-old", assumes: "with ALL_OLD, a failed condition comes with the item as it is",
		page: "inside/FAULTS.md", how: "the same transaction", suites: onDynamoDB, run: transactionOld,
	},
	{
		name: "transaction-token", assumes: "a transaction that is repeated with its token writes nothing",
		page: "inside/FAULTS.md", how: "a transaction that adds 1, sent twice with one token",
		suites: onDynamoDB, run: transactionToken,
	},
}

func createProbeTable(ctx context.Context, a *account) error {
	_, err := a.db.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: &a.table, BillingMode: types.BillingModePayPerRequest,
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("k"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("k"),
			AttributeType: types.ScalarAttributeTypeS}},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true),
			StreamViewType: types.StreamViewTypeNewAndOldImages},
		Tags: []types.Tag{{Key: aws.String("application"), Value: aws.String("tidemark")},
			{Key: aws.String("stage"), Value: &a.stage}},
	})
	var exists *types.ResourceInUseException
	if err != nil && !errors.As(err, &exists) {
		return err
	}
	if err := dynamodb.NewTableExistsWaiter(a.db).Wait(ctx, &dynamodb.DescribeTableInput{TableName: &a.table},
		2*time.Minute); err != nil {
		return err
	}
	ttl := &types.TimeToLiveSpecification{AttributeName: aws.String("until"), Enabled: aws.Bool(true)}
	if exists != nil {
		return nil
	}
	_, err = a.db.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: &a.table,
		TimeToLiveSpecification: ttl})
	if err == nil {
		err = a.put(ctx, "expired", "until", fmt.Sprint(a.now().Add(-time.Hour).Unix()))
	}
	return err
}

func deleteProbeTable(ctx context.Context, a *account) error {
	_, err := a.db.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &a.table})
	var missing *types.ResourceNotFoundException
	if errors.As(err, &missing) {
		return nil
	}
	return err
}

// put writes an item with a number.
func (a *account) put(ctx context.Context, key, name, number string) error {
	_, err := a.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &a.table, Item: newItem(key, name, number)})
	return err
}

func newItem(key, name, number string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"k": &types.AttributeValueMemberS{Value: key},
		name: &types.AttributeValueMemberN{Value: number}}
}

// record is what the probes look at of a record of the table stream.
type record struct {
	name, key, number string // eventName, the key, and the new image's n
	service           string // userIdentity, if a service made the change
}

func newRecord(r streamtypes.Record) record {
	out := record{name: string(r.EventName)}
	if k, ok := r.Dynamodb.Keys["k"].(*streamtypes.AttributeValueMemberS); ok {
		out.key = k.Value
	}
	if n, ok := r.Dynamodb.NewImage["n"].(*streamtypes.AttributeValueMemberN); ok {
		out.number = n.Value
	}
	if u := r.UserIdentity; u != nil {
		out.service = aws.ToString(u.Type) + " " + aws.ToString(u.PrincipalId)
	}
	return out
}

// records reads the whole table stream once.
func (a *account) records(ctx context.Context) (all []record, err error) {
	table, err := a.db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &a.table})
	if err != nil {
		return nil, err
	}
	stream, err := a.streams.DescribeStream(ctx,
		&dynamodbstreams.DescribeStreamInput{StreamArn: table.Table.LatestStreamArn})
	if err != nil {
		return nil, err
	}
	for _, shard := range stream.StreamDescription.Shards {
		start, err := a.streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
			StreamArn: table.Table.LatestStreamArn, ShardId: shard.ShardId,
			ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
		})
		if err != nil {
			return nil, err
		}
		// An open shard has always a next page; some empty ones in a row are its end for now.
		for at, empty := start.ShardIterator, 0; at != nil && empty < 4; {
			page, err := a.streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: at})
			if err != nil {
				return nil, err
			}
			if empty++; len(page.Records) > 0 {
				empty = 0
			}
			for _, r := range page.Records {
				all = append(all, newRecord(r))
			}
			at = page.NextShardIterator
		}
	}
	return all, nil
}

// readNumbers waits for the records of an item up to its last number, and returns all numbers.
func (a *account) readNumbers(ctx context.Context, key, last string) (numbers []string, err error) {
	err = a.until(ctx, time.Minute, func() (bool, error) {
		numbers = nil
		all, err := a.records(ctx)
		for _, r := range all {
			if r.key == key {
				numbers = append(numbers, r.number)
			}
		}
		return len(numbers) > 0 && numbers[len(numbers)-1] == last, err
	})
	return numbers, err
}

func streamOrder(ctx context.Context, a *account) (string, error) {
	const items, changes = 3, 20
	mark := a.now().UnixNano()
	for i := range changes {
		for k := range items {
			if err := a.put(ctx, fmt.Sprintf("order-%d-%d", mark, k), "n", fmt.Sprint(i)); err != nil {
				return "", err
			}
		}
	}
	for k := range items {
		numbers, err := a.readNumbers(ctx, fmt.Sprintf("order-%d-%d", mark, k), fmt.Sprint(changes-1))
		if err != nil {
			return "", err
		}
		if err := inOrder(numbers, changes); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d records of %d items in order, each once", items*changes, items), nil
}

// inOrder returns an error if numbers are not 0, 1, 2 and so on.
func inOrder(numbers []string, want int) error {
	for i, n := range numbers {
		if n != fmt.Sprint(i) {
			return fmt.Errorf("record %d is of change %s: %v", i, n, numbers)
		}
	}
	if len(numbers) != want {
		return fmt.Errorf("%d records of %d changes", len(numbers), want)
	}
	return nil
}

func streamUnchanged(ctx context.Context, a *account) (string, error) {
	key := fmt.Sprint("same-", a.now().UnixNano())
	for _, n := range []string{"1", "1", "1", "2"} {
		if err := a.put(ctx, key, "n", n); err != nil {
			return "", err
		}
	}
	numbers, err := a.readNumbers(ctx, key, "2")
	if err == nil && len(numbers) != 2 {
		err = fmt.Errorf("records of %v, want 1 and 2", numbers)
	}
	return "4 puts, 2 of them without a change: 2 records", err
}

// refusedTransaction sends a transaction of which the second part fails, and returns the reasons.
func (a *account) refusedTransaction(ctx context.Context) ([]types.CancellationReason, error) {
	if err := a.put(ctx, "held", "n", "7"); err != nil {
		return nil, err
	}
	put := func(key string) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{TableName: &a.table, Item: newItem(key, "n", "1")}}
	}
	held := put("held")
	held.Put.ConditionExpression = aws.String("attribute_not_exists(k)")
	held.Put.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	parts := []types.TransactWriteItem{put("first"), held, put("third")}
	_, err := a.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts})
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		return nil, fmt.Errorf("the transaction was not cancelled: %w", err)
	}
	if len(cancelled.CancellationReasons) != 3 {
		return nil, fmt.Errorf("%d reasons for 3 parts", len(cancelled.CancellationReasons))
	}
	return cancelled.CancellationReasons, nil
}

func transactionReasons(ctx context.Context, a *account) (string, error) {
	reasons, err := a.refusedTransaction(ctx)
	if err != nil {
		return "", err
	}
	for i, want := range []string{"None", "ConditionalCheckFailed", "None"} {
		if got := aws.ToString(reasons[i].Code); got != want {
			return "", fmt.Errorf("part %d: %s, want %s", i, got, want)
		}
	}
	return "None, ConditionalCheckFailed, None", nil
}

func transactionOld(ctx context.Context, a *account) (string, error) {
	reasons, err := a.refusedTransaction(ctx)
	if err != nil {
		return "", err
	}
	if n, ok := reasons[1].Item["n"].(*types.AttributeValueMemberN); !ok || n.Value != "7" {
		return "", fmt.Errorf("the item is %v", reasons[1].Item)
	}
	return "the item as it is", nil
}

func transactionToken(ctx context.Context, a *account) (string, error) {
	key := fmt.Sprint("token-", a.now().UnixNano())
	in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: &key,
		TransactItems: []types.TransactWriteItem{{Update: &types.Update{
			TableName: &a.table, Key: map[string]types.AttributeValue{"k": &types.AttributeValueMemberS{Value: key}},
			UpdateExpression:          aws.String("ADD n :one"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}},
		}}}}
	for range 2 {
		if _, err := a.db.TransactWriteItems(ctx, in); err != nil {
			return "", err
		}
	}
	out, err := a.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &a.table, ConsistentRead: aws.Bool(true),
		Key: map[string]types.AttributeValue{"k": &types.AttributeValueMemberS{Value: key}}})
	if err != nil {
		return "", err
	}
	if n, ok := out.Item["n"].(*types.AttributeValueMemberN); !ok || n.Value != "1" {
		return "", fmt.Errorf("sent twice, the item is %v", out.Item)
	}
	return "sent twice, added once", nil
}
