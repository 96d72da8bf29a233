package timeseries

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"time"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrUnreadable is the error of an event that is stored but cannot be decoded. The
// value beside it has the event's key; the iteration goes on behind it.
var ErrUnreadable = errors.New("the stored event cannot be decoded")

// Key names a series of the kind.
type Key struct {
	Subject string // the subject's id
	Stream  string // "" for the events without one
}

func (e *Events[T]) series(key Key) query.Series {
	return query.Series{Kind: e.kind, Subject: key.Subject, Stream: key.Stream}
}

// Current reads the latest state of a series, enrichment included; nil where nothing
// was appended yet. The error is query.ErrNoCurrent where the kind keeps none.
func (e *Events[T]) Current(ctx context.Context, key Key, opts ...ReadOption) (*T, error) {
	r, err := e.reading(opts, currentTakes)
	if err != nil {
		return nil, err
	}
	current, err := e.out.Current(ctx, e.series(key), r.consistent)
	if err != nil || current == nil {
		return nil, err
	}
	return e.current(current)
}

func (e *Events[T]) current(c *model.Current) (*T, error) {
	if c == nil {
		return nil, nil
	}
	v := new(T)
	if err := e.model.set(reflect.ValueOf(v).Elem(), c.Series, c.Order, c.Attrs); err != nil {
		return nil, fmt.Errorf("read current of %w", err)
	}
	return v, nil
}

// Currents reads one page of the currents of the kind, of all subjects and streams,
// that have these values of the fields by which an index of the kind finds them, in
// the order of the index. It may be some moments behind. The error is
// query.ErrNotIndexed where the kind declares no such index.
func (e *Events[T]) Currents(ctx context.Context, by []string, opts ...ReadOption) (Page[T], error) {
	r, err := e.reading(opts, currentsTakes)
	if err != nil {
		return Page[T]{}, err
	}
	found, err := e.out.Currents(ctx, query.Currents{Kind: e.kind, Index: r.index, By: by, Limit: r.limit, Cursor: r.after})
	if err != nil {
		return Page[T]{}, err
	}
	page := Page[T]{Entries: make([]Entry[T], len(found.Currents)), Next: found.Next}
	for i := range found.Currents {
		entry := &page.Entries[i]
		c := &found.Currents[i]
		entry.Err = e.model.set(reflect.ValueOf(&entry.Value).Elem(), c.Series, c.Order, c.Attrs)
	}
	return page, nil
}

// History reads the events of a series, page after page as the loop goes on, oldest
// first unless told otherwise. An event that T cannot hold comes with an error and
// the loop may go on; after any other error it ends.
func (e *Events[T]) History(ctx context.Context, key Key, opts ...ReadOption) iter.Seq2[T, error] {
	r, mistake := e.reading(opts, historyTakes)
	return func(yield func(T, error) bool) {
		var v T
		if mistake != nil {
			yield(v, mistake)
			return
		}
		for event, err := range e.out.EachEvent(ctx, r.history(e.series(key))) {
			v = *new(T)
			if err == nil {
				v, err = e.event(&event)
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// Entry is one event, or current, of a page; where T cannot hold it, Err says why and Value has its
// key.
type Entry[T any] struct {
	Value T
	Err   error
}

// Page is one page of a history, or of currents.
type Page[T any] struct {
	Entries []Entry[T]
	Next    string // goes on behind this page, by After; "" at the end
	// WholeFrom is the time from which on no event can have expired; zero of currents,
	// which never do.
	WholeFrom time.Time
}

// Page reads one page of the events of a series, by one Query. It may be shorter than
// its limit, even empty, before the end: only Next tells whether there is more. Where
// there is, the kind must have been opened WithCursorKey.
func (e *Events[T]) Page(ctx context.Context, key Key, opts ...ReadOption) (Page[T], error) {
	r, err := e.reading(opts, pageTakes)
	if err != nil {
		return Page[T]{}, err
	}
	found, err := e.out.History(ctx, r.history(e.series(key)))
	if err != nil {
		return Page[T]{}, err
	}
	page := Page[T]{Entries: make([]Entry[T], len(found.Events)), Next: found.Next, WholeFrom: found.WholeFrom.Time()}
	for i := range found.Events {
		page.Entries[i].Value, page.Entries[i].Err = e.event(&found.Events[i])
	}
	return page, nil
}

// Count counts the events of a series by reading them.
func (e *Events[T]) Count(ctx context.Context, key Key, opts ...ReadOption) (query.Counted, error) {
	r, err := e.reading(opts, countTakes)
	if err != nil {
		return query.Counted{}, err
	}
	return e.out.Count(ctx, r.history(e.series(key)))
}

func (e *Events[T]) event(stored *model.Event) (v T, err error) {
	err = e.model.set(reflect.ValueOf(&v).Elem(), stored.Series, stored.Order, stored.Attrs)
	switch {
	case err != nil:
		return v, fmt.Errorf("read event %s of %w", stored.At, err)
	case stored.Unreadable:
		return v, fmt.Errorf("read event %s of %s: %w", stored.At, stored.Series, ErrUnreadable)
	}
	return v, nil
}
