package dynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Commit sends one TransactWriteItems with the actions in their order.
func (t *Table) Commit(ctx context.Context, tx table.Transaction) (table.TransactResult, error) {
	const operation = "commit to"
	if err := t.checkContext(ctx, operation); err != nil {
		return table.TransactResult{Result: storage.Unknown}, err
	}
	input := &dynamodb.TransactWriteItemsInput{ReturnConsumedCapacity: t.capacity.returnMode()}
	for i := range tx.Actions {
		action, err := t.action(&tx.Actions[i])
		if err != nil {
			return table.TransactResult{Result: storage.Unknown}, fmt.Errorf("%s %s: %w", operation, t.name, err)
		}
		input.TransactItems = append(input.TransactItems, action)
	}
	if tx.Token != "" {
		input.ClientRequestToken = &tx.Token
	}
	out, failure := t.client.TransactWriteItems(ctx, input, noRetry)
	if failure == nil {
		t.capacity.addWrites(out.ConsumedCapacity...)
	}
	result, err := t.translate(operation, failure)
	reply := table.TransactResult{Result: result, Cause: failure}
	if result == storage.ConditionFailed {
		reply.Items = itemResults(failure, len(tx.Actions))
	}
	return reply, err
}

// itemResults returns the result of each action of a cancelled transaction.
func itemResults(failure error, actions int) []table.ItemResult {
	var cancelled *types.TransactionCanceledException
	errors.As(failure, &cancelled) // always so if translate returned ConditionFailed
	left := reasons(cancelled.CancellationReasons)
	all := make([]table.ItemResult, actions)
	for i := range all {
		all[i].Failed, all[i].Old = left.next()
	}
	return all
}

// action returns one action of a transaction.
func (t *Table) action(a *table.Action) (out types.TransactWriteItem, err error) {
	x := newExpression()
	change := ""
	if a.Set != nil || a.Remove != nil {
		change = x.change(a.Set, a.Remove)
	}
	condition, err := x.terms(a.Precondition)
	if err != nil {
		return out, err
	}
	if len(a.Where) > 0 {
		where, err := x.where(a.Where)
		if err != nil {
			return out, err
		}
		if condition != nil {
			where = *condition + " AND " + where
		}
		condition = &where
	}
	switch {
	case a.Delete:
		out.Delete = &types.Delete{
			TableName: &t.name, Key: primary(a.Key), ConditionExpression: condition,
			ExpressionAttributeNames: x.usedNames(), ExpressionAttributeValues: x.values, ReturnValuesOnConditionCheckFailure: returnOldItem,
		}
	case a.Put != nil:
		out.Put = &types.Put{
			TableName: &t.name, Item: attributes(a.Put), ConditionExpression: condition,
			ExpressionAttributeNames: x.usedNames(), ExpressionAttributeValues: x.values, ReturnValuesOnConditionCheckFailure: returnOldItem,
		}
		err = storable(a.Put)
	case change != "":
		out.Update = &types.Update{
			TableName: &t.name, Key: primary(a.Key), UpdateExpression: &change, ConditionExpression: condition,
			ExpressionAttributeNames: x.usedNames(), ExpressionAttributeValues: x.values, ReturnValuesOnConditionCheckFailure: returnOldItem,
		}
		err = storable(a.Set)
	default:
		out.ConditionCheck = &types.ConditionCheck{
			TableName: &t.name, Key: primary(a.Key), ConditionExpression: condition,
			ExpressionAttributeNames: x.usedNames(), ExpressionAttributeValues: x.values, ReturnValuesOnConditionCheckFailure: returnOldItem,
		}
	}
	return out, err
}

// usedNames returns the names of the expressions; nil if there are none, because DynamoDB
// rejects an empty map.
func (x *expression) usedNames() map[string]string {
	if len(x.names) == 0 {
		return nil
	}
	return x.names
}

// change sets attributes and removes others.
func (x *expression) change(set item.Item, remove []string) string {
	var clauses []string
	if len(set) > 0 {
		clauses = append(clauses, x.set(set))
	}
	names := slices.Clone(remove)
	slices.Sort(names)
	for i, attr := range names {
		names[i] = x.name(attr)
	}
	if len(names) > 0 {
		clauses = append(clauses, "REMOVE "+strings.Join(names, ","))
	}
	return strings.Join(clauses, " ")
}

// terms: every requirement of a precondition; nil if there is none.
func (x *expression) terms(when table.Precondition) (*string, error) {
	var all []string
	for _, t := range when {
		switch t.Op {
		case table.ItemAbsent:
			all = append(all, x.absent())
		case table.ItemExists:
			all = append(all, x.exists(keys.AttrPK))
		case table.AttrAbsent:
			all = append(all, x.missing(t.Attr))
		case table.AttrEquals:
			all = append(all, x.name(t.Attr)+" = "+x.value(t.Value))
		case table.AttrDiffers: // in DynamoDB an absent attribute differs from every value
			all = append(all, x.name(t.Attr)+" <> "+x.value(t.Value))
		default:
			return nil, fmt.Errorf("precondition on %q: unknown requirement %d", t.Attr, t.Op)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	condition := strings.Join(all, " AND ")
	return &condition, nil
}

// List reads one page of a partition, or of an index partition, by one Query.
func (t *Table) List(ctx context.Context, l table.ListRequest) (table.ListPage, error) {
	out, err := t.client.Query(ctx, t.listInput(ctx, &l))
	if err != nil {
		return table.ListPage{}, fmt.Errorf("list from %s: %w", t.name, advise(err))
	}
	t.countRead(ctx, len(out.Items), out.ConsumedCapacity)
	page := table.ListPage{Items: itemsOf(out.Items)}
	if last := itemOf(out.LastEvaluatedKey); last != nil {
		page.Next = table.Position{Key: last.Key()}
		if l.Index != "" {
			page.Next.Sort = last.IndexKey(l.Index).SK
		}
	}
	return page, nil
}

func (t *Table) listInput(ctx context.Context, l *table.ListRequest) *dynamodb.QueryInput {
	x := newExpression()
	partition, sort := keys.AttrPK, keys.AttrSK
	if l.Index != "" {
		partition, sort = item.IndexAttrs(l.Index)
	}
	within := x.name(partition) + " = " + x.text(l.Partition)
	if l.Prefix != "" {
		within += " AND begins_with(" + x.name(sort) + "," + x.text(l.Prefix) + ")"
	}
	input := &dynamodb.QueryInput{
		TableName:                 &t.name,
		KeyConditionExpression:    &within,
		ExpressionAttributeNames:  x.names,
		ExpressionAttributeValues: x.values,
		ScanIndexForward:          new(!l.Newest),
		ConsistentRead:            new(l.Index == ""),
		ReturnConsumedCapacity:    t.readReturnMode(ctx),
	}
	if l.Index != "" {
		input.IndexName = &l.Index
	}
	if l.Limit > 0 {
		input.Limit = new(int32(l.Limit))
	}
	if l.After != (table.Position{}) {
		input.ExclusiveStartKey = primary(l.After.Key)
		if l.Index != "" {
			at := item.Item{}
			at.SetIndex(l.Index, keys.Key{PK: l.Partition, SK: l.After.Sort})
			maps.Copy(input.ExclusiveStartKey, attributes(at))
		}
	}
	return input
}

// Erase sends one BatchWriteItem of deletions. left are the keys that DynamoDB did not
// process for lack of capacity.
func (t *Table) Erase(ctx context.Context, these []keys.Key) (left []keys.Key, result storage.WriteResult, err error) {
	const operation = "erase from"
	if err := t.checkContext(ctx, operation); err != nil {
		return these, storage.Unknown, err
	}
	requests := make([]types.WriteRequest, len(these))
	for i, k := range these {
		requests[i].DeleteRequest = &types.DeleteRequest{Key: primary(k)}
	}
	out, failure := t.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems:           map[string][]types.WriteRequest{t.name: requests},
		ReturnConsumedCapacity: t.capacity.returnMode(),
	}, noRetry)
	if failure != nil {
		result, err := t.translate(operation, failure)
		return these, result, err
	}
	t.capacity.addWrites(out.ConsumedCapacity...)
	for _, r := range out.UnprocessedItems[t.name] {
		if r.DeleteRequest != nil {
			left = append(left, itemOf(r.DeleteRequest.Key).Key())
		}
	}
	return left, storage.Written, nil
}

// PurgeLocked reports whether a subject has a purge lock, by one strongly consistent Get.
func (t *Table) PurgeLocked(ctx context.Context, subject model.Subject) (bool, error) {
	it, err := t.getItem(ctx, "read purge lock from", tablekeys.PurgeLock(subject), true)
	return it != nil, err
}
