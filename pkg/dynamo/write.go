package dynamo

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/itemstore"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// returnOldItem makes a failed condition return the item it was evaluated on, which saves a read.
const returnOldItem = types.ReturnValuesOnConditionCheckFailureAllOld

// write sends one PutItem, UpdateItem or DeleteItem. It consumes one write unit for each KB,
// half as much as a transaction.
func (t *Table) write(ctx context.Context, operation string, a *itemop.Action) (itemstore.Result, error) {
	unknown := itemstore.Result{WriteResult: storage.Unknown}
	if err := t.checkContext(ctx, operation); err != nil {
		return unknown, err
	}
	action, err := t.action(a)
	if err != nil {
		return unknown, t.failed(operation, err)
	}
	consumed, failure := t.send(ctx, &action)
	if failure == nil && consumed != nil {
		t.capacity.addWrites(*consumed)
	}
	written := itemstore.Result{Cause: failure}
	var failed *types.ConditionalCheckFailedException
	if errors.As(failure, &failed) {
		written.Old = decodeItem(failed.Item)
	}
	written.WriteResult, err = t.translate(operation, failure)
	return written, err
}

// send sends an action of a transaction as a request of its own.
func (t *Table) send(ctx context.Context, a *types.TransactWriteItem) (*types.ConsumedCapacity, error) {
	switch mode := t.capacity.returnMode(); {
	case a.Put != nil:
		out, err := t.client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: &t.name, Item: a.Put.Item, ConditionExpression: a.Put.ConditionExpression,
			ExpressionAttributeNames:            a.Put.ExpressionAttributeNames,
			ExpressionAttributeValues:           a.Put.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: returnOldItem, ReturnConsumedCapacity: mode,
		}, noRetry)
		if err != nil {
			return nil, err
		}
		return out.ConsumedCapacity, nil
	case a.Update != nil:
		out, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: &t.name, Key: a.Update.Key, UpdateExpression: a.Update.UpdateExpression,
			ConditionExpression:                 a.Update.ConditionExpression,
			ExpressionAttributeNames:            a.Update.ExpressionAttributeNames,
			ExpressionAttributeValues:           a.Update.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: returnOldItem, ReturnConsumedCapacity: mode,
		}, noRetry)
		if err != nil {
			return nil, err
		}
		return out.ConsumedCapacity, nil
	case a.Delete != nil:
		out, err := t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: &t.name, Key: a.Delete.Key, ConditionExpression: a.Delete.ConditionExpression,
			ExpressionAttributeNames:            a.Delete.ExpressionAttributeNames,
			ExpressionAttributeValues:           a.Delete.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: returnOldItem, ReturnConsumedCapacity: mode,
		}, noRetry)
		if err != nil {
			return nil, err
		}
		return out.ConsumedCapacity, nil
	default:
		return nil, errNoChange
	}
}

var errNoChange = errors.New("the action changes no attribute")

// Update sends one UpdateItem that sets and removes the attributes of an action, on its precondition.
func (t *Table) Update(ctx context.Context, a itemop.Action) (storage.WriteResult, error) {
	written, err := t.write(ctx, "update item", &a)
	return written.WriteResult, err
}

// PutAll sends one TransactWriteItems of puts. A single put is a PutItem, which consumes
// half as many write units.
func (t *Table) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	tx := itemop.Transaction{Actions: itemop.Puts(puts)}
	if len(puts) == 1 {
		written, err := t.write(ctx, "put", &tx.Actions[0])
		return written.WriteResult, err
	}
	reply, err := t.Commit(ctx, tx)
	return reply.Result, err
}

// Commit sends one TransactWriteItems with the actions in their order.
func (t *Table) Commit(ctx context.Context, tx itemop.Transaction) (itemop.TransactResult, error) {
	const operation = "commit"
	items, err := t.transactItems(tx.Actions)
	if err != nil {
		return itemop.TransactResult{Result: storage.Unknown}, t.failed(operation, err)
	}
	result, failure, err := t.transact(ctx, operation, tx.Token, items)
	reply := itemop.TransactResult{Result: result, Cause: failure}
	if result == storage.ConditionFailed {
		reply.Items = itemResults(failure, len(items))
	}
	return reply, err
}

// transact sends one TransactWriteItems. failure is the client's error, err a permanent one.
func (t *Table) transact(ctx context.Context, operation, token string,
	items []types.TransactWriteItem) (_ storage.WriteResult, failure, err error) {
	if err := t.checkContext(ctx, operation); err != nil {
		return storage.Unknown, nil, err
	}
	input := &dynamodb.TransactWriteItemsInput{TransactItems: items,
		ReturnConsumedCapacity: t.capacity.returnMode()}
	if token != "" {
		input.ClientRequestToken = &token
	}
	out, failure := t.client.TransactWriteItems(ctx, input, noRetry)
	if failure == nil {
		t.capacity.addWrites(out.ConsumedCapacity...)
	}
	result, err := t.translate(operation, failure)
	return result, failure, err
}

// itemResults returns the result of each action of a cancelled transaction.
func itemResults(failure error, actions int) []itemop.ItemResult {
	var cancelled *types.TransactionCanceledException
	errors.As(failure, &cancelled) // always so if translate returned ConditionFailed
	all := make([]itemop.ItemResult, actions)
	for i, reason := range cancelled.CancellationReasons[:min(actions, len(cancelled.CancellationReasons))] {
		all[i] = itemop.ItemResult{Failed: reasonCode(reason) == conditionFailed, Old: decodeItem(reason.Item)}
	}
	return all
}

func (t *Table) transactItems(actions []itemop.Action) ([]types.TransactWriteItem, error) {
	all := make([]types.TransactWriteItem, len(actions))
	for i := range actions {
		var err error
		if all[i], err = t.action(&actions[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// action returns one action of a transaction.
func (t *Table) action(a *itemop.Action) (out types.TransactWriteItem, err error) {
	x := newExpression()
	change := ""
	if a.Set != nil || a.Remove != nil {
		change = x.change(a.Set, a.Remove)
	}
	condition, err := x.condition(a.Precondition, a.Where)
	if err != nil {
		return out, err
	}
	switch {
	case a.Delete:
		out.Delete = &types.Delete{
			TableName: &t.name, Key: primary(a.Key), ConditionExpression: condition,
			ExpressionAttributeNames: x.usedNames(), ExpressionAttributeValues: x.values,
			ReturnValuesOnConditionCheckFailure: returnOldItem,
		}
	case a.Put != nil:
		stored := attributes(a.Put)
		if len(stored) < len(a.Put) {
			err = storable(a.Put)
		}
		out.Put = &types.Put{
			TableName: &t.name, Item: stored, ConditionExpression: condition,
			ExpressionAttributeNames: x.usedNames(), ExpressionAttributeValues: x.values,
			ReturnValuesOnConditionCheckFailure: returnOldItem,
		}
	case change != "":
		out.Update = t.update(a.Key, x, change, condition)
		err = storable(a.Set)
	default:
		out.ConditionCheck = t.check(a.Key, x, condition)
	}
	return out, err
}

func (t *Table) update(k keys.Key, x *expression, change string, condition *string) *types.Update {
	return &types.Update{
		TableName: &t.name, Key: primary(k), UpdateExpression: &change, ConditionExpression: condition,
		ExpressionAttributeNames: x.usedNames(), ExpressionAttributeValues: x.values,
		ReturnValuesOnConditionCheckFailure: returnOldItem,
	}
}

func (t *Table) check(k keys.Key, x *expression, condition *string) *types.ConditionCheck {
	return &types.ConditionCheck{
		TableName: &t.name, Key: primary(k), ConditionExpression: condition,
		ExpressionAttributeNames: x.usedNames(), ExpressionAttributeValues: x.values,
		ReturnValuesOnConditionCheckFailure: returnOldItem,
	}
}
