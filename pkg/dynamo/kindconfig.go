package dynamo

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
)

// KindConfig sends one consistent GetItem for the configuration of a kind that the table
// was written under; nil if none was applied.
func (t *Table) KindConfig(ctx context.Context, kind string) (*entity.KindConfig, error) {
	it, err := t.GetItem(ctx, tablekeys.KindConfig(kind))
	return table.Decode(it, err, item.KindConfig)
}

// PutKindConfig sends one PutItem on condition that the stored revision is prev; the zero
// prev requires that none is stored.
func (t *Table) PutKindConfig(ctx context.Context, c entity.KindConfig, prev [16]byte) (storage.WriteResult, error) {
	x := newExpression()
	var condition string
	if prev == ([16]byte{}) {
		condition = x.absent()
	} else {
		condition = x.name(tablekeys.AttrRev) + " = " + x.value(item.Value{Type: item.B, B: prev[:]})
	}
	result, _, err := t.putItem(ctx, "put the configuration into", item.FromKindConfig(&c), x, condition)
	return result, err
}
