package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// ReadRows reads up to 100 rows by one BatchGetItem, each strongly consistent. The map has
// every key whose row was read, with nil if there is none. It omits keys that DynamoDB
// did not process because of throttling or the size of the response.
func (t *Table) ReadRows(ctx context.Context, all []rollup.Key) (map[rollup.Key]*rollup.Row, error) {
	items, err := t.readMany(ctx, "read rollups", lists.Map(all, keys.Row), true)
	if err != nil {
		return nil, err
	}
	rows := make(map[rollup.Key]*rollup.Row, len(all))
	for _, key := range all {
		switch it, read := items[keys.Row(key)]; {
		case it != nil:
			row, _ := item.RowOrBare(it) // the requested key is a row's
			rows[key] = &row
		case read:
			rows[key] = nil
		}
	}
	return rows, nil
}

// readMany sends one BatchGetItem.
func (t *Table) readMany(
	ctx context.Context, operation string, these []keys.Key, consistent bool,
) (map[keys.Key]item.Item, error) {
	out, err := t.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{
			t.name: {Keys: lists.Map(these, primary), ConsistentRead: &consistent},
		},
		ReturnConsumedCapacity: t.capacity.returnMode(),
	})
	if err != nil {
		return nil, t.failed(operation, err)
	}
	for i := range out.ConsumedCapacity {
		t.capacity.addReads(&out.ConsumedCapacity[i])
	}
	items := make(map[keys.Key]item.Item, len(these))
	for _, k := range these {
		items[k] = nil
	}
	for _, left := range out.UnprocessedKeys {
		for _, k := range left.Keys {
			delete(items, decodeItem(k).Key())
		}
	}
	for _, found := range out.Responses {
		for _, attributes := range found {
			it := decodeItem(attributes)
			items[it.Key()] = it
		}
	}
	return items, nil
}

// writeMany sends one BatchWriteItem.
func (t *Table) writeMany(
	ctx context.Context, operation string, these []itemop.Action,
) (left []keys.Key, result storage.WriteResult, err error) {
	all := lists.Map(these, func(a itemop.Action) keys.Key { return a.Key })
	if err := t.checkContext(ctx, operation); err != nil {
		return all, storage.Unknown, err
	}
	requests := make([]types.WriteRequest, len(these))
	for i, a := range these {
		if a.Delete {
			requests[i].DeleteRequest = &types.DeleteRequest{Key: primary(a.Key)}
			continue
		}
		if err := storable(a.Put); err != nil {
			return all, storage.Unknown, t.failed(operation, fmt.Errorf("item %d: %w", i, err))
		}
		requests[i].PutRequest = &types.PutRequest{Item: attributes(a.Put)}
	}
	out, failure := t.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems:           map[string][]types.WriteRequest{t.name: requests},
		ReturnConsumedCapacity: t.capacity.returnMode(),
	}, noRetry)
	if failure != nil {
		result, err := t.translate(operation, failure)
		return all, result, err
	}
	t.capacity.addWrites(out.ConsumedCapacity...)
	for _, r := range out.UnprocessedItems[t.name] {
		switch {
		case r.DeleteRequest != nil:
			left = append(left, decodeItem(r.DeleteRequest.Key).Key())
		case r.PutRequest != nil:
			left = append(left, decodeItem(r.PutRequest.Item).Key())
		}
	}
	return left, storage.Written, nil
}
