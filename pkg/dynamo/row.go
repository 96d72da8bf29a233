package dynamo

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Row reads one row, strongly consistent; nil where there is none.
func (t *Table) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	it, err := t.getItem(ctx, "read rollup from", keys.Row(key), true)
	if err != nil || it == nil {
		return nil, err
	}
	row, _ := item.RowOrBare(it) // the key is the one that was asked for
	return &row, nil
}

// PutRow replaces the whole item, on condition that the stored rev is prev, or that
// there is no item.
func (t *Table) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (model.Answer, error) {
	it, err := item.FromRow(row)
	if err != nil {
		return model.Uncertain, err
	}
	x := newExpression()
	condition := x.free()
	if prev != (rollup.Rev{}) {
		x = newExpression()
		condition = x.name(keys.AttrRev) + " = " + x.value(item.Value{Type: item.B, B: prev[:]})
	}
	answer, _, err := t.putItem(ctx, "put rollup into", it, x, condition)
	return answer, err
}
