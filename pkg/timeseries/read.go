package timeseries

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/query"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ErrUnreadable is the error of an event that is stored but cannot be decoded. The
// value beside it has the event's key; the iteration goes on behind it.
var ErrUnreadable = errors.New("the stored event cannot be decoded")

// Key names a series of the kind.
type Key struct {
	Subject string // the subject's id
	Stream  string // "" for the events without one
}

// Rollup is what the table says of one bucket: its measures, whether it is still
// open, and whether it is exact.
type Rollup = query.Rollup

// ReadOption narrows or turns a reading.
type ReadOption func(*reading)

type reading struct {
	from, to   model.Time
	newest     bool
	limit      int
	consistent bool
}

// In reads the half-open range [from, to): events by event time, rollups by the
// start of their bucket. Without it everything is read.
func In(from, to time.Time) ReadOption {
	return func(r *reading) { r.from, r.to = firstMilli(from), firstMilli(to) }
}

// Newest reads newest first; the default is oldest first.
func Newest() ReadOption { return func(r *reading) { r.newest = true } }

// Limit reads n at most.
func Limit(n int) ReadOption { return func(r *reading) { r.limit = n } }

// Consistent reads what every write before has left, at twice the cost.
func Consistent() ReadOption { return func(r *reading) { r.consistent = true } }

func readingOf(opts []ReadOption) reading {
	r := reading{from: model.MinTime, to: model.MaxTime + 1}
	for _, opt := range opts {
		opt(&r)
	}
	return r
}

// firstMilli is the first whole millisecond not before t: stored times are whole
// milliseconds, so a range between two of them holds the same events. What no stored
// time can be is cut to the ends of time.
func firstMilli(t time.Time) model.Time {
	at := model.TimeOf(t)
	switch {
	case t.Before(model.MinTime.Time()):
		return model.MinTime
	case t.After(model.MaxTime.Time()):
		return model.MaxTime + 1
	case at.Time().Before(t):
		return at + 1
	}
	return at
}

// Current reads the latest state of a series, enrichment included; nil where nothing
// was appended yet. The error is query.ErrNoCurrent where the kind keeps none.
func (e *Events[T]) Current(ctx context.Context, key Key, opts ...ReadOption) (*T, error) {
	current, err := e.out.Current(ctx, e.series(key), readingOf(opts).consistent)
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

// History reads the events of a series, page after page as the loop goes on, oldest
// first unless told otherwise. An event that T cannot hold comes with an error and
// the loop may go on; after any other error it ends.
func (e *Events[T]) History(ctx context.Context, key Key, opts ...ReadOption) iter.Seq2[T, error] {
	r := readingOf(opts)
	events := e.out.EachEvent(ctx, query.History{
		Series: e.series(key), From: r.from, To: r.to,
		Newest: r.newest, Limit: r.limit, Consistent: r.consistent,
	})
	return func(yield func(T, error) bool) {
		for event, err := range events {
			var v T
			if err == nil {
				v, err = e.event(&event)
			}
			if !yield(v, err) {
				return
			}
		}
	}
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

// Rollups reads the rollups of a series in one tier, oldest first unless told
// otherwise. A bucket without events has none. The error is query.ErrNoTier where
// the kind's ladder lacks the unit.
func (e *Events[T]) Rollups(ctx context.Context, key Key, unit tier.Unit, opts ...ReadOption) ([]Rollup, error) {
	r := readingOf(opts)
	var found []Rollup
	for rollup, err := range e.out.EachRollup(ctx, query.Rollups{
		Series: e.series(key), Unit: unit, From: r.from, To: r.to,
		Newest: r.newest, Limit: r.limit, Consistent: r.consistent,
	}) {
		if err != nil {
			return nil, err
		}
		found = append(found, rollup)
	}
	return found, nil
}

func (e *Events[T]) series(key Key) query.Series {
	return query.Series{Kind: e.kind, Subject: key.Subject, Stream: key.Stream}
}
