package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemstore"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Append sends one TransactWriteItems with these actions in this order: the write or check of the
// latest item, and itemstore.EventActions.
func (t *Table) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	const operation = "append"
	items, err := t.actions(&tx)
	if err != nil {
		return storage.StoreResult{Result: storage.Unknown}, t.failed(operation, err)
	}
	result, failure, err := t.transact(ctx, operation, tx.Token, items)
	if result == storage.ConditionFailed {
		return itemstore.FailedAppend(&tx, itemResults(failure, len(items)))
	}
	return storage.StoreResult{Result: result, Cause: failure}, err
}

// actions returns the actions of the transaction in the order of Append.
func (t *Table) actions(tx *storage.AppendTransaction) ([]types.TransactWriteItem, error) {
	events, err := t.transactItems(itemstore.EventActions(tx))
	if err != nil {
		return nil, err
	}
	var latest types.TransactWriteItem
	switch {
	case tx.Latest != nil && tx.Check != nil:
		return nil, errors.New(
			"the transaction both writes and checks the latest item: DynamoDB allows one action for each item")
	case tx.Latest != nil:
		latest.Update, err = t.updateLatest(tx.Latest)
	case tx.Check != nil:
		latest.ConditionCheck, err = t.checkLatest(tx.Check)
	default:
		return events, nil
	}
	return append([]types.TransactWriteItem{latest}, events...), err
}

func (t *Table) updateLatest(w *storage.LatestWrite) (*types.Update, error) {
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
	return t.update(keys.Latest(w.Series), x, update, &condition), nil
}

func (t *Table) checkLatest(c *storage.LatestCheck) (*types.ConditionCheck, error) {
	if len(c.Condition) == 0 && c.Not == nil {
		return nil, fmt.Errorf(
			"check latest item of %s: the condition is empty: add a term, or leave out the check", c.Series)
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
	return t.check(keys.Latest(c.Series), x, &condition), nil
}

// TransactItems returns the items of an append for the caller's own TransactWriteItems: at
// most three, in an order that TransactResult expects. They must stay together, at any
// position. The caller's other items may write to any table of the account and Region.
func (t *Table) TransactItems(tx storage.AppendTransaction) ([]types.TransactWriteItem, error) {
	items, err := t.actions(&tx)
	if err != nil {
		return nil, t.failed("compose an append", err)
	}
	return items, nil
}

// TransactResult returns the result of an append whose items start at position at in the caller's
// transaction. failure is the error of TransactWriteItems, nil on success. The error is permanent.
func (t *Table) TransactResult(tx storage.AppendTransaction, at int,
	failure error) (storage.StoreResult, error) {
	result, err := t.translate("append by a transaction", failure)
	if err != nil || result != storage.ConditionFailed {
		return storage.StoreResult{Result: result, Cause: failure}, err
	}
	var cancelled *types.TransactionCanceledException
	if !errors.As(failure, &cancelled) || at < 0 || at > len(cancelled.CancellationReasons) {
		return storage.StoreResult{Result: storage.Unknown},
			fmt.Errorf("append by a transaction in %s: the transaction has no item %d: "+
				"pass the position of the first item of TransactItems", t.name, at)
	}
	return itemstore.FailedAppend(&tx, itemResults(failure, len(cancelled.CancellationReasons))[at:])
}
