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
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Commit sends one TransactWriteItems of the actions in their order, in which the
// reasons of a refusal are read.
func (t *Table) Commit(ctx context.Context, tx lifecycle.Transaction) (lifecycle.Reply, error) {
	const operation = "commit to"
	if err := t.unsent(ctx, operation); err != nil {
		return lifecycle.Reply{Answer: model.Uncertain}, err
	}
	input := &dynamodb.TransactWriteItemsInput{ReturnConsumedCapacity: t.capacity.mode()}
	for i := range tx.Actions {
		action, err := t.action(&tx.Actions[i])
		if err != nil {
			return lifecycle.Reply{Answer: model.Uncertain}, fmt.Errorf("%s %s: %w", operation, t.name, err)
		}
		input.TransactItems = append(input.TransactItems, action)
	}
	if tx.Token != "" {
		input.ClientRequestToken = &tx.Token
	}
	out, failure := t.client.TransactWriteItems(ctx, input, once)
	if failure == nil {
		t.capacity.addWrites(out.ConsumedCapacity...)
	}
	answer, err := t.translate(operation, failure)
	reply := lifecycle.Reply{Answer: answer}
	if answer == model.Refused {
		reply.Met = met(failure, len(tx.Actions))
	}
	return reply, err
}

// met are the reasons of a refusal, one for each action.
func met(failure error, actions int) []lifecycle.Met {
	var cancelled *types.TransactionCanceledException
	errors.As(failure, &cancelled) // translate answers Refused for no other failure of a transaction
	left := reasons(cancelled.CancellationReasons)
	all := make([]lifecycle.Met, actions)
	for i := range all {
		all[i].Failed, all[i].Old = left.next()
	}
	return all
}

// action is one item of a transaction.
func (t *Table) action(a *lifecycle.Action) (out types.TransactWriteItem, err error) {
	x := newExpression()
	change := ""
	if a.Set != nil || a.Remove != nil {
		change = x.change(a.Set, a.Remove)
	}
	condition, err := x.terms(a.When)
	if err != nil {
		return out, err
	}
	switch {
	case a.Delete:
		out.Delete = &types.Delete{
			TableName: &t.name, Key: primary(a.Key), ConditionExpression: condition,
			ExpressionAttributeNames: x.used(), ExpressionAttributeValues: x.values, ReturnValuesOnConditionCheckFailure: allOld,
		}
	case a.Put != nil:
		out.Put = &types.Put{
			TableName: &t.name, Item: attributes(a.Put), ConditionExpression: condition,
			ExpressionAttributeNames: x.used(), ExpressionAttributeValues: x.values, ReturnValuesOnConditionCheckFailure: allOld,
		}
		err = storable(a.Put)
	case change != "":
		out.Update = &types.Update{
			TableName: &t.name, Key: primary(a.Key), UpdateExpression: &change, ConditionExpression: condition,
			ExpressionAttributeNames: x.used(), ExpressionAttributeValues: x.values, ReturnValuesOnConditionCheckFailure: allOld,
		}
		err = storable(a.Set)
	default:
		out.ConditionCheck = &types.ConditionCheck{
			TableName: &t.name, Key: primary(a.Key), ConditionExpression: condition,
			ExpressionAttributeNames: x.used(), ExpressionAttributeValues: x.values, ReturnValuesOnConditionCheckFailure: allOld,
		}
	}
	return out, err
}

// used are the names of the expressions; nil where there are none, for the server
// refuses an empty map.
func (x *expression) used() map[string]string {
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

// terms: every term of a condition; nil where there is none.
func (x *expression) terms(when lifecycle.Condition) (*string, error) {
	var all []string
	for _, t := range when {
		switch t.Op {
		case lifecycle.Free:
			all = append(all, x.free())
		case lifecycle.There:
			all = append(all, x.exists(keys.AttrPK))
		case lifecycle.Lacks:
			all = append(all, x.missing(t.Attr))
		case lifecycle.Is:
			all = append(all, x.name(t.Attr)+" = "+x.value(t.Value))
		case lifecycle.IsNot: // the server holds an absent attribute to differ from everything
			all = append(all, x.name(t.Attr)+" <> "+x.value(t.Value))
		default:
			return nil, fmt.Errorf("condition on %q: term %d is unknown", t.Attr, t.Op)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	condition := strings.Join(all, " AND ")
	return &condition, nil
}

// List reads one page of a partition, or of an index partition, by one Query.
func (t *Table) List(ctx context.Context, l lifecycle.Listing) (lifecycle.ListPage, error) {
	out, err := t.client.Query(ctx, t.listInput(ctx, &l))
	if err != nil {
		return lifecycle.ListPage{}, fmt.Errorf("list from %s: %w", t.name, advise(err))
	}
	t.took(ctx, len(out.Items), out.ConsumedCapacity)
	page := lifecycle.ListPage{Items: itemsOf(out.Items)}
	if last := itemOf(out.LastEvaluatedKey); last != nil {
		page.Next = lifecycle.Place{Key: last.Key()}
		if l.Index != "" {
			page.Next.Sort = last.IndexKey(l.Index).SK
		}
	}
	return page, nil
}

func (t *Table) listInput(ctx context.Context, l *lifecycle.Listing) *dynamodb.QueryInput {
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
		ReturnConsumedCapacity:    t.asks(ctx),
	}
	if l.Index != "" {
		input.IndexName = &l.Index
	}
	if l.Limit > 0 {
		input.Limit = new(int32(l.Limit))
	}
	if l.After != (lifecycle.Place{}) {
		input.ExclusiveStartKey = primary(l.After.Key)
		if l.Index != "" {
			at := item.Item{}
			at.SetIndex(l.Index, keys.Key{PK: l.Partition, SK: l.After.Sort})
			maps.Copy(input.ExclusiveStartKey, attributes(at))
		}
	}
	return input
}

// Erase sends one BatchWriteItem of removals. What the server did not come to, for
// want of capacity, is left.
func (t *Table) Erase(ctx context.Context, these []keys.Key) (left []keys.Key, answer model.Answer, err error) {
	const operation = "erase from"
	if err := t.unsent(ctx, operation); err != nil {
		return these, model.Uncertain, err
	}
	requests := make([]types.WriteRequest, len(these))
	for i, k := range these {
		requests[i].DeleteRequest = &types.DeleteRequest{Key: primary(k)}
	}
	out, failure := t.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems:           map[string][]types.WriteRequest{t.name: requests},
		ReturnConsumedCapacity: t.capacity.mode(),
	}, once)
	if failure != nil {
		answer, err := t.translate(operation, failure)
		return these, answer, err
	}
	t.capacity.addWrites(out.ConsumedCapacity...)
	for _, r := range out.UnprocessedItems[t.name] {
		if r.DeleteRequest != nil {
			left = append(left, itemOf(r.DeleteRequest.Key).Key())
		}
	}
	return left, model.Written, nil
}

// Gated reports whether a subject's purge gate is there, by one strongly consistent
// Get.
func (t *Table) Gated(ctx context.Context, subject model.Subject) (bool, error) {
	it, err := t.getItem(ctx, "look at a gate of", keys.Gate(subject), true)
	return it != nil, err
}
