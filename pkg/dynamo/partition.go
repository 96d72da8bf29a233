package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// Partition reads one page of all items under a partition key, strongly consistent, in
// the order of the sort keys, after a position; the zero Key is the start. The returned
// position is the zero Key after the last page.
func (t *Table) Partition(ctx context.Context, pk string, after keys.Key) ([]item.Item, keys.Key, error) {
	x := newExpression()
	condition := x.name(keys.AttrPK) + " = " + x.text(pk)
	input := &dynamodb.QueryInput{
		TableName:                 &t.name,
		ConsistentRead:            new(true),
		KeyConditionExpression:    &condition,
		ExpressionAttributeNames:  x.names,
		ExpressionAttributeValues: x.values,
		ReturnConsumedCapacity:    t.capacity.returnMode(),
	}
	if after != (keys.Key{}) {
		input.ExclusiveStartKey = primary(after)
	}
	out, err := t.client.Query(ctx, input)
	if err != nil {
		return nil, keys.Key{}, t.rawError("query", err)
	}
	t.capacity.addReads(out.ConsumedCapacity)
	return itemsOf(out.Items), itemOf(out.LastEvaluatedKey).Key(), nil
}
