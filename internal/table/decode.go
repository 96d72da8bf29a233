package table

import (
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Decode returns what an item that was read stores: nil if there is no item, and err if it could
// not be read.
func Decode[T any](it item.Item, err error, decode func(item.Item) (T, error)) (*T, error) {
	if err != nil || it == nil {
		return nil, err
	}
	v, err := decode(it)
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// Row is item.RowOrBare for Decode: the item has the key of a row.
func Row(it item.Item) (rollup.Row, error) {
	row, _ := item.RowOrBare(it)
	return row, nil
}

// DecodeAll returns what items store. It skips those that decode rejects.
func DecodeAll[T any](items []item.Item, decode func(item.Item) (T, error)) []T {
	all := make([]T, 0, len(items))
	for _, it := range items {
		if v, err := decode(it); err == nil {
			all = append(all, v)
		}
	}
	return all
}
