package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// ReadRows reads up to 100 rows by one BatchGetItem, each strongly consistent. The map has
// every key whose row was read, with nil if there is none. It omits keys that DynamoDB
// did not process because of throttling or the size of the response.
func (t *Table) ReadRows(ctx context.Context, all []rollup.Key) (map[rollup.Key]*rollup.Row, error) {
	wanted := make([]map[string]types.AttributeValue, len(all))
	unread := make(map[keys.Key]rollup.Key, len(all))
	for i, key := range all {
		k := keys.Row(key)
		wanted[i], unread[k] = primary(k), key
	}
	out, err := t.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
		RequestItems:           map[string]types.KeysAndAttributes{t.name: {Keys: wanted, ConsistentRead: new(true)}},
		ReturnConsumedCapacity: t.capacity.returnMode(),
	})
	if err != nil {
		return nil, t.failed("read rollups", err)
	}
	for i := range out.ConsumedCapacity {
		t.capacity.addReads(&out.ConsumedCapacity[i])
	}
	rows := make(map[rollup.Key]*rollup.Row, len(all))
	for _, items := range out.Responses {
		for _, attributes := range items {
			it := decodeItem(attributes)
			row, _ := item.RowOrBare(it) // the requested key is a row's
			rows[unread[it.Key()]] = &row
			delete(unread, it.Key())
		}
	}
	for _, left := range out.UnprocessedKeys {
		for _, k := range left.Keys {
			delete(unread, decodeItem(k).Key())
		}
	}
	for _, absent := range unread {
		rows[absent] = nil
	}
	return rows, nil
}
