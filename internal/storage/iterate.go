package storage

import (
	"context"
	"iter"

	"github.com/tidemark-db/tidemark/internal/pages"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// EventReader reads one page of the events of a Range.
type EventReader interface {
	Events(ctx context.Context, r Range) (EventPage, error)
}

// Events returns an iterator over the events of a range, from r.After on. It reads page after
// page. An error comes last, with no event.
func Events(ctx context.Context, from EventReader, r Range) iter.Seq2[model.Event, error] {
	return pages.ItemsAfter(r.After, func(after string) ([]model.Event, string, error) {
		r.After = after
		page, err := from.Events(ctx, r)
		return page.Events, page.Next, err
	})
}
