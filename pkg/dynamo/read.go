package dynamo

import (
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Events reads one page of a series' events by one Query. It skips items whose key is not an event's.
func (t *Table) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	page := storage.EventPage{Events: []model.Event{}}
	next, err := t.EachEvent(ctx, r, func(e *model.Event) {
		kept := *e
		kept.Attrs = slices.Clone(e.Attrs)
		page.Events = append(page.Events, kept)
	})
	if err != nil {
		return storage.EventPage{}, err
	}
	page.Next = next
	return page, nil
}

// EachEvent is Events for callers that do not keep the events. It calls do with each event once the complete
// page has been read. An event is valid only during the call; its texts stay valid.
func (t *Table) EachEvent(ctx context.Context, r storage.Range,
	do func(*model.Event)) (next string, _ error) {
	const operation = "read events"
	lo, hi := tablekeys.EventRange(&r)
	request, err := itemop.RangeRequest(&r, lo, hi)
	if err != nil {
		return "", t.failed(operation, err)
	}
	page := pagePool.Get().(*responsePage)
	defer pagePool.Put(page)
	if _, err := t.client.Query(ctx, t.queryInput(ctx, &request), page.captureBody); err != nil {
		return "", t.failed(operation, err)
	}
	items := 0
	if err := page.each(func(e *model.Event) { items++; do(e) }); err != nil {
		return "", t.failed(operation, err)
	}
	t.countReadUnits(ctx, items, page.units)
	return page.last.SK, nil
}

// List reads one page of a partition, or of an index partition, by one Query.
func (t *Table) List(ctx context.Context, l itemop.ListRequest) (itemop.ListPage, error) {
	return t.page(ctx, "list", &l)
}

// Partition reads one page of all items under a partition key, strongly consistent, in
// the order of the sort keys, after a position; the zero Key is the start. The returned
// position is the zero Key after the last page.
func (t *Table) Partition(ctx context.Context, pk string, after keys.Key) ([]item.Item, keys.Key, error) {
	page, err := t.List(ctx, itemop.ListRequest{Partition: pk, After: itemop.Position{Key: after}})
	return page.Items, page.Next.Key, err
}

func (t *Table) page(ctx context.Context, operation string, l *itemop.ListRequest) (itemop.ListPage, error) {
	out, err := t.client.Query(ctx, t.queryInput(ctx, l))
	if err != nil {
		return itemop.ListPage{}, t.failed(operation, err)
	}
	t.countRead(ctx, len(out.Items), out.ConsumedCapacity)
	page := itemop.ListPage{Items: decodeItems(out.Items)}
	if last := decodeItem(out.LastEvaluatedKey); last != nil {
		page.Next = itemop.Position{Key: last.Key()}
		if l.Index != "" {
			page.Next.Sort = last.IndexKey(l.Index).SK
		}
	}
	return page, nil
}

func (t *Table) queryInput(ctx context.Context, l *itemop.ListRequest) *dynamodb.QueryInput {
	x := newExpression()
	within := x.within(l)
	input := &dynamodb.QueryInput{
		TableName:                 &t.name,
		KeyConditionExpression:    &within,
		ExpressionAttributeNames:  x.names,
		ExpressionAttributeValues: x.values,
		ScanIndexForward:          new(!l.Newest),
		ConsistentRead:            new(l.Index == "" && !l.Eventual),
		ReturnConsumedCapacity:    t.readReturnMode(ctx),
	}
	if l.Index != "" {
		input.IndexName = &l.Index
	}
	if l.Limit > 0 {
		input.Limit = new(int32(l.Limit))
	}
	if l.After != (itemop.Position{}) {
		input.ExclusiveStartKey = primary(l.After.Key)
		if l.Index != "" {
			at := item.Item{}
			at.SetIndex(l.Index, keys.Key{PK: l.Partition, SK: l.After.Sort})
			maps.Copy(input.ExclusiveStartKey, attributes(at))
		}
	}
	return input
}

// within: the item is in the partition of a request, and in the range of its sort keys.
func (x *expression) within(l *itemop.ListRequest) string {
	partition, sort := keys.AttrPK, keys.AttrSK
	if l.Index != "" {
		partition, sort = item.IndexAttrs(l.Index)
	}
	within := x.name(partition) + " = " + x.text(l.Partition)
	switch {
	case l.Prefix != "":
		within += " AND begins_with(" + x.name(sort) + "," + x.text(l.Prefix) + ")"
	case l.From != "" && l.To == "":
		within += " AND " + x.name(sort) + " >= " + x.text(l.From)
	case l.From == "" && l.To != "": // no key is empty, and DynamoDB rejects one in a condition
		within += " AND " + x.name(sort) + " <= " + x.text(l.To)
	case l.To != "":
		within += " AND " + x.name(sort) + " BETWEEN " + x.text(l.From) + " AND " + x.text(l.To)
	}
	return within
}

// read reads one item; nil if there is none.
func (t *Table) read(ctx context.Context, operation string, k keys.Key, consistent bool) (item.Item, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName:              &t.name,
		Key:                    primary(k),
		ConsistentRead:         &consistent,
		ReturnConsumedCapacity: t.readReturnMode(ctx),
	})
	if err != nil {
		return nil, t.failed(operation, err)
	}
	t.countRead(ctx, min(len(out.Item), 1), out.ConsumedCapacity)
	return decodeItem(out.Item), nil
}
