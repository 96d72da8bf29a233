package main

import (
	"context"
	"strings"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func (h *Handler) history(ctx context.Context, asked target, given params) (any, error) {
	q, err := eventsOf(asked, given)
	if err != nil {
		return nil, err
	}
	page, err := h.Query.History(ctx, q)
	if err != nil {
		return nil, err
	}
	return envelope.HistoryOf(page), nil
}

// count answers how many events a range holds; it reads all of them.
func (h *Handler) count(ctx context.Context, asked target, given params) (any, error) {
	q, err := eventsOf(asked, given)
	if err != nil {
		return nil, err
	}
	q.Limit = 0
	counted, err := h.Query.Count(ctx, q)
	if err != nil {
		return nil, err
	}
	return envelope.Count{Events: counted.Events, Unreadable: counted.Unreadable}, nil
}

// eventsOf is the history asked for.
func eventsOf(asked target, given params) (query.History, error) {
	p, err := given.paging(newestFirst)
	if err != nil {
		return query.History{}, err
	}
	q := query.History{
		Series: asked.series, From: p.from, To: p.to, Newest: p.newest,
		Limit: p.limit, Cursor: p.cursor, Consistent: p.consistent,
	}
	if fields := given.text("fields"); fields != "" {
		q.Fields = strings.Split(fields, ",")
	}
	for _, text := range given.all("where") {
		term, err := envelope.ParseWhere(text)
		if err != nil {
			return q, err
		}
		q.Where = append(q.Where, term)
	}
	return q, nil
}

func (h *Handler) current(ctx context.Context, asked target, given params) (any, error) {
	consistent, err := given.consistent()
	if err != nil {
		return nil, err
	}
	current, err := h.Query.Current(ctx, asked.series, consistent)
	switch {
	case err != nil:
		return nil, err
	case current == nil:
		return nil, problemNothingYet.New("%s: is the id right, and the stream?", asked.series)
	}
	return envelope.CurrentOf(current), nil
}

// byValue answers the events of a kind, of any subject, that have a value.
func (h *Handler) byValue(ctx context.Context, asked target, given params) (any, error) {
	p, err := given.paging(newestFirst)
	if err != nil {
		return nil, err
	}
	page, err := h.Query.ByValue(ctx, query.ByValue{
		Kind: asked.series.Kind, Field: asked.field, Value: asked.value,
		From: p.from, To: p.to, Newest: p.newest, Limit: p.limit, Cursor: p.cursor,
	})
	if err != nil {
		return nil, err
	}
	return envelope.ByValueOf(page), nil
}

// profile answers what is known of a subject as a whole.
func (h *Handler) profile(ctx context.Context, asked target, given params) (any, error) {
	consistent, err := given.consistent()
	if err != nil {
		return nil, err
	}
	subject := model.Subject{Type: asked.series.Kind.Subject.Name, ID: asked.series.Subject}
	p, err := h.Query.Profile(ctx, subject, consistent)
	switch {
	case err != nil:
		return nil, err
	case p == nil:
		return nil, problemNoProfile.New("%s: it may have events all the same: ask for a kind of them", subject)
	}
	view := envelope.ProfileOf(p)
	if at, seen, err := h.lastSeen(ctx, asked); err != nil {
		return nil, err
	} else if seen {
		view.LastSeenAt = &at
	}
	return view, nil
}

// lastSeen is the time of a subject's newest event, where its type has a kind that keeps
// current.
func (h *Handler) lastSeen(ctx context.Context, asked target) (at model.Time, ok bool, _ error) {
	for _, k := range h.Catalog.KindsOf(asked.series.Kind.Subject) {
		if !k.WithoutCurrent && h.Life != nil {
			return h.Life.LastSeen(ctx, asked.subject())
		}
	}
	return 0, false, nil
}
