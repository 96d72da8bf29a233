package linear

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"golang.org/x/sync/errgroup"
)

// allRecords reads the whole stream of a table of DynamoDB Local.
func allRecords(ctx context.Context, client *dynamodbstreams.Client,
	arn *string) (all []streamtypes.Record, err error) {
	stream, err := client.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	if err != nil {
		return nil, err
	}
	if len(stream.StreamDescription.Shards) != 1 {
		return nil, errors.New("DynamoDB Local has more than one stream shard: its changes are in no order")
	}
	start, err := client.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
		StreamArn: arn, ShardId: stream.StreamDescription.Shards[0].ShardId,
		ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon})
	if err != nil {
		return nil, err
	}
	for at := start.ShardIterator; at != nil; {
		page, err := client.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: at})
		if err != nil {
			return nil, err
		}
		if len(page.Records) == 0 {
			break
		}
		all = append(all, page.Records...)
		at = page.NextShardIterator
	}
	return all, nil
}

type imageKey struct{ pk, sk string }

// itemImages returns the items that exist after the changes.
func itemImages(records []streamtypes.Record) (map[imageKey]map[string]types.AttributeValue, error) {
	items := map[imageKey]map[string]types.AttributeValue{}
	for _, r := range records {
		keys, err := converted(r.Dynamodb.Keys)
		if err != nil {
			return nil, err
		}
		k := imageKey{keys["pk"].(*types.AttributeValueMemberS).Value,
			keys["sk"].(*types.AttributeValueMemberS).Value}
		if r.Dynamodb.NewImage == nil {
			delete(items, k)
			continue
		}
		if items[k], err = converted(r.Dynamodb.NewImage); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// converted returns an image of the stream as an item. The items of the load have no other types.
func converted(image map[string]streamtypes.AttributeValue) (map[string]types.AttributeValue, error) {
	out := make(map[string]types.AttributeValue, len(image))
	for name, value := range image {
		switch v := value.(type) {
		case *streamtypes.AttributeValueMemberS:
			out[name] = &types.AttributeValueMemberS{Value: v.Value}
		case *streamtypes.AttributeValueMemberN:
			out[name] = &types.AttributeValueMemberN{Value: v.Value}
		case *streamtypes.AttributeValueMemberB:
			out[name] = &types.AttributeValueMemberB{Value: v.Value}
		case *streamtypes.AttributeValueMemberBOOL:
			out[name] = &types.AttributeValueMemberBOOL{Value: v.Value}
		case *streamtypes.AttributeValueMemberNULL:
			out[name] = &types.AttributeValueMemberNULL{Value: v.Value}
		default:
			return nil, fmt.Errorf("attribute %s has the type %T", name, value)
		}
	}
	return out, nil
}

// writeAll writes items in batches of 25, several at once.
func writeAll(ctx context.Context, client *dynamodb.Client, table string,
	items map[imageKey]map[string]types.AttributeValue) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	var batch []types.WriteRequest
	send := func() {
		in := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: batch}}
		batch = nil
		group.Go(func() error {
			out, err := client.BatchWriteItem(ctx, in)
			if err == nil && len(out.UnprocessedItems) > 0 {
				err = errors.New("DynamoDB Local left items unprocessed")
			}
			return err
		})
	}
	for _, it := range items {
		if batch = append(batch, types.WriteRequest{PutRequest: &types.PutRequest{Item: it}}); len(batch) == 25 {
			send()
		}
	}
	if len(batch) > 0 {
		send()
	}
	return group.Wait()
}
