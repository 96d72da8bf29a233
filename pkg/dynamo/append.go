package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// allOld has a failed condition answer with the item it failed on, which saves a read.
const allOld = types.ReturnValuesOnConditionCheckFailureAllOld

// Append sends one TransactWriteItems: current (or the check of it), the gate, the
// puts, the absents, in this order, in which the reasons of a refusal are read.
func (t *Table) Append(ctx context.Context, tx ingest.Transaction) (ingest.Reply, error) {
	const operation = "append to"
	if err := t.unsent(ctx, operation); err != nil {
		return ingest.Reply{Answer: model.Uncertain}, err
	}
	actions, err := t.actions(&tx)
	if err != nil {
		return ingest.Reply{Answer: model.Uncertain}, fmt.Errorf("%s %s: %w", operation, t.name, err)
	}
	input := &dynamodb.TransactWriteItemsInput{
		TransactItems:          actions,
		ReturnConsumedCapacity: t.capacity.mode(),
	}
	if tx.Token != "" {
		input.ClientRequestToken = &tx.Token
	}
	out, failure := t.client.TransactWriteItems(ctx, input, once)
	if failure == nil {
		t.capacity.addWrites(out.ConsumedCapacity...)
	}
	answer, err := t.translate(operation, failure)
	if answer == model.Refused {
		return t.refusal(&tx, failure)
	}
	return ingest.Reply{Answer: answer}, err
}

// actions are the items of the transaction, in the order of the reasons.
func (t *Table) actions(tx *ingest.Transaction) ([]types.TransactWriteItem, error) {
	var out []types.TransactWriteItem
	switch {
	case tx.Current != nil && tx.Check != nil:
		return nil, errors.New("a transaction writes current or checks it, never both: the server takes one action an item")
	case tx.Current != nil:
		update, err := t.updateCurrent(tx.Current)
		if err != nil {
			return nil, err
		}
		out = append(out, types.TransactWriteItem{Update: update})
	case tx.Check != nil:
		check, err := t.checkCurrent(tx.Check)
		if err != nil {
			return nil, err
		}
		out = append(out, types.TransactWriteItem{ConditionCheck: check})
	}
	if tx.Gate != nil {
		out = append(out, t.checkFree(keys.Gate(*tx.Gate)))
	}
	for i := range tx.Puts {
		out = append(out, t.putEvent(&tx.Puts[i]))
	}
	for _, k := range tx.Absent {
		out = append(out, t.checkFree(keys.Event(k)))
	}
	return out, nil
}

func (t *Table) updateCurrent(w *ingest.CurrentWrite) (*types.Update, error) {
	x := newExpression()
	condition := ""
	switch {
	case w.OrCreate:
		condition = x.newerOrCreation(w.First)
	case w.Create:
		condition = x.creation()
	default:
		condition = x.newer(w.First)
	}
	if len(w.Where) > 0 {
		where, err := x.where(w.Where)
		if err != nil {
			return nil, err
		}
		condition += " AND " + where
	}
	set := item.FromCurrent(&model.Current{
		Series: w.Series, Ordered: true, Order: w.Last, Hash: w.Hash, Attrs: w.Set, CreatedAt: w.Now,
	})
	var left []string
	for _, entry := range w.Entries {
		if set.SetIndex(entry.Index, entry.Key); entry.Key == (keys.Key{}) {
			pk, sk := item.IndexAttrs(entry.Index)
			left = append(left, pk, sk)
		}
	}
	update := x.set(set, keys.AttrCreatedAt) + x.remove(left)
	return &types.Update{
		TableName:                           &t.name,
		Key:                                 primary(keys.Current(w.Series)),
		UpdateExpression:                    &update,
		ConditionExpression:                 &condition,
		ExpressionAttributeNames:            x.names,
		ExpressionAttributeValues:           x.values,
		ReturnValuesOnConditionCheckFailure: allOld,
	}, nil
}

func (t *Table) checkCurrent(c *ingest.CurrentCheck) (*types.ConditionCheck, error) {
	if len(c.Where) == 0 {
		return nil, fmt.Errorf("check current of %s: no condition to check: give it a term, or leave the check out", c.Series)
	}
	x := newExpression()
	where, err := x.where(c.Where)
	if err != nil {
		return nil, err
	}
	return &types.ConditionCheck{
		TableName:                           &t.name,
		Key:                                 primary(keys.Current(c.Series)),
		ConditionExpression:                 &where,
		ExpressionAttributeNames:            x.names,
		ExpressionAttributeValues:           x.values,
		ReturnValuesOnConditionCheckFailure: allOld,
	}, nil
}

func (t *Table) checkFree(k keys.Key) types.TransactWriteItem {
	x := newExpression()
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName:                           &t.name,
		Key:                                 primary(k),
		ConditionExpression:                 new(x.free()),
		ExpressionAttributeNames:            x.names,
		ReturnValuesOnConditionCheckFailure: allOld,
	}}
}

func (t *Table) putEvent(e *model.Event) types.TransactWriteItem {
	x := newExpression()
	return types.TransactWriteItem{Put: &types.Put{
		TableName:                           &t.name,
		Item:                                attributes(item.FromEvent(e)),
		ConditionExpression:                 new(x.free()),
		ExpressionAttributeNames:            x.names,
		ReturnValuesOnConditionCheckFailure: allOld,
	}}
}
