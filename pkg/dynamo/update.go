package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
)

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
