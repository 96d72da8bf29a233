package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// returnOldItem makes a failed condition return the item it was evaluated on, which saves
// a read.
const returnOldItem = types.ReturnValuesOnConditionCheckFailureAllOld

// Append sends one TransactWriteItems with these actions in this order: the write or
// check of the latest item, the check of the purge lock, the puts, the checks of absent
// events, the merge. failedAppend reads the cancellation reasons in the same order.
func (t *Table) Append(ctx context.Context, tx ingest.AppendTransaction) (ingest.StoreResult, error) {
	const operation = "append to"
	if err := t.checkContext(ctx, operation); err != nil {
		return ingest.StoreResult{Result: storage.Unknown}, err
	}
	actions, err := t.actions(&tx)
	if err != nil {
		return ingest.StoreResult{Result: storage.Unknown}, fmt.Errorf("%s %s: %w", operation, t.name, err)
	}
	input := &dynamodb.TransactWriteItemsInput{
		TransactItems:          actions,
		ReturnConsumedCapacity: t.capacity.returnMode(),
	}
	if tx.Token != "" {
		input.ClientRequestToken = &tx.Token
	}
	out, failure := t.client.TransactWriteItems(ctx, input, noRetry)
	if failure == nil {
		t.capacity.addWrites(out.ConsumedCapacity...)
	}
	result, err := t.translate(operation, failure)
	if result == storage.ConditionFailed {
		return t.failedAppend(&tx, failure)
	}
	return ingest.StoreResult{Result: result, Cause: failure}, err
}

// actions returns the actions of the transaction in the order of Append.
func (t *Table) actions(tx *ingest.AppendTransaction) ([]types.TransactWriteItem, error) {
	var out []types.TransactWriteItem
	switch {
	case tx.Latest != nil && tx.Check != nil:
		return nil, errors.New("the transaction both writes and checks the latest item: DynamoDB allows one action for each item")
	case tx.Latest != nil:
		update, err := t.updateLatest(tx.Latest)
		if err != nil {
			return nil, err
		}
		out = append(out, types.TransactWriteItem{Update: update})
	case tx.Check != nil:
		check, err := t.checkLatest(tx.Check)
		if err != nil {
			return nil, err
		}
		out = append(out, types.TransactWriteItem{ConditionCheck: check})
	}
	if tx.PurgeLock != nil {
		out = append(out, t.checkAbsent(tablekeys.PurgeLock(*tx.PurgeLock)))
	}
	for i := range tx.Puts {
		out = append(out, t.putEvent(&tx.Puts[i]))
	}
	for _, k := range tx.Absent {
		out = append(out, t.checkAbsent(keys.Event(k)))
	}
	if tx.Merge != nil {
		out = append(out, t.mergeEvent(tx.Merge))
	}
	return out, nil
}

func (t *Table) updateLatest(w *ingest.LatestWrite) (*types.Update, error) {
	x := newExpression()
	condition := ""
	switch {
	case w.OrCreate:
		condition = x.newerOrCreation(w.First)
	case w.Create:
		condition = x.creation()
	case w.Same:
		condition = x.sameOrder(w.First)
	default:
		condition = x.newer(w.First)
	}
	if len(w.Condition) > 0 {
		where, err := x.where(w.Condition)
		if err != nil {
			return nil, err
		}
		condition += " AND " + where
	}
	set := item.FromLatest(&model.Latest{
		Series: w.Series, Ordered: true, Order: w.Last, Hash: w.Hash, Attrs: w.Set, CreatedAt: w.Now,
	})
	var removed []string
	for _, entry := range w.Entries {
		if set.SetIndex(entry.Index, entry.Key); entry.Key == (keys.Key{}) {
			pk, sk := item.IndexAttrs(entry.Index)
			removed = append(removed, pk, sk)
		}
	}
	update := x.set(set, keys.AttrCreatedAt) + x.remove(removed)
	return &types.Update{
		TableName:                           &t.name,
		Key:                                 primary(keys.Latest(w.Series)),
		UpdateExpression:                    &update,
		ConditionExpression:                 &condition,
		ExpressionAttributeNames:            x.names,
		ExpressionAttributeValues:           x.values,
		ReturnValuesOnConditionCheckFailure: returnOldItem,
	}, nil
}

func (t *Table) checkLatest(c *ingest.LatestCheck) (*types.ConditionCheck, error) {
	if len(c.Condition) == 0 && c.Not == nil {
		return nil, fmt.Errorf("check latest item of %s: the condition is empty: add a term, or leave out the check", c.Series)
	}
	x := newExpression()
	condition, err := x.where(c.Condition)
	if err != nil {
		return nil, err
	}
	if c.Not != nil {
		not := x.otherOrder(*c.Not)
		if condition != "" {
			not += " AND " + condition
		}
		condition = not
	}
	return &types.ConditionCheck{
		TableName:                           &t.name,
		Key:                                 primary(keys.Latest(c.Series)),
		ConditionExpression:                 &condition,
		ExpressionAttributeNames:            x.names,
		ExpressionAttributeValues:           x.values,
		ReturnValuesOnConditionCheckFailure: returnOldItem,
	}, nil
}

func (t *Table) checkAbsent(k keys.Key) types.TransactWriteItem {
	x := newExpression()
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName:                           &t.name,
		Key:                                 primary(k),
		ConditionExpression:                 new(x.absent()),
		ExpressionAttributeNames:            x.names,
		ReturnValuesOnConditionCheckFailure: returnOldItem,
	}}
}

func (t *Table) mergeEvent(m *ingest.EventMerge) types.TransactWriteItem {
	x := newExpression()
	it := item.FromEvent(&m.Event)
	was := x.value(item.Value{Type: item.B, B: m.Was[:]})
	condition := x.name(tablekeys.AttrHash) + " = " + was + " AND " + x.notExpiring(m.Now)
	return types.TransactWriteItem{Put: &types.Put{
		TableName:                           &t.name,
		Item:                                attributes(it),
		ConditionExpression:                 &condition,
		ExpressionAttributeNames:            x.names,
		ExpressionAttributeValues:           x.values,
		ReturnValuesOnConditionCheckFailure: returnOldItem,
	}}
}

func (t *Table) putEvent(e *model.Event) types.TransactWriteItem {
	x := newExpression()
	return types.TransactWriteItem{Put: &types.Put{
		TableName:                           &t.name,
		Item:                                attributes(item.FromEvent(e)),
		ConditionExpression:                 new(x.absent()),
		ExpressionAttributeNames:            x.names,
		ReturnValuesOnConditionCheckFailure: returnOldItem,
	}}
}

// TransactItems returns the items of an append for the caller's own TransactWriteItems: at
// most three, in an order that TransactResult expects. They must stay together, at any
// position. The caller's other items may write to any table of the account and Region.
func (t *Table) TransactItems(tx ingest.AppendTransaction) ([]types.TransactWriteItem, error) {
	items, err := t.actions(&tx)
	if err != nil {
		return nil, fmt.Errorf("compose an append to %s: %w", t.name, err)
	}
	return items, nil
}

// TransactResult returns the result of an append whose items start at position at in the
// caller's transaction. failure is the error of TransactWriteItems, nil on success. The
// error is permanent.
func (t *Table) TransactResult(tx ingest.AppendTransaction, at int, failure error) (ingest.StoreResult, error) {
	result, err := t.translate("append in a transaction to", failure)
	if err != nil || result != storage.ConditionFailed {
		return ingest.StoreResult{Result: result, Cause: failure}, err
	}
	var cancelled *types.TransactionCanceledException
	if !errors.As(failure, &cancelled) || at < 0 || at > len(cancelled.CancellationReasons) {
		return ingest.StoreResult{Result: storage.Unknown}, fmt.Errorf("append in a transaction to %s: the transaction has no item %d: pass the position of the first item of TransactItems", t.name, at)
	}
	own := *cancelled
	own.CancellationReasons = cancelled.CancellationReasons[at:]
	return t.failedAppend(&tx, &own)
}
