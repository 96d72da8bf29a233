package dynamo

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

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
