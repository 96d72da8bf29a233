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
		return nil, fmt.Errorf("read rollups from %s: %w", t.name, advise(err))
	}
	for i := range out.ConsumedCapacity {
		t.capacity.addReads(&out.ConsumedCapacity[i])
	}
	rows := make(map[rollup.Key]*rollup.Row, len(all))
	for _, items := range out.Responses {
		for _, attributes := range items {
			it := itemOf(attributes)
			row, _ := item.RowOrBare(it) // the requested key is a row's
			rows[unread[it.Key()]] = &row
			delete(unread, it.Key())
		}
	}
	for _, left := range out.UnprocessedKeys {
		for _, k := range left.Keys {
			delete(unread, itemOf(k).Key())
		}
	}
	for _, absent := range unread {
		rows[absent] = nil
	}
	return rows, nil
}

// Row reads one row, strongly consistent; nil if there is none.
func (t *Table) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	it, err := t.getItem(ctx, "read rollup from", keys.Row(key), true)
	return table.Decode(it, err, table.Row)
}

// PutRow replaces the complete row on condition that the stored revision is prev; for the
// zero Rev, that there is no row.
func (t *Table) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	it, err := item.FromRow(row)
	if err != nil {
		return storage.Unknown, err
	}
	x := newExpression()
	condition := x.absent()
	if prev != (rollup.Rev{}) {
		x = newExpression()
		condition = x.name(tablekeys.AttrRev) + " = " + x.value(item.Value{Type: item.B, B: prev[:]})
	}
	result, _, err := t.putItem(ctx, "put rollup into", it, x, condition)
	return result, err
}
