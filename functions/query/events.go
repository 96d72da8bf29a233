package main

import (
	"context"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// history returns a page of the events of a series.
func (h *Handler) history(ctx context.Context, res resource, args params) (any, error) {
	q, err := historyQuery(res, args)
	if err != nil {
		return nil, err
	}
	page, err := h.Query.History(ctx, q)
	if err != nil {
		return nil, err
	}
	result := views.NewHistory(page)
	if q.Newest && page.Next == "" || !q.Newest && q.Cursor == "" { // the page has the beginning of the range
		at, err := h.Query.WholeFrom(ctx, q)
		if err != nil {
			return nil, err
		}
		result.EventsFrom = views.NewEventsFrom(at)
	}
	result.OtherStreams, err = h.otherStreams(ctx, res, args, len(page.Events) > 0)
	return result, err
}

// otherStreams returns the streams of the subject, if a request without a stream found
// nothing on its first page.
func (h *Handler) otherStreams(ctx context.Context, res resource, args params,
	found bool) (views.OtherStreams, error) {
	if found || args.values.Has("stream") || args.values.Has("cursor") {
		return views.OtherStreams{}, nil
	}
	streams, err := h.Query.Streams(ctx, res.series)
	named := slices.DeleteFunc(streams, func(s string) bool { return s == "" })
	return views.OtherStreams{Streams: named}, err
}

// count returns the number of events in a range. It reads all of them.
func (h *Handler) count(ctx context.Context, res resource, args params) (any, error) {
	q, err := historyQuery(res, args)
	if err != nil {
		return nil, err
	}
	q.Limit = 0
	counted, err := h.Query.Count(ctx, q)
	if err != nil {
		return nil, err
	}
	at, err := h.Query.WholeFrom(ctx, q)
	return views.NewCount(counted, at), err
}

// historyQuery returns the query for a history or a count.
func historyQuery(res resource, args params) (query.History, error) {
	if res.series.Kind.OrderBy != "" {
		return orderedQuery(res, args)
	}
	return timedQuery(res, args)
}

// orderedQuery returns the query for a kind that is ordered by a field: from and to are values
// of it.
func orderedQuery(res resource, args params) (q query.History, err error) {
	from, to := args.text("from"), args.text("to")
	if q, err = timedQuery(res, args.without("from", "to")); err != nil {
		return q, err
	}
	if q.FromValue, err = query.ParseOrderValue(res.series.Kind, from); err != nil {
		return q, err
	}
	q.ToValue, err = query.ParseOrderValue(res.series.Kind, to)
	return q, err
}

// timedQuery returns the query for a kind whose events are ordered by time.
func timedQuery(res resource, args params) (q query.History, err error) {
	p := args.paging(newestFirst)
	if args.err() != nil {
		return query.History{}, args.err()
	}
	q = query.History{
		Series: res.series, From: p.from, To: p.to, Last: p.last, Newest: p.newest,
		Limit: p.limit, Cursor: p.cursor, Consistent: p.consistent,
	}
	if fields := args.text("fields"); fields != "" {
		q.Fields = strings.Split(fields, ",")
	}
	for _, text := range args.all("where") {
		term, err := httpapi.ParseWhere(text)
		if err != nil {
			return q, err
		}
		q.Where = append(q.Where, term)
	}
	return q, nil
}

// event returns one event, by a consistent read: a correction may depend on it.
func (h *Handler) event(ctx context.Context, res resource, args params) (any, error) {
	key := res.EventKey(args.text("stream"))
	stored, err := h.Query.Event(ctx, res.series, key.Order)
	return shown(stored, err, views.NewStoredEvent, func() *httpapi.Problem {
		return httpapi.ProblemNoEvent.New(
			"%s has no event at %s with the id %q: check the time, the id and the stream", res.series, key.At, key.ID)
	})
}

// latest returns the latest item of a series.
func (h *Handler) latest(ctx context.Context, res resource, args params) (any, error) {
	consistent := args.consistent()
	if args.err() != nil {
		return nil, args.err()
	}
	latest, err := h.Query.Latest(ctx, res.series, consistent)
	return shown(latest, err, views.NewLatest, func() *httpapi.Problem {
		return problemNothingYet.New("%s has no events: check the id and the stream", res.series)
	})
}

// latestBy returns the latest items of a kind, of any subject, by its indexed fields.
func (h *Handler) latestBy(ctx context.Context, res resource, args params) (any, error) {
	limit := args.limit()
	if args.err() != nil {
		return nil, args.err()
	}
	page, err := h.Query.LatestBy(ctx, query.LatestBy{
		Kind: res.series.Kind, Index: args.text("index"), Values: args.all("by"), Limit: limit,
		Cursor: args.text("cursor"),
	})
	page.Items = lists.Filter(page.Items, func(l model.Latest) bool {
		return res.owner.Owns(l.Series.Subject.ID)
	})
	return views.NewLatestItems(page), err
}

// indexQuery returns the events of a kind, of any subject, that have a value of the
// indexed field.
func (h *Handler) indexQuery(ctx context.Context, res resource, args params) (any, error) {
	p := args.paging(newestFirst)
	if args.err() != nil {
		return nil, args.err()
	}
	page, err := h.Query.QueryIndex(ctx, query.IndexQuery{
		Kind: res.series.Kind, Field: res.Values["field"], Value: res.Values["value"],
		From: p.from, To: p.to, Last: p.last, Newest: p.newest, Limit: p.limit, Cursor: p.cursor,
	})
	page.Events = lists.Filter(page.Events, func(e model.Event) bool {
		return res.owner.Owns(e.Series.Subject.ID)
	})
	return views.NewIndexedEvents(page), err
}
