package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ByValue reads one page of the events that have a value by one Query of the second
// index. An item that is no event is left out.
func (t *Table) ByValue(ctx context.Context, r model.ByValue) (model.IndexPage, error) {
	out, err := t.client.Query(ctx, t.byValueInput(ctx, &r))
	if err != nil {
		return model.IndexPage{}, fmt.Errorf("read by value from %s: %w", t.name, advise(err))
	}
	t.took(ctx, len(out.Items), out.ConsumedCapacity)
	page := model.IndexPage{Events: make([]model.Event, 0, len(out.Items))}
	for _, it := range itemsOf(out.Items) {
		if event, err := item.Event(it); err == nil {
			page.Events = append(page.Events, event)
		}
	}
	if out.LastEvaluatedKey == nil {
		return page, nil
	}
	last, err := keys.ParseEvent(itemOf(out.LastEvaluatedKey).Key())
	if err != nil {
		return model.IndexPage{}, fmt.Errorf("read by value from %s: the page ends at an item that is no event: %w", t.name, err)
	}
	page.Last = &last
	return page, nil
}

func (t *Table) byValueInput(ctx context.Context, r *model.ByValue) *dynamodb.QueryInput {
	lo, hi := keys.IndexRange(r.From, r.To)
	x := newExpression()
	within := fmt.Sprintf("%s = %s AND %s BETWEEN %s AND %s",
		x.name(keys.AttrGSI2PK), x.text(keys.IndexPartition(r.Kind, r.Field, r.Value)), x.name(keys.AttrGSI2SK), x.text(lo), x.text(hi))
	input := &dynamodb.QueryInput{
		TableName:                 &t.name,
		IndexName:                 new(keys.IndexGSI2),
		KeyConditionExpression:    &within,
		ExpressionAttributeNames:  x.names,
		ExpressionAttributeValues: x.values,
		ScanIndexForward:          new(!r.Newest),
		ReturnConsumedCapacity:    t.asks(ctx),
	}
	if r.Limit > 0 {
		input.Limit = new(int32(r.Limit))
	}
	if r.After != nil {
		input.ExclusiveStartKey = indexPosition(*r.After, r)
	}
	return input
}

// indexPosition is the place of an event in the index: its keys there and its own.
func indexPosition(k model.EventKey, r *model.ByValue) map[string]types.AttributeValue {
	in := keys.Indexed(k, r.Field, r.Value)
	position := primary(keys.Event(k))
	position[keys.AttrGSI2PK] = attribute(item.Value{Type: item.S, S: in.PK})
	position[keys.AttrGSI2SK] = attribute(item.Value{Type: item.S, S: in.SK})
	return position
}

// Profile reads a subject's profile by one Get; nil where there is none.
func (t *Table) Profile(ctx context.Context, subject model.Subject, consistent bool) (*model.Profile, error) {
	it, err := t.getItem(ctx, "read profile from", keys.Metadata(subject), consistent)
	if err != nil || it == nil {
		return nil, err
	}
	profile, err := item.Profile(it)
	if err != nil {
		return nil, err
	}
	return &profile, nil
}
