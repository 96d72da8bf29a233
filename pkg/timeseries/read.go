package timeseries

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrUnreadable is the error of a stored event that cannot be decoded. The value that comes
// with it has only the event's key. The iteration continues after it.
var ErrUnreadable = errors.New("the stored event cannot be decoded")

// Key identifies a series of the kind.
type Key struct {
	Subject string // the subject's id
	Stream  string // "" for events without a stream
}

// Listed is a series that had an event. First and Last are the beginnings of the hours with its
// first and its newest event; of the days, for kinds with immediate hours.
type Listed struct {
	Key
	First, Last time.Time
}

// Series returns an iterator over the series of a subject, or of all subjects if it is "", sorted by
// subject and stream. The function that keeps the rollups lists a series when its first event is processed:
// see Progress.
func (e *Events[T]) Series(ctx context.Context, subject string) iter.Seq2[Listed, error] {
	kind := e.listedKind()
	return func(yield func(Listed, error) bool) {
		if _, err := e.kindOfTable(ctx); err != nil {
			yield(Listed{}, err)
			return
		}
		for l, err := range e.query.EachSeries(ctx,
			query.SeriesList{Subject: model.Subject{Type: e.declared.Subject.Name, ID: subject}}) {
			if err == nil && l.Series.Kind != kind {
				continue
			}
			if !yield(Listed{
				Key: Key{l.Series.Subject.ID, l.Series.Stream}, First: l.First.Time(), Last: l.Last.Time(),
			}, err) {
				return
			}
		}
	}
}

// listedKind returns the kind in the list of series: sessions have the series of their events.
func (e *Events[T]) listedKind() string {
	if e.declared.Sessions != nil {
		return e.declared.Sessions.Of
	}
	return e.declared.Name
}

func (e *Events[T]) series(key Key) query.Series {
	return query.Series{Kind: e.declared, Subject: key.Subject, Stream: key.Stream}
}

// Latest reads the latest item of a series, enrichment included; nil if nothing was appended
// yet. The error is ErrNoLatest if the kind stores none.
func (e *Events[T]) Latest(ctx context.Context, key Key, opts ...LatestOption) (*T, error) {
	r, err := newReadOptions(e.layout, opts)
	if err != nil {
		return nil, err
	}
	series, err := e.seriesOfTable(ctx, key)
	if err != nil {
		return nil, err
	}
	latest, err := e.query.Latest(ctx, series, r.consistent)
	if err != nil || latest == nil {
		return nil, err
	}
	return e.decodeLatest(latest)
}

func (e *Events[T]) decodeLatest(c *model.Latest) (*T, error) {
	if c == nil {
		return nil, nil
	}
	v := new(T)
	if err := e.layout.setLatest(reflect.ValueOf(v).Elem(), c); err != nil {
		return nil, fmt.Errorf("read latest item of %w", err)
	}
	return v, nil
}

// LatestBy reads one page of the kind's latest items, of all subjects and streams, whose
// indexed fields have the given values, in the order of the index. It may lag behind by
// moments. The error is ErrNotIndexed if the kind does not declare the index.
func (e *Events[T]) LatestBy(ctx context.Context, values []string, opts ...LatestByOption) (Page[T], error) {
	r, err := newReadOptions(e.layout, opts)
	if err != nil {
		return Page[T]{}, err
	}
	kind, err := e.kindOfTable(ctx)
	if err != nil {
		return Page[T]{}, err
	}
	found, err := e.query.LatestBy(ctx,
		query.LatestBy{Kind: kind, Index: r.index, Values: values, Limit: r.limit, Cursor: r.after})
	if err != nil {
		return Page[T]{}, err
	}
	page := Page[T]{Entries: make([]Entry[T], len(found.Items)), Next: found.Next}
	for i := range found.Items {
		entry := &page.Entries[i]
		c := &found.Items[i]
		entry.Err = e.layout.setLatest(reflect.ValueOf(&entry.Value).Elem(), c)
	}
	return page, nil
}

// History returns an iterator over the events of a series, oldest first by default. It reads
// page after page. An event that T cannot hold comes with an error and the iteration may
// continue; after any other error it ends. Events expire: WholeFrom says of a range how far it is whole.
func (e *Events[T]) History(ctx context.Context, key Key, opts ...HistoryOption) iter.Seq2[T, error] {
	return e.MergedHistory(ctx, []Key{key}, opts...)
}

// MergedHistory is History of several series, merged in order: streams of a subject, or subjects. Events of
// equal time and id come in the order of keys. The error is ErrTooWide for more than 512 series.
func (e *Events[T]) MergedHistory(ctx context.Context, keys []Key, opts ...HistoryOption) iter.Seq2[T,
	error] {
	r, err := newReadOptions(e.layout, opts)
	if err != nil {
		return paging.Fail[T](err)
	}
	return func(yield func(T, error) bool) {
		kind, err := e.kindOfTable(ctx)
		if err != nil {
			yield(*new(T), err)
			return
		}
		of := lists.Map(keys, func(k Key) query.Series {
			return query.Series{Kind: kind, Subject: k.Subject, Stream: k.Stream}
		})
		for event, err := range e.query.EachMerged(ctx, r.history(query.Series{}), of) {
			var v T
			if err == nil {
				v, err = e.decodeEvent(&event)
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// Entry is one event or latest item of a page. If T cannot hold it, Err says why and Value has only its key.
type Entry[T any] struct {
	Value T
	Err   error
}

// Page is one page of events or latest items.
type Page[T any] struct {
	Entries []Entry[T]
	Next    string // continues after this page, by After; "" for the last page
	// CompleteFrom is the time from which on no event can have expired. It is zero for
	// latest items, which never expire. WholeFrom of the range tells more.
	CompleteFrom time.Time
}

// Page reads one page of the events of a series by one Query for each shard. It may be
// shorter than its limit, even empty, before the last page: check Next.
func (e *Events[T]) Page(ctx context.Context, key Key, opts ...PageOption) (Page[T], error) {
	r, err := newReadOptions(e.layout, opts)
	if err != nil {
		return Page[T]{}, err
	}
	series, err := e.seriesOfTable(ctx, key)
	if err != nil {
		return Page[T]{}, err
	}
	found, err := e.query.History(ctx, r.history(series))
	if err != nil {
		return Page[T]{}, err
	}
	page := Page[T]{Entries: make([]Entry[T], len(found.Events)), Next: found.Next,
		CompleteFrom: found.CompleteFrom.Time()}
	for i := range found.Events {
		page.Entries[i].Value, page.Entries[i].Err = e.decodeEvent(&found.Events[i])
	}
	return page, nil
}

// EventCount is the result of Count.
type EventCount struct {
	Events     int64 // that meet Where
	Unreadable int64 // beside Events: they cannot be decoded
	// WholeFrom is the time from which on all events of the range are counted: earlier ones may have expired.
	// It is zero if none of the range can have.
	WholeFrom time.Time
}

// Count counts the events of a series by reading them.
func (e *Events[T]) Count(ctx context.Context, key Key, opts ...CountOption) (EventCount, error) {
	r, err := newReadOptions(e.layout, opts)
	if err != nil {
		return EventCount{}, err
	}
	series, err := e.seriesOfTable(ctx, key)
	if err != nil {
		return EventCount{}, err
	}
	q := r.history(series)
	n, err := e.query.Count(ctx, q)
	if err != nil {
		return EventCount{}, err
	}
	from, err := e.wholeFrom(ctx, q)
	return EventCount{Events: n.Events, Unreadable: n.Unreadable, WholeFrom: from}, err
}

// WholeFrom returns the time from which on a history has every event of its range that was not deleted:
// earlier ones may have expired. It is zero if none of the range can have. So an empty History from a later
// time on had no events, and what an earlier one lacks is not known.
func (e *Events[T]) WholeFrom(ctx context.Context, key Key, opts ...CountOption) (time.Time, error) {
	r, err := newReadOptions(e.layout, opts)
	if err != nil {
		return time.Time{}, err
	}
	series, err := e.seriesOfTable(ctx, key)
	if err != nil {
		return time.Time{}, err
	}
	return e.wholeFrom(ctx, r.history(series))
}

func (e *Events[T]) wholeFrom(ctx context.Context, q query.History) (time.Time, error) {
	at, err := e.query.WholeFrom(ctx, q)
	return at.Time(), err // model.MinTime is the zero time
}

// Progress returns how far the changes of the table are processed. Series, alerts and rollups follow an event
// when it is processed: that they do not have one is known until ProcessedThrough, outside of Unprocessed.
func (e *Events[T]) Progress(ctx context.Context) (Progress, error) {
	if _, err := e.kindOfTable(ctx); err != nil {
		return Progress{}, err
	}
	return e.query.StreamProgress(ctx)
}

// Decode returns a stored event as a value of T. A value whose error is not nil has only the event's key. It
// sends no request: package changes decodes records of the table stream with it.
func (e *Events[T]) Decode(stored model.Event) (T, error) { return e.decodeEvent(&stored) }

func (e *Events[T]) decodeEvent(stored *model.Event) (v T, err error) {
	at := reflect.ValueOf(&v).Elem()
	e.layout.setRead(at, stored)
	err = e.layout.set(at, stored.Series, stored.Order, stored.Attrs)
	switch {
	case err != nil:
		return v, fmt.Errorf("read event %s of %w", stored.At, err)
	case stored.Unreadable:
		return v, fmt.Errorf("read event %s of %s: %w", stored.At, stored.Series, ErrUnreadable)
	}
	return v, nil
}
