package table

import (
	"context"
	"fmt"
	"iter"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/pages"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Lister reads one page of a partition or of an index partition.
type Lister interface {
	List(ctx context.Context, l ListRequest) (ListPage, error)
}

// ListLatest reads one page of the latest items that an index finds by fields.
func ListLatest(ctx context.Context, from Lister, q storage.LatestIndexQuery) (storage.LatestPage, error) {
	request, err := latestRequest(q)
	if err != nil {
		return storage.LatestPage{}, err
	}
	page, err := from.List(ctx, request)
	if err != nil {
		return storage.LatestPage{}, err
	}
	found := storage.LatestPage{Items: make([]model.Latest, len(page.Items)), Next: page.Next.Sort}
	for i, it := range page.Items {
		if found.Items[i], err = item.Latest(it); err != nil {
			return storage.LatestPage{}, err
		}
	}
	return found, nil
}

func latestRequest(q storage.LatestIndexQuery) (ListRequest, error) {
	l := ListRequest{
		Index: q.Index, Partition: tablekeys.LatestEntryPartition(q.Kind, q.Values), Prefix: tablekeys.LatestEntryPrefix(q.SortPrefix),
		Newest: q.Descending, Limit: q.Limit,
	}
	if q.After == "" {
		return l, nil
	}
	subject, stream, err := tablekeys.ParseLatestEntry(q.After, q.SortFields)
	if err != nil {
		return ListRequest{}, fmt.Errorf("position of a page of latest items: %w", err)
	}
	series := model.Series{Subject: model.Subject{Type: q.SubjectType, ID: subject}, Kind: q.Kind, Stream: stream}
	l.After = Position{Key: keys.Latest(series), Sort: q.After}
	return l, nil
}

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
