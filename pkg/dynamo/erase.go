package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// Erase sends one BatchWriteItem of deletions. left are the keys that DynamoDB did not
// process for lack of capacity.
func (t *Table) Erase(ctx context.Context, these []keys.Key) (left []keys.Key, result storage.WriteResult, err error) {
	const operation = "erase"
	if err := t.checkContext(ctx, operation); err != nil {
		return these, storage.Unknown, err
	}
	requests := make([]types.WriteRequest, len(these))
	for i, k := range these {
		requests[i].DeleteRequest = &types.DeleteRequest{Key: primary(k)}
	}
	out, failure := t.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems:           map[string][]types.WriteRequest{t.name: requests},
		ReturnConsumedCapacity: t.capacity.returnMode(),
	}, noRetry)
	if failure != nil {
		result, err := t.translate(operation, failure)
		return these, result, err
	}
	t.capacity.addWrites(out.ConsumedCapacity...)
	for _, r := range out.UnprocessedItems[t.name] {
		if r.DeleteRequest != nil {
			left = append(left, itemOf(r.DeleteRequest.Key).Key())
		}
	}
	return left, storage.Written, nil
}
