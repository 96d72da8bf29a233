package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// GetItem reads an item, strongly consistent; nil if there is none.
func (t *Table) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	return t.read(ctx, "get item", k, true)
}

// PutItem stores an item, replacing any other under its key. It is for tests and manual
// repairs: it bypasses the rules of appends and rollups.
func (t *Table) PutItem(ctx context.Context, it item.Item) error {
	if err := storable(it); err != nil {
		return t.failed("put item", err)
	}
	if _, err := t.client.PutItem(ctx,
		&dynamodb.PutItemInput{TableName: &t.name, Item: attributes(it)}); err != nil {
		return t.failed("put item", err)
	}
	return nil
}

// UpdateItem sets attributes under the key of set and keeps all others, as enrichment
// does. It creates the item if there is none.
func (t *Table) UpdateItem(ctx context.Context, set item.Item) error {
	if err := storable(set); err != nil {
		return t.failed("update item", err)
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
	if err != nil {
		return t.failed("update item", err)
	}
	return nil
}

// DeleteItem removes an item. It is no error if there is none.
func (t *Table) DeleteItem(ctx context.Context, k keys.Key) error {
	if _, err := t.client.DeleteItem(ctx,
		&dynamodb.DeleteItemInput{TableName: &t.name, Key: primary(k)}); err != nil {
		return t.failed("delete item", err)
	}
	return nil
}

// Scan reads one page of the whole table, strongly consistent, in no particular order, after a position; the
// zero Key is the start. The returned position is the zero Key after the last page.
func (t *Table) Scan(ctx context.Context, after keys.Key) ([]item.Item, keys.Key, error) {
	return t.ScanPage(ctx, after, 0)
}

// ScanPage is Scan of at most limit items; 0 means as many as one request returns (1 MB). The items of a
// partition are in the order of their sort keys, and no item needs to have the key of the position.
func (t *Table) ScanPage(ctx context.Context, after keys.Key, limit int) ([]item.Item, keys.Key, error) {
	input := &dynamodb.ScanInput{
		TableName:              &t.name,
		ConsistentRead:         new(true),
		ReturnConsumedCapacity: t.readReturnMode(ctx),
	}
	if after != (keys.Key{}) {
		input.ExclusiveStartKey = primary(after)
	}
	if limit > 0 {
		input.Limit = new(int32(limit))
	}
	out, err := t.client.Scan(ctx, input)
	if err != nil {
		return nil, keys.Key{}, t.failed("scan", err)
	}
	t.countRead(ctx, len(out.Items), out.ConsumedCapacity)
	return decodeItems(out.Items), decodeItem(out.LastEvaluatedKey).Key(), nil
}
