package itemstore

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// LatestBy reads one page of the latest items that an index finds by fields.
func (s Items) LatestBy(ctx context.Context, q storage.LatestIndexQuery) (storage.LatestPage, error) {
	request, err := latestRequest(q)
	if err != nil {
		return storage.LatestPage{}, err
	}
	page, err := s.store.Page(ctx, "list", &request)
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

func latestRequest(q storage.LatestIndexQuery) (table.ListRequest, error) {
	l := table.ListRequest{
		Index: q.Index, Partition: tablekeys.LatestEntryPartition(q.Kind, q.Values), Prefix: tablekeys.LatestEntryPrefix(q.SortPrefix),
		Newest: q.Descending, Limit: q.Limit,
	}
	if q.After == "" {
		return l, nil
	}
	subject, stream, err := tablekeys.ParseLatestEntry(q.After, q.SortFields)
	if err != nil {
		return table.ListRequest{}, fmt.Errorf("position of a page of latest items: %w", err)
	}
	series := model.Series{Subject: model.Subject{Type: q.SubjectType, ID: subject}, Kind: q.Kind, Stream: stream}
	l.After = table.Position{Key: keys.Latest(series), Sort: q.After}
	return l, nil
}
