package query

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrNotIndexed says that events of the kind cannot be found by the field asked for.
var ErrNotIndexed = errors.New("events of the kind are not found by this field")

// ByValue asks for the events of a kind that have a value of the field it is indexed
// by, over all subjects and streams: the page views of a visitor.
type ByValue struct {
	Kind         *catalog.Kind
	Field, Value string
	From, To     model.Time // half-open by event time: [From, To)
	Newest       bool       // newest first; else oldest first
	Limit        int        // as in History
	Cursor       string     // Next of the page before; "" starts
}

// ByValue reads one page by one Query of the second index, which may be some moments
// behind. A page may be shorter than its limit, even empty, before the end.
func (s *Service) ByValue(ctx context.Context, q ByValue) (EventPage, error) {
	r, err := s.byValue(q)
	if err != nil {
		return EventPage{}, err
	}
	events, next, err := r.one(ctx, q.Cursor, q.Limit)
	return EventPage{Events: events, Next: next}, err
}

// EachByValue reads page after page, from q.Cursor on, and hands out at most q.Limit
// events. An error comes last, with no event.
func (s *Service) EachByValue(ctx context.Context, q ByValue) iter.Seq2[model.Event, error] {
	r, err := s.byValue(q)
	if err != nil {
		return func(yield func(model.Event, error) bool) { yield(model.Event{}, err) }
	}
	return r.all(ctx, q.Cursor, q.Limit)
}

func (q ByValue) check() error {
	switch {
	case q.Kind.IndexBy == "" || q.Field != q.Kind.IndexBy:
		return fmt.Errorf("%s by %.64q: %w", q.Kind.Name, q.Field, ErrNotIndexed)
	case q.From >= q.To:
		return fmt.Errorf("from %s to %s: %w", q.From, q.To, ErrRange)
	case q.Limit < 0:
		return fmt.Errorf("limit %d: %w", q.Limit, ErrLimit)
	}
	probe := keys.Indexed(model.EventKey{}, q.Field, q.Value)
	if err := probe.Check(); err != nil || q.Value == "" {
		return fmt.Errorf("%w: no event can have this %s", ErrSeries, q.Field)
	}
	return nil
}

// byValue reads the index as the one shard of a reading, whose order is the index's:
// its sort key stands for the id.
func (s *Service) byValue(q ByValue) (*reading[model.Event, model.Event], error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	now := s.Now()
	fetch := func(ctx context.Context, _ int, after string) ([]model.Event, string, error) {
		past, err := q.place(after)
		if err != nil {
			return nil, "", err
		}
		page, err := s.Store.ByValue(ctx, model.ByValue{
			Kind: q.Kind.Name, Field: q.Field, Value: q.Value,
			From: q.From, To: q.To, Newest: q.Newest, Limit: q.Limit, After: past,
		})
		if err != nil || page.Last == nil {
			return page.Events, "", err
		}
		return page.Events, keys.Indexed(*page.Last, q.Field, q.Value).SK, nil
	}
	return &reading[model.Event, model.Event]{
		subject: fmt.Sprintf("%s by %s", q.Kind.Name, q.Field),
		cursors: cursorsOf(s.cursorKeys(), "by "+q.Field, Series{Kind: q.Kind, Subject: q.Value}, q.From, q.To, q.Newest),
		shardReader: shardReader[model.Event]{
			shards: 1, newest: q.Newest,
			fetch:    fetch,
			position: func(_ int, past model.Order) string { return past.ID },
			order: func(e *model.Event) model.Order {
				return model.Order{At: e.At, ID: keys.Indexed(e.Key(), q.Field, q.Value).SK}
			},
			shows: func(e *model.Event) bool { return !expired(e.ExpiresAt, now) },
		},
		answer: func(group []model.Event) (model.Event, error) {
			group[0].Series.Shard = 0
			return group[0], nil
		},
	}, nil
}

// place is the event whose sort key in the index is after; nil for the start.
func (q ByValue) place(after string) (*model.EventKey, error) {
	if after == "" {
		return nil, nil
	}
	subject, stream, order, err := keys.ParseIndexSort(after)
	if err != nil {
		return nil, ErrCursor
	}
	return &model.EventKey{Series: q.Kind.Series(subject, stream, order), Order: order}, nil
}
