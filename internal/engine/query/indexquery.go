package query

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrNotIndexed is the error of a query by a field that the kind does not index.
var ErrNotIndexed = errors.New("this kind is not indexed by this field")

// IndexQuery requests the events of a kind whose indexed field has a value, of all
// subjects and streams: the page views of a visitor, for example.
type IndexQuery struct {
	Kind         *catalog.Kind
	Field, Value string
	From, To     model.Time    // event times: [From, To)
	Last         time.Duration // as in History
	Newest       bool          // newest first; otherwise oldest first
	Limit        int           // as in History
	Cursor       string        // Next of the previous page; "" for the first
}

// QueryIndex reads one page by one Query of the second index, which may lag behind by
// moments. A page may be shorter than its limit, even empty, before the end.
func (s *Service) QueryIndex(ctx context.Context, q IndexQuery) (EventPage, error) {
	r, err := s.indexPager(q)
	if err != nil {
		return EventPage{}, err
	}
	events, next, err := r.page(ctx, q.Cursor, q.Limit)
	return EventPage{Events: events, Next: next}, err
}

// EachIndexed returns an iterator that reads page after page, from q.Cursor on, and
// yields at most q.Limit events. An error comes last, with no event.
func (s *Service) EachIndexed(ctx context.Context, q IndexQuery) iter.Seq2[model.Event, error] {
	r, err := s.indexPager(q)
	if err != nil {
		return paging.Fail[model.Event](err)
	}
	return r.all(ctx, q.Cursor, q.Limit)
}

func (q IndexQuery) check() error {
	switch {
	case q.Kind.IndexBy == "" || q.Field != q.Kind.IndexBy:
		return fmt.Errorf("%s by %.64q: %w", q.Kind.Name, q.Field, ErrNotIndexed)
	case q.From >= q.To:
		return fmt.Errorf("from %s to %s: %w", q.From, q.To, ErrRange)
	case q.Limit < 0:
		return fmt.Errorf("limit %d: %w", q.Limit, ErrLimit)
	}
	probe := tablekeys.IndexEntry(model.EventKey{}, q.Field, q.Value)
	if err := probe.Check(); err != nil || q.Value == "" {
		return fmt.Errorf("%w: no event can have this value of %s", ErrSeries, q.Field)
	}
	return nil
}

// indexPager reads the index as if it were a single shard. Events are ordered by their
// time and their sort key in the index.
func (s *Service) indexPager(q IndexQuery) (*pager[model.Event, model.Event], error) {
	now, requested := s.Now(), q
	q.From, q.To = upToNow(q.Last, q.From, q.To, now)
	if err := q.check(); err != nil {
		return nil, err
	}
	fetch := func(ctx context.Context, _ int, after string) ([]model.Event, string, error) {
		past, err := q.position(after)
		if err != nil {
			return nil, "", err
		}
		page, err := s.Store.QueryIndex(ctx, storage.EventIndexQuery{
			Kind: q.Kind.Name, Field: q.Field, Value: q.Value,
			From: q.From, To: q.To, Newest: q.Newest, Limit: q.Limit, After: past,
		})
		if err != nil || page.Last == nil {
			return page.Events, "", err
		}
		return page.Events, tablekeys.IndexEntry(*page.Last, q.Field, q.Value).SK, nil
	}
	return &pager[model.Event, model.Event]{
		description: fmt.Sprintf("%s by %s", q.Kind.Name, q.Field),
		cursors: newCursors(s.cursorKeys(), "by "+q.Field+spanText(q.Last),
			Series{Kind: q.Kind, Subject: q.Value}, requested.From, requested.To, q.Newest),
		shards: shardMerger[model.Event]{
			shards: 1, newest: q.Newest,
			fetch:    fetch,
			position: func(_ int, past model.Order) string { return past.ID },
			order: func(e *model.Event) model.Order {
				return model.Order{At: e.At, ID: tablekeys.IndexEntry(e.Key(), q.Field, q.Value).SK}
			},
			visible: func(e *model.Event) bool { return !expired(e.ExpiresAt, now) },
		},
		build: func(group []model.Event) model.Event {
			group[0].Series = group[0].Series.WithoutShard()
			group[0].Attrs = q.Kind.Named(group[0].Attrs)
			return group[0]
		},
	}, nil
}

// position parses a sort key of the index into the key of its event; nil for "".
func (q IndexQuery) position(after string) (*model.EventKey, error) {
	if after == "" {
		return nil, nil
	}
	subject, stream, order, err := tablekeys.ParseIndexSort(after)
	if err != nil {
		return nil, ErrCursor
	}
	return &model.EventKey{Series: q.Kind.Series(subject, stream, order), Order: order}, nil
}
