package main

import (
	"context"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/envelope"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/query"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// What a top is of where the request does not say, and how many buckets it merges.
const (
	defaultTop     = 10
	defaultTopTier = "day"
	maxBuckets     = 1000
)

type topView struct {
	Dimension string           `json:"dimension"`
	Tier      string           `json:"tier"`
	Buckets   int              `json:"buckets"`
	Open      bool             `json:"open"`
	Events    int64            `json:"events"`
	Kinds     map[string]int64 `json:"kinds,omitempty"`
	query.Shares
}

// top answers the most frequent values of a dimension over a range.
func (h *Handler) top(ctx context.Context, asked target, given params) (any, error) {
	q, err := h.topQuery(asked, given)
	if err != nil {
		return nil, err
	}
	shares, total, err := h.Query.Top(ctx, q)
	if err != nil {
		return nil, err
	}
	return topView{
		Dimension: q.Dimension, Tier: q.Unit.String(), Buckets: total.Buckets, Open: total.Open,
		Events: total.Summary.Events(), Kinds: kindsView(total.Kinds), Shares: shares,
	}, nil
}

func (h *Handler) topQuery(asked target, given params) (q query.Top, err error) {
	q = query.Top{Dimension: asked.dimension, Rollups: query.Rollups{Series: asked.series, With: asked.with, Limit: maxBuckets}}
	name := given.text("tier")
	if name == "" {
		name = defaultTopTier
	}
	if q.Unit, err = asked.unit(name); err != nil {
		return q, err
	}
	if q.Values, err = given.limitOr(defaultTop); err != nil {
		return q, err
	}
	if q.From, err = given.time("from", model.MinTime); err != nil {
		return q, err
	}
	if q.To, err = given.time("to", model.MaxTime+1); err != nil {
		return q, err
	}
	if q.From, q.To, err = given.within(q.From, q.To, q.Unit, h.Query.Now()); err != nil {
		return q, err
	}
	q.Consistent, err = given.consistent()
	return q, err
}

// unit is the tier of that name, which every kind asked for must have.
func (t target) unit(name string) (tier.Unit, error) {
	unit, err := tier.ParseUnit(name)
	for _, k := range append([]*catalog.Kind{t.series.Kind}, t.with...) {
		if _, _, ok := k.Ladder.Find(unit); err != nil || !ok {
			return 0, noTier(name, k.Ladder)
		}
	}
	return unit, nil
}

type indexedView struct {
	Subject string `json:"subject"` // its id
	Stream  string `json:"stream"`
	eventView
}

type byValueView struct {
	Events []indexedView `json:"events"`
	Next   *string       `json:"next"`
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
	v := byValueView{Events: make([]indexedView, len(page.Events)), Next: cursorView(page.Next)}
	for i, e := range viewHistory(page).Events {
		of := page.Events[i].Series
		v.Events[i] = indexedView{Subject: of.Subject.ID, Stream: of.Stream, eventView: e}
	}
	return v, nil
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
	return envelope.ProfileOf(p), nil
}
