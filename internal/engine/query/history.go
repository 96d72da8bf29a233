package query

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// History requests the events of the Series it embeds.
type History struct {
	Series
	From, To model.Time // event times: [From, To)
	// Last is a span up to now, instead of From and To; 0 means none. A cursor is bound to
	// the span, so that it stays valid while time passes.
	Last time.Duration
	// FromValue and ToValue are the half-open range of a kind that is ordered by a field, in
	// place of From and To, which must be open. Null leaves an end open.
	FromValue, ToValue model.Value
	Newest             bool // newest first; otherwise oldest first
	// Where filters events by their fields. Events that it excludes are still read and paid for.
	Where model.Condition
	// Fields are the fields that returned events keep; nil means all.
	Fields []string
	// Limit is the maximum number of events in a page or iteration; 0 means all (in a
	// page: as many as one request returns).
	Limit      int
	Cursor     string // Next of the previous page; "" for the first
	Consistent bool   // strongly consistent reads
}

// EventPage is one page of a history.
type EventPage struct {
	// Events are in the requested order. A stored event that cannot be decoded is
	// included with Unreadable set.
	Events []model.Event
	Next   string // cursor of the next page; "" after the last
	// CompleteFrom is the time from which on, by its age, no event can have expired. WholeFrom tells more.
	CompleteFrom model.Time
}

// History reads one page by one Query for each shard. A page may be shorter than its
// limit, even empty, before the end: check Next.
func (s *Service) History(ctx context.Context, q History) (EventPage, error) {
	if err := q.check(s.Now()); err != nil {
		return EventPage{}, err
	}
	events, next, err := s.historyPager(q).page(ctx, q.Cursor, q.Limit)
	if err != nil {
		return EventPage{}, err
	}
	complete := q.Kind.FoldedAfter(eventsCompleteFrom(q.Kind.Retention, s.Now()))
	return EventPage{Events: events, Next: next, CompleteFrom: complete}, nil
}

// EachEvent returns an iterator that reads page after page, from q.Cursor on, and yields
// at most q.Limit events. An error comes last, with no event.
func (s *Service) EachEvent(ctx context.Context, q History) iter.Seq2[model.Event, error] {
	if err := q.check(s.Now()); err != nil {
		return paging.Fail[model.Event](err)
	}
	return s.historyPager(q).all(ctx, q.Cursor, q.Limit)
}

// EachMerged returns an iterator over the events of several series, each once, merged in the
// order of q. Events of equal order come in the order of their series. The Series and Cursor of q
// are ignored. The error is ErrTooWide for too many series.
func (s *Service) EachMerged(ctx context.Context, q History, of []Series) iter.Seq2[model.Event, error] {
	if len(of) > maxSeries {
		return paging.Fail[model.Event](fmt.Errorf("%w: at most %d", ErrTooWide, maxSeries))
	}
	var all []iter.Seq2[model.Event, error]
	q.Cursor = ""
	for _, q.Series = range unique(of) {
		all = append(all, s.EachEvent(ctx, q))
	}
	return paging.Merge(q.Limit, func(a, b model.Event) int {
		if q.Newest {
			a, b = b, a
		}
		return a.Order.Compare(b.Order)
	}, all...)
}

func (q History) check(now model.Time) error {
	from, to := upToNow(q.Last, q.From, q.To, now)
	if err := q.checkPage(from, to, q.Limit); err != nil {
		return err
	}
	if err := q.checkValues(); err != nil {
		return err
	}
	if q.Kind.GroupsOf != "" {
		return fmt.Errorf("%s: %w: read the events of their members, of kind %s, or the rollups of the group",
			q.Kind.Name, ErrNoEvents, q.Kind.GroupsOf)
	}
	if q.Kind.Sessions != nil {
		if _, err := q.sessionKey(); err != nil {
			return err
		}
	}
	return q.Where.Validate()
}

// upToNow returns the range of a request: its bounds, or the span before now.
func upToNow(last time.Duration, from, to, now model.Time) (model.Time, model.Time) {
	if last == 0 {
		return from, to
	}
	return now.Add(-last), now + 1
}

// spanText identifies a span in a cursor.
func spanText(last time.Duration) string {
	if last == 0 {
		return ""
	}
	return " last " + last.String()
}

func (s *Service) historyPager(q History) *pager[model.Event, model.Event] {
	shards, now := q.shards(), s.Now()
	cursors := newCursors(s.cursorKeys(), q.cursorClass()+spanText(q.Last), q.Series, q.From, q.To, q.Newest)
	q.From, q.To = upToNow(q.Last, q.From, q.To, now)
	from, to, first, past := q.bounds()
	fetch := func(ctx context.Context, shard int, after string) ([]model.Event, string, error) {
		page, err := s.Store.Events(ctx, storage.Range{
			Series: shards[shard], From: from, To: to, FirstID: first, LastID: past, Newest: q.Newest,
			Limit: q.readLimit(), After: after, Consistent: q.Consistent,
		})
		return page.Events, page.Next, err
	}
	position := func(shard int, past model.Order) string {
		return keys.Event(model.EventKey{Series: shards[shard], Order: past}).SK
	}
	if q.Kind.Sessions != nil {
		key, _ := q.sessionKey() // was checked
		fetch = s.sessions(q, key)
		position = func(_ int, past model.Order) string { return strconv.FormatInt(int64(past.At), 10) }
	}
	return &pager[model.Event, model.Event]{
		description: "history of " + q.String(),
		cursors:     cursors,
		shards: shardMerger[model.Event]{
			shards: len(shards), newest: q.Newest,
			fetch: fetch, position: position,
			order: func(e *model.Event) model.Order { return e.Order },
			visible: func(e *model.Event) bool {
				return !expired(e.ExpiresAt, now) && (past == "" || e.ID < past) && q.matches(e)
			},
		},
		build: func(group []model.Event) model.Event {
			group[0].Series = q.unsharded() // each event is in exactly one shard
			group[0].Attrs = q.project(group[0].Attrs)
			return group[0]
		},
	}
}
