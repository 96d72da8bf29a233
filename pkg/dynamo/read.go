package dynamo

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Latest reads the latest item of a series; nil if there is none.
func (t *Table) Latest(ctx context.Context, series model.Series, consistent bool) (*model.Latest, error) {
	it, err := t.getItem(ctx, "read latest item from", keys.Latest(series), consistent)
	return table.Decode(it, err, item.Latest)
}

// Events reads one page of a series' events by one Query. It skips items whose key is not
// an event's.
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

// EachEvent is Events for callers that do not keep the events. It calls do with each event
// once the complete page has been read. An event is valid only during the call; its texts
// stay valid.
func (t *Table) EachEvent(ctx context.Context, r storage.Range, do func(*model.Event)) (next string, _ error) {
	const operation = "read events from"
	lo, hi := tablekeys.EventRange(&r)
	input, err := t.queryInput(ctx, operation, &r, lo, hi)
	if err != nil {
		return "", err
	}
	page := pagePool.Get().(*responsePage)
	defer pagePool.Put(page)
	if _, err := t.client.Query(ctx, input, page.captureBody); err != nil {
		return "", fmt.Errorf("%s %s: %w", operation, t.name, advise(err))
	}
	items := 0
	if err := page.each(func(e *model.Event) { items++; do(e) }); err != nil {
		return "", fmt.Errorf("%s %s: %w", operation, t.name, err)
	}
	t.countReadUnits(ctx, items, page.units)
	return page.last.SK, nil
}

// Rows reads one page of a series' rows by one Query. It skips items whose key is not a
// row's.
func (t *Table) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	lo, hi := keys.RowRange(r.Series, unit, r.From, r.To)
	items, next, err := t.query(ctx, "read rollups from", &r, lo, hi)
	if err != nil {
		return rollup.RowPage{}, err
	}
	page := rollup.RowPage{Rows: make([]rollup.Row, 0, len(items)), Next: next}
	for _, it := range items {
		if row, ok := item.RowOrBare(it); ok {
			page.Rows = append(page.Rows, row)
		}
	}
	return page, nil
}

// query reads one page of the sort keys from lo to hi, both included.
func (t *Table) query(ctx context.Context, operation string, r *storage.Range, lo, hi string) (_ []item.Item, next string, _ error) {
	input, err := t.queryInput(ctx, operation, r, lo, hi)
	if err != nil {
		return nil, "", err
	}
	out, err := t.client.Query(ctx, input)
	if err != nil {
		return nil, "", fmt.Errorf("%s %s: %w", operation, t.name, advise(err))
	}
	t.countRead(ctx, len(out.Items), out.ConsumedCapacity)
	return itemsOf(out.Items), itemOf(out.LastEvaluatedKey).Key().SK, nil
}

func (t *Table) queryInput(ctx context.Context, operation string, r *storage.Range, lo, hi string) (*dynamodb.QueryInput, error) {
	x := newExpression()
	within := fmt.Sprintf("%s = %s AND %s BETWEEN %s AND %s",
		x.name(keys.AttrPK), x.text(keys.Partition(r.Series)), x.name(keys.AttrSK), x.text(lo), x.text(hi))
	input := &dynamodb.QueryInput{
		TableName:                 &t.name,
		KeyConditionExpression:    &within,
		ExpressionAttributeNames:  x.names,
		ExpressionAttributeValues: x.values,
		ScanIndexForward:          new(!r.Newest),
		ConsistentRead:            &r.Consistent,
		ReturnConsumedCapacity:    t.readReturnMode(ctx),
	}
	if r.Limit > 0 {
		input.Limit = new(int32(r.Limit))
	}
	if r.After != "" {
		if r.After < lo || r.After > hi {
			return nil, fmt.Errorf("%s %s: position %.120q is outside the range: pass Next of the previous page, with the same range", operation, t.name, r.After)
		}
		input.ExclusiveStartKey = primary(keys.Key{PK: keys.Partition(r.Series), SK: r.After})
	}
	return input, nil
}

// getItem reads one item; nil if there is none.
func (t *Table) getItem(ctx context.Context, operation string, k keys.Key, consistent bool) (item.Item, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName:              &t.name,
		Key:                    primary(k),
		ConsistentRead:         &consistent,
		ReturnConsumedCapacity: t.readReturnMode(ctx),
	})
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", operation, t.name, advise(err))
	}
	t.countRead(ctx, min(len(out.Item), 1), out.ConsumedCapacity)
	return itemOf(out.Item), nil
}
