package lifecycle

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Currents reads one page of the currents that an index finds by fields, as any other page
// of a table's indexes.
func Currents(ctx context.Context, from Reader, r model.ByFields) (model.CurrentPage, error) {
	listing, err := currentsListing(r)
	if err != nil {
		return model.CurrentPage{}, err
	}
	page, err := from.List(ctx, listing)
	if err != nil {
		return model.CurrentPage{}, err
	}
	found := model.CurrentPage{Currents: make([]model.Current, len(page.Items)), Next: page.Next.Sort}
	for i, it := range page.Items {
		if found.Currents[i], err = item.Current(it); err != nil {
			return model.CurrentPage{}, err
		}
	}
	return found, nil
}

// currentsListing is the page of an index that r asks for.
func currentsListing(r model.ByFields) (Listing, error) {
	l := Listing{
		Index: r.Index, Partition: keys.CurrentsPartition(r.Kind, r.By), Prefix: keys.CurrentsPrefix(r.First),
		Newest: r.Backwards, Limit: r.Limit,
	}
	if r.After == "" {
		return l, nil
	}
	subject, stream, err := keys.ParseCurrentEntry(r.After, r.Order)
	if err != nil {
		return Listing{}, fmt.Errorf("position of a page of currents: %w", err)
	}
	series := model.Series{Subject: model.Subject{Type: r.SubjectType, ID: subject}, Kind: r.Kind, Stream: stream}
	l.After = Place{Key: keys.Current(series), Sort: r.After}
	return l, nil
}
