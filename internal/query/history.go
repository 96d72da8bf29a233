package query

import (
	"context"
	"iter"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// History asks for the events of a series.
type History struct {
	Series
	From, To model.Time // half-open by event time: [From, To)
	Newest   bool       // newest first; else oldest first
	// Where is what the fields of an event must meet to be handed out. What it leaves
	// out is read, and costs, all the same.
	Where model.Condition
	// Fields are the fields of events that are handed out; nil means all.
	Fields []string
	// Limit is how many events a page, or an iteration, holds at most; 0 is as many
	// as there are (in a page: as one request returns).
	Limit      int
	Cursor     string // Next of the page before; "" starts
	Consistent bool   // strongly consistent reads
}

// EventPage is one page of a history.
type EventPage struct {
	// Events are in the order asked for. One that is stored but cannot be decoded
	// comes as Unreadable: it is there, and says so.
	Events []model.Event
	Next   string // cursor of the next page; "" at the end
	// WholeFrom is the time from which on no event can have expired: before it, what is
	// not shown may have been there.
	WholeFrom model.Time
}

// History reads one page by one Query a shard. A page may be shorter than its limit,
// even empty, before the end: only Next tells whether there is more.
func (s *Service) History(ctx context.Context, q History) (EventPage, error) {
	if err := q.check(); err != nil {
		return EventPage{}, err
	}
	events, next, err := s.history(q).one(ctx, q.Cursor, q.Limit)
	if err != nil {
		return EventPage{}, err
	}
	return EventPage{Events: events, Next: next, WholeFrom: eventsWholeFrom(q.Kind.Ladder, s.Now())}, nil
}

// EachEvent reads page after page, from q.Cursor on, and hands out at most q.Limit
// events. An error comes last, with no event.
func (s *Service) EachEvent(ctx context.Context, q History) iter.Seq2[model.Event, error] {
	if err := q.check(); err != nil {
		return func(yield func(model.Event, error) bool) { yield(model.Event{}, err) }
	}
	return s.history(q).all(ctx, q.Cursor, q.Limit)
}

func (q History) check() error {
	if err := q.checkPage(q.From, q.To, q.Limit); err != nil {
		return err
	}
	return q.Where.Check()
}

func (s *Service) history(q History) *reading[model.Event, model.Event] {
	shards, now := q.shards(), s.Now()
	fetch := func(ctx context.Context, shard int, after string) ([]model.Event, string, error) {
		page, err := s.Store.Events(ctx, model.Range{
			Series: shards[shard], From: q.From, To: q.To, Newest: q.Newest,
			Limit: q.reads(), After: after, Consistent: q.Consistent,
		})
		return page.Events, page.Next, err
	}
	position := func(shard int, past model.Order) string {
		return keys.Event(model.EventKey{Series: shards[shard], Order: past}).SK
	}
	return &reading[model.Event, model.Event]{
		subject: "history of " + q.String(),
		cursors: cursorsOf(s.cursorKeys(), q.class(), q.Series, q.From, q.To, q.Newest),
		shardReader: shardReader[model.Event]{
			shards: len(shards), newest: q.Newest,
			fetch: fetch, position: position,
			order: func(e *model.Event) model.Order { return e.Order },
			shows: func(e *model.Event) bool { return !expired(e.ExpiresAt, now) && q.wants(e) },
		},
		answer: func(group []model.Event) (model.Event, error) {
			group[0].Series = q.whole() // an identity lives in one shard
			group[0].Attrs = q.project(group[0].Attrs)
			return group[0], nil
		},
	}
}
