package sessions

import (
	"context"
	"iter"
	"time"

	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Read adds the events of stored series, which it merges in order, until no later event
// changes the folds. It reads one gap at a time after the range, so that it reads little
// beyond the end of the last session.
func (f *Folder) Read(ctx context.Context, store storage.EventReader, sources []model.Series, consistent bool) error {
	for from, to := f.Start(), f.to; !f.Ended(from); from, to = to, to.Add(f.rule().Gap) {
		for e, err := range Events(ctx, store, sources, storage.Range{From: from, To: to, Consistent: consistent}) {
			if err != nil {
				return err
			}
			f.Add(&e)
		}
	}
	return nil
}

// Events returns the events of a range of several stored series, in order of time and id. An
// error comes last, with no event.
func Events(ctx context.Context, store storage.EventReader, sources []model.Series, r storage.Range) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		var heads []*head
		for _, s := range sources {
			r.Series = s
			next, stop := iter.Pull2(storage.Events(ctx, store, r))
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

// Walk is where the chain of a key around a time begins and goes on: the first event of the
// chain, and the next event within one gap; ok is false where there is none.
type Walk struct {
	First, Next       model.Time
	HasFirst, HasNext bool
}

// Chains are times of events by key, in ascending order.
type Chains map[string][]model.Time

// Around returns the walk from a time along the chain of a key.
func (c Chains) Around(key string, at model.Time, gap time.Duration) (w Walk) {
	back := at
	for i := len(c[key]) - 1; i >= 0; i-- {
		if t := c[key][i]; t > at {
			w.Next, w.HasNext = t, t <= at.Add(gap)
		} else if t < back && t.Add(gap) >= back {
			w.First, w.HasFirst, back = t, true, t
		}
	}
	return w
}
