package dynamo

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Current reads a series' current; nil where there is none.
func (t *Table) Current(ctx context.Context, series model.Series, consistent bool) (*model.Current, error) {
	it, err := t.getItem(ctx, "read current from", keys.Current(series), consistent)
	if err != nil || it == nil {
		return nil, err
	}
	current, err := item.Current(it)
	if err != nil {
		return nil, err
	}
	return &current, nil
}

// Events reads one page of a series' events by one Query. An item whose key is not
// an event's lies in no bucket and is left out.
func (t *Table) Events(ctx context.Context, r model.Range) (model.EventPage, error) {
	page := model.EventPage{Events: []model.Event{}}
	next, err := t.EachEvent(ctx, r, func(e *model.Event) {
		kept := *e
		kept.Attrs = slices.Clone(e.Attrs)
		page.Events = append(page.Events, kept)
	})
	if err != nil {
		return model.EventPage{}, err
	}
	page.Next = next
	return page, nil
}

// EachEvent is Events for who keeps none of them: each is good during the call of do,
// its texts for good. do is not called before the page has come whole.
func (t *Table) EachEvent(ctx context.Context, r model.Range, do func(*model.Event)) (next string, _ error) {
	const operation = "read events from"
	lo, hi := keys.EventRange(r.Series, r.From, r.To)
	input, err := t.queryInput(ctx, operation, &r, lo, hi)
	if err != nil {
		return "", err
	}
	page := pages.Get().(*page)
	defer pages.Put(page)
	if _, err := t.client.Query(ctx, input, page.take); err != nil {
		return "", fmt.Errorf("%s %s: %w", operation, t.name, advise(err))
	}
	items := 0
	if err := page.each(func(e *model.Event) { items++; do(e) }); err != nil {
		return "", fmt.Errorf("%s %s: %w", operation, t.name, err)
	}
	t.tookUnits(ctx, items, page.units)
	return page.last.SK, nil
}

// Rows reads one page of a series' rows by one Query. An item whose key is not a
// row's is left out.
func (t *Table) Rows(ctx context.Context, unit tier.Unit, r model.Range) (rollup.RowPage, error) {
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
func (t *Table) query(ctx context.Context, operation string, r *model.Range, lo, hi string) (_ []item.Item, next string, _ error) {
	input, err := t.queryInput(ctx, operation, r, lo, hi)
	if err != nil {
		return nil, "", err
	}
	out, err := t.client.Query(ctx, input)
	if err != nil {
		return nil, "", fmt.Errorf("%s %s: %w", operation, t.name, advise(err))
	}
	t.took(ctx, len(out.Items), out.ConsumedCapacity)
	return itemsOf(out.Items), itemOf(out.LastEvaluatedKey).Key().SK, nil
}

func (t *Table) queryInput(ctx context.Context, operation string, r *model.Range, lo, hi string) (*dynamodb.QueryInput, error) {
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
		ReturnConsumedCapacity:    t.asks(ctx),
	}
	if r.Limit > 0 {
		input.Limit = new(int32(r.Limit))
	}
	if r.After != "" {
		if r.After < lo || r.After > hi {
			return nil, fmt.Errorf("%s %s: position %.120q lies outside the range: take Next of the page before, asked with the same range", operation, t.name, r.After)
		}
		input.ExclusiveStartKey = primary(keys.Key{PK: keys.Partition(r.Series), SK: r.After})
	}
	return input, nil
}

// getItem reads one item; nil where there is none.
func (t *Table) getItem(ctx context.Context, operation string, k keys.Key, consistent bool) (item.Item, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName:              &t.name,
		Key:                    primary(k),
		ConsistentRead:         &consistent,
		ReturnConsumedCapacity: t.asks(ctx),
	})
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", operation, t.name, advise(err))
	}
	t.took(ctx, min(len(out.Item), 1), out.ConsumedCapacity)
	return itemOf(out.Item), nil
}
