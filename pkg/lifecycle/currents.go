package lifecycle

import (
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// CurrentsListing is the page of an index that r asks for. Tables read it as any other.
func CurrentsListing(r model.ByFields) (Listing, error) {
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

// CurrentsOf is what such a page holds.
func CurrentsOf(page ListPage) (model.CurrentPage, error) {
	found := model.CurrentPage{Currents: make([]model.Current, len(page.Items)), Next: page.Next.Sort}
	for i, it := range page.Items {
		var err error
		if found.Currents[i], err = item.Current(it); err != nil {
			return model.CurrentPage{}, err
		}
	}
	return found, nil
}
