package itemop

import (
	"context"
	"fmt"
	"iter"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Lister reads one page of a partition or of an index partition.
type Lister interface {
	List(ctx context.Context, l ListRequest) (ListPage, error)
}

// RangeRequest returns the request of a page of the items of a series whose sort keys are from lo
// to hi. It returns an error for a position outside them.
func RangeRequest(r *storage.Range, lo, hi string) (ListRequest, error) {
	l := ListRequest{Partition: keys.Partition(r.Series), From: lo, To: hi, Newest: r.Newest, Limit: r.Limit,
		Eventual: !r.Consistent}
	if r.After != "" {
		if r.After < lo || r.After > hi {
			return l, fmt.Errorf(
				"position %.120q is outside the range: pass Next of the previous page, with the same range", r.After)
		}
		l.After.Key = keys.Key{PK: l.Partition, SK: r.After}
	}
	return l, nil
}

// Items returns an iterator over the items of all pages of a request, from l.After on. An
// error comes last, with no item.
func Items(ctx context.Context, from Lister, l ListRequest) iter.Seq2[item.Item, error] {
	return paging.ItemsAfter(l.After, readList(ctx, from, l))
}

// Pages returns an iterator over the pages of a request, from l.After on. An error comes last, with no page.
func Pages(ctx context.Context, from Lister, l ListRequest) iter.Seq2[[]item.Item, error] {
	return paging.Pages(l.After, readList(ctx, from, l))
}

func readList(ctx context.Context, from Lister, l ListRequest) paging.Read[item.Item, Position] {
	return func(after Position) ([]item.Item, Position, error) {
		l.After = after
		page, err := from.List(ctx, l)
		return page.Items, page.Next, err
	}
}

// Decode returns what an item that was read stores: nil if there is no item, and err if it could not be read.
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

// Share is item.ShareOrBare for Decode.
func Share(it item.Item) (rollup.Row, error) {
	row, _ := item.ShareOrBare(it)
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
