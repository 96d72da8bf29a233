package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// PutAll sends one TransactWriteItems of puts; of one alone a PutItem, which takes half
// the write units.
func (t *Table) PutAll(ctx context.Context, puts []table.Put) (model.Answer, error) {
	const operation = "put into"
	if err := t.unsent(ctx, operation); err != nil {
		return model.Uncertain, err
	}
	input := &dynamodb.TransactWriteItemsInput{ReturnConsumedCapacity: t.capacity.mode()}
	for i := range puts {
		put, err := t.put(&puts[i])
		if err != nil {
			return model.Uncertain, fmt.Errorf("%s %s: %w", operation, t.name, err)
		}
		input.TransactItems = append(input.TransactItems, types.TransactWriteItem{Put: put})
	}
	if len(puts) == 1 {
		return t.putAlone(ctx, operation, input.TransactItems[0].Put)
	}
	out, failure := t.client.TransactWriteItems(ctx, input, once)
	if failure == nil {
		t.capacity.addWrites(out.ConsumedCapacity...)
	}
	return t.translate(operation, failure)
}

func (t *Table) put(p *table.Put) (*types.Put, error) {
	x := newExpression()
	condition, err := x.terms(p.When)
	if err == nil {
		err = storable(p.Item)
	}
	return &types.Put{
		TableName: &t.name, Item: attributes(p.Item), ConditionExpression: condition,
		ExpressionAttributeNames: x.used(), ExpressionAttributeValues: x.values,
	}, err
}

func (t *Table) putAlone(ctx context.Context, operation string, p *types.Put) (model.Answer, error) {
	out, failure := t.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: p.TableName, Item: p.Item, ConditionExpression: p.ConditionExpression,
		ExpressionAttributeNames: p.ExpressionAttributeNames, ExpressionAttributeValues: p.ExpressionAttributeValues,
		ReturnConsumedCapacity: t.capacity.mode(),
	}, once)
	if failure == nil && out.ConsumedCapacity != nil {
		t.capacity.addWrites(*out.ConsumedCapacity)
	}
	return t.translate(operation, failure)
}
