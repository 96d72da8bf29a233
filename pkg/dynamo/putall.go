package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
)

// PutAll sends one TransactWriteItems of puts. A single put is a PutItem, which consumes
// half as many write units.
func (t *Table) PutAll(ctx context.Context, puts []table.Put) (storage.WriteResult, error) {
	const operation = "put into"
	if err := t.checkContext(ctx, operation); err != nil {
		return storage.Unknown, err
	}
	input := &dynamodb.TransactWriteItemsInput{ReturnConsumedCapacity: t.capacity.returnMode()}
	for i := range puts {
		put, err := t.put(&puts[i])
		if err != nil {
			return storage.Unknown, fmt.Errorf("%s %s: %w", operation, t.name, err)
		}
		input.TransactItems = append(input.TransactItems, types.TransactWriteItem{Put: put})
	}
	if len(puts) == 1 {
		return t.putSingle(ctx, operation, input.TransactItems[0].Put)
	}
	out, failure := t.client.TransactWriteItems(ctx, input, noRetry)
	if failure == nil {
		t.capacity.addWrites(out.ConsumedCapacity...)
	}
	return t.translate(operation, failure)
}

func (t *Table) put(p *table.Put) (*types.Put, error) {
	x := newExpression()
	condition, err := x.terms(p.Precondition)
	if err == nil {
		err = storable(p.Item)
	}
	return &types.Put{
		TableName: &t.name, Item: attributes(p.Item), ConditionExpression: condition,
		ExpressionAttributeNames: x.usedNames(), ExpressionAttributeValues: x.values,
	}, err
}

func (t *Table) putSingle(ctx context.Context, operation string, p *types.Put) (storage.WriteResult, error) {
	out, failure := t.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: p.TableName, Item: p.Item, ConditionExpression: p.ConditionExpression,
		ExpressionAttributeNames: p.ExpressionAttributeNames, ExpressionAttributeValues: p.ExpressionAttributeValues,
		ReturnConsumedCapacity: t.capacity.returnMode(),
	}, noRetry)
	if failure == nil && out.ConsumedCapacity != nil {
		t.capacity.addWrites(*out.ConsumedCapacity)
	}
	return t.translate(operation, failure)
}
