package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// QueryIndex reads one page of events by one Query of the second index. It skips items
// that are not events.
func (t *Table) QueryIndex(ctx context.Context, r storage.EventIndexQuery) (storage.EventIndexPage, error) {
	out, err := t.client.Query(ctx, t.indexQueryInput(ctx, &r))
	if err != nil {
		return storage.EventIndexPage{}, fmt.Errorf("query index of %s: %w", t.name, advise(err))
	}
	t.countRead(ctx, len(out.Items), out.ConsumedCapacity)
	page := storage.EventIndexPage{Events: table.DecodeAll(itemsOf(out.Items), item.Event)}
	if out.LastEvaluatedKey == nil {
		return page, nil
	}
	last, err := keys.ParseEvent(itemOf(out.LastEvaluatedKey).Key())
	if err != nil {
		return storage.EventIndexPage{}, fmt.Errorf("query index of %s: the last item of the page is not an event: %w", t.name, err)
	}
	page.Last = &last
	return page, nil
}

func (t *Table) indexQueryInput(ctx context.Context, r *storage.EventIndexQuery) *dynamodb.QueryInput {
	lo, hi := tablekeys.IndexRange(r.From, r.To)
	x := newExpression()
	within := fmt.Sprintf("%s = %s AND %s BETWEEN %s AND %s",
		x.name(keys.AttrGSI2PK), x.text(tablekeys.IndexPartition(r.Kind, r.Field, r.Value)), x.name(keys.AttrGSI2SK), x.text(lo), x.text(hi))
	input := &dynamodb.QueryInput{
		TableName:                 &t.name,
		IndexName:                 new(keys.IndexGSI2),
		KeyConditionExpression:    &within,
		ExpressionAttributeNames:  x.names,
		ExpressionAttributeValues: x.values,
		ScanIndexForward:          new(!r.Newest),
		ReturnConsumedCapacity:    t.readReturnMode(ctx),
	}
	if r.Limit > 0 {
		input.Limit = new(int32(r.Limit))
	}
	if r.After != nil {
		input.ExclusiveStartKey = indexStartKey(*r.After, r)
	}
	return input
}

// indexStartKey returns the position of an event in the index: its keys there and its own.
func indexStartKey(k model.EventKey, r *storage.EventIndexQuery) map[string]types.AttributeValue {
	in := tablekeys.IndexEntry(k, r.Field, r.Value)
	position := primary(keys.Event(k))
	position[keys.AttrGSI2PK] = attribute(item.Value{Type: item.S, S: in.PK})
	position[keys.AttrGSI2SK] = attribute(item.Value{Type: item.S, S: in.SK})
	return position
}

// Profile reads a subject's profile by one Get; nil if there is none.
func (t *Table) Profile(ctx context.Context, subject model.Subject, consistent bool) (*model.Profile, error) {
	it, err := t.getItem(ctx, "read profile from", keys.Metadata(subject), consistent)
	return table.Decode(it, err, item.Profile)
}

// LatestBy reads one page of latest items from an index.
func (t *Table) LatestBy(ctx context.Context, r storage.LatestIndexQuery) (storage.LatestPage, error) {
	return table.ListLatest(ctx, t, r)
}
