package memory

import (
	"bytes"
	"context"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
)

// KindConfig reads the configuration of a kind that the table was written under; nil if
// none was applied.
func (t *Table) KindConfig(ctx context.Context, kind string) (*entity.KindConfig, error) {
	it, err := t.read(ctx, "read the configuration", tablekeys.KindConfig(kind), true)
	return table.Decode(it, err, item.KindConfig)
}

// PutKindConfig stores c on condition that the stored revision is prev; the zero prev
// requires that none is stored.
func (t *Table) PutKindConfig(ctx context.Context, c entity.KindConfig, prev [16]byte) (storage.WriteResult, error) {
	it := item.FromKindConfig(&c)
	result, _, err := t.writeOne(ctx, "put the configuration", action{key: it.Key(), change: replaceWith(it), condition: func(old item.Item) bool {
		if prev == ([16]byte{}) {
			return old == nil
		}
		return bytes.Equal(old[tablekeys.AttrRev].B, prev[:])
	}})
	return result, err
}
