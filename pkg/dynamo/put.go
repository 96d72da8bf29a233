package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Put sends one PutItem on condition that no event with this identity is stored. It
// consumes one write unit for each KB, half as much as a transaction.
func (t *Table) Put(ctx context.Context, event model.Event) (ingest.StoreResult, error) {
	x := newExpression()
	result, old, failure, err := t.sendPut(ctx, "put event into", item.FromEvent(&event), x, x.absent())
	if result != storage.ConditionFailed {
		return ingest.StoreResult{Result: result, Cause: failure}, err
	}
	stored := storedEvent(old, event.Key())
	stored.Attempt = item.Attempt(old)
	return ingest.StoreResult{Result: result, Stored: []*model.Event{stored}}, nil
}

// Quarantine sends one PutItem on condition that the ID is not stored. If it is, the
// request is a repeat and the result is Written.
func (t *Table) Quarantine(ctx context.Context, q entity.Quarantined) (storage.WriteResult, error) {
	x := newExpression()
	result, _, err := t.putItem(ctx, "quarantine in", item.FromQuarantined(&q), x, x.absent())
	if result == storage.ConditionFailed {
		return storage.Written, nil
	}
	return result, err
}

// putItem is sendPut without the client's error.
func (t *Table) putItem(ctx context.Context, operation string, it item.Item, x *expression, condition string) (_ storage.WriteResult, old item.Item, _ error) {
	result, old, _, err := t.sendPut(ctx, operation, it, x, condition)
	return result, old, err
}

// sendPut sends one PutItem with a condition. old is the item on which the condition
// failed, if the result is ConditionFailed. failure is the client's error, err a permanent
// one.
func (t *Table) sendPut(ctx context.Context, operation string, it item.Item, x *expression, condition string) (_ storage.WriteResult, old item.Item, failure, err error) {
	if err := t.checkContext(ctx, operation); err != nil {
		return storage.Unknown, nil, nil, err
	}
	out, failure := t.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName:                           &t.name,
		Item:                                attributes(it),
		ConditionExpression:                 &condition,
		ExpressionAttributeNames:            x.names,
		ExpressionAttributeValues:           x.values,
		ReturnValuesOnConditionCheckFailure: returnOldItem,
		ReturnConsumedCapacity:              t.capacity.returnMode(),
	}, noRetry)
	if failure == nil && out.ConsumedCapacity != nil {
		t.capacity.addWrites(*out.ConsumedCapacity)
	}
	var failed *types.ConditionalCheckFailedException
	if errors.As(failure, &failed) {
		old = itemOf(failed.Item)
	}
	result, err := t.translate(operation, failure)
	return result, old, failure, err
}

// Update sends one UpdateItem that sets and removes the attributes of an action, on its
// precondition. It consumes one write unit for each KB, half as much as a transaction.
func (t *Table) Update(ctx context.Context, a table.Action) (storage.WriteResult, error) {
	const operation = "update item in"
	if err := t.checkContext(ctx, operation); err != nil {
		return storage.Unknown, err
	}
	action, err := t.action(&a)
	switch {
	case err != nil:
		return storage.Unknown, fmt.Errorf("%s %s: %w", operation, t.name, err)
	case action.Update == nil:
		return storage.Unknown, fmt.Errorf("%s %s: the action changes no attribute", operation, t.name)
	}
	u := action.Update
	out, failure := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: u.TableName, Key: u.Key, UpdateExpression: u.UpdateExpression, ConditionExpression: u.ConditionExpression,
		ExpressionAttributeNames: u.ExpressionAttributeNames, ExpressionAttributeValues: u.ExpressionAttributeValues,
		ReturnConsumedCapacity: t.capacity.returnMode(),
	}, noRetry)
	if failure == nil && out.ConsumedCapacity != nil {
		t.capacity.addWrites(*out.ConsumedCapacity)
	}
	return t.translate(operation, failure)
}
