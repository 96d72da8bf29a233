package table

import (
	"context"
	"iter"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/pages"
)

// Items returns an iterator over the items of all pages of a request, from l.After on. An
// error comes last, with no item.
func Items(ctx context.Context, from Lister, l ListRequest) iter.Seq2[item.Item, error] {
	return pages.ItemsAfter(l.After, readList(ctx, from, l))
}

// Pages returns an iterator over the pages of a request, from l.After on. An error comes
// last, with no page.
func Pages(ctx context.Context, from Lister, l ListRequest) iter.Seq2[[]item.Item, error] {
	return pages.Pages(l.After, readList(ctx, from, l))
}

func readList(ctx context.Context, from Lister, l ListRequest) pages.Read[item.Item, Position] {
	return func(after Position) ([]item.Item, Position, error) {
		l.After = after
		page, err := from.List(ctx, l)
		return page.Items, page.Next, err
	}
}
