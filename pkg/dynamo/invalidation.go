package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// PutInvalidation sends one PutItem without a condition. It consumes one write unit.
func (t *Table) PutInvalidation(ctx context.Context, i entity.Invalidation) (storage.WriteResult, error) {
	const operation = "put invalidation into"
	if err := t.checkContext(ctx, operation); err != nil {
		return storage.Unknown, err
	}
	out, failure := t.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName:              &t.name,
		Item:                   attributes(item.FromInvalidation(i)),
		ReturnConsumedCapacity: t.capacity.returnMode(),
	}, noRetry)
	if failure == nil && out.ConsumedCapacity != nil {
		t.capacity.addWrites(*out.ConsumedCapacity)
	}
	return t.translate(operation, failure)
}

// Invalidations sends one Query, strongly consistent, for the invalidations of a queue
// shard that are due up to a time.
func (t *Table) Invalidations(ctx context.Context, shard int, dueUpTo model.Time, after string) (page aggregate.InvalidationPage, _ error) {
	x := newExpression()
	pk := tablekeys.InvalidationPartition(shard)
	lo, hi := tablekeys.InvalidationsUpTo(dueUpTo)
	condition := x.name(keys.AttrPK) + " = " + x.text(pk) + " AND " + x.name(keys.AttrSK) + " BETWEEN " + x.text(lo) + " AND " + x.text(hi)
	input := &dynamodb.QueryInput{
		TableName:                 &t.name,
		ConsistentRead:            new(true),
		KeyConditionExpression:    &condition,
		ExpressionAttributeNames:  x.names,
		ExpressionAttributeValues: x.values,
		ReturnConsumedCapacity:    t.capacity.returnMode(),
	}
	if after != "" {
		input.ExclusiveStartKey = primary(keys.Key{PK: pk, SK: after})
	}
	out, err := t.client.Query(ctx, input)
	if err != nil {
		return page, t.rawError("query invalidations in", err)
	}
	t.capacity.addReads(out.ConsumedCapacity)
	page.Next = itemOf(out.LastEvaluatedKey).Key().SK
	for _, it := range itemsOf(out.Items) {
		if err := page.Add(it); err != nil {
			return page, err
		}
	}
	return page, nil
}

// DeleteInvalidation sends one DeleteItem without a condition.
func (t *Table) DeleteInvalidation(ctx context.Context, i entity.Invalidation) (storage.WriteResult, error) {
	const operation = "delete invalidation from"
	if err := t.checkContext(ctx, operation); err != nil {
		return storage.Unknown, err
	}
	out, failure := t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName:              &t.name,
		Key:                    primary(tablekeys.Invalidation(i)),
		ReturnConsumedCapacity: t.capacity.returnMode(),
	}, noRetry)
	if failure == nil && out.ConsumedCapacity != nil {
		t.capacity.addWrites(*out.ConsumedCapacity)
	}
	return t.translate(operation, failure)
}

// AdvanceSweep sends one PutItem on condition that no low watermark is stored, or an
// earlier one.
func (t *Table) AdvanceSweep(ctx context.Context, shard int, through model.Time) (storage.WriteResult, error) {
	x := newExpression()
	condition := x.absent() + " OR " + x.name(tablekeys.AttrAt) + " < " + x.text(through.String())
	result, _, err := t.putItem(ctx, "advance low watermark in", item.FromLowWatermark(shard, through), x, condition)
	return result, err
}

// Sweeps sends one Query for the low watermarks of all queue shards. It is strongly
// consistent, although an earlier watermark would be valid too: it is read rarely.
func (t *Table) Sweeps(ctx context.Context) (entity.LowWatermarks, error) {
	items, _, err := t.Partition(ctx, tablekeys.JobSweep, keys.Key{})
	return table.LowWatermarks(items, err)
}
