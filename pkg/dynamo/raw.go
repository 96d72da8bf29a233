package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// GetItem reads a stored item, strongly consistent; nil where there is none.
func (t *Table) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	return t.getItem(ctx, "get item from", k, true)
}

// PutItem stores an item whatever was there. It is for tests and for repairs by
// hand: the rules of append and of rollups are not looked at.
func (t *Table) PutItem(ctx context.Context, it item.Item) error {
	if err := storable(it); err != nil {
		return fmt.Errorf("put item into %s: %w", t.name, err)
	}
	_, err := t.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &t.name, Item: attributes(it)})
	return t.rawError("put item into", err)
}

// UpdateItem sets the attributes of set under its key and leaves all others as they
// are, as those who enrich items do; the item is made where there was none.
func (t *Table) UpdateItem(ctx context.Context, set item.Item) error {
	if err := storable(set); err != nil {
		return fmt.Errorf("update item in %s: %w", t.name, err)
	}
	x := newExpression()
	update := x.set(set)
	_, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 &t.name,
		Key:                       primary(set.Key()),
		UpdateExpression:          &update,
		ExpressionAttributeNames:  x.names,
		ExpressionAttributeValues: x.values,
	})
	return t.rawError("update item in", err)
}

// DeleteItem removes an item whatever it is; that there was none is no error.
func (t *Table) DeleteItem(ctx context.Context, k keys.Key) error {
	_, err := t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &t.name, Key: primary(k)})
	return t.rawError("delete item from", err)
}

// Scan reads one page of the whole table, strongly consistent, in no order that
// means anything, from beyond a position on (the zero Key: from the start). The next
// position is the zero Key after the last page.
func (t *Table) Scan(ctx context.Context, after keys.Key) ([]item.Item, keys.Key, error) {
	input := &dynamodb.ScanInput{
		TableName:              &t.name,
		ConsistentRead:         new(true),
		ReturnConsumedCapacity: t.capacity.mode(),
	}
	if after != (keys.Key{}) {
		input.ExclusiveStartKey = primary(after)
	}
	out, err := t.client.Scan(ctx, input)
	if err != nil {
		return nil, keys.Key{}, t.rawError("scan", err)
	}
	t.capacity.addReads(out.ConsumedCapacity)
	return itemsOf(out.Items), itemOf(out.LastEvaluatedKey).Key(), nil
}

func (t *Table) rawError(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", operation, t.name, advise(err))
}
