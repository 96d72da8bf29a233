package storage

import (
	"context"
	"iter"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// EventsOf returns the events of a range of several stored series, in order of time and id. An
// error comes last, with no event.
func EventsOf(ctx context.Context, from EventReader, sources []model.Series, r Range) iter.Seq2[model.Event, error] {
	if len(sources) == 1 {
		r.Series = sources[0]
		return Events(ctx, from, r)
	}
	return func(yield func(model.Event, error) bool) {
		var heads []*head
		for _, s := range sources {
			r.Series = s
			next, stop := iter.Pull2(Events(ctx, from, r))
			defer stop()
			if h := (&head{next: next}); h.advance() {
				heads = append(heads, h)
			}
		}
		for len(heads) > 0 {
			first := 0
			for i, h := range heads {
				if h.err != nil || heads[first].err == nil && h.event.Before(heads[first].event.Order) {
					first = i
				}
			}
			h := heads[first]
			if !yield(h.event, h.err) || h.err != nil {
				return
			}
			if !h.advance() {
				heads = append(heads[:first], heads[first+1:]...)
			}
		}
	}
}

// head is the next event of one series.
type head struct {
	next  func() (model.Event, error, bool)
	event model.Event
	err   error
}

// advance reports whether there is a next event, or an error.
func (h *head) advance() (ok bool) {
	h.event, h.err, ok = h.next()
	return ok
}
