package main

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/query"
)

var topParams = []string{"tier", "from", "to", "last", "limit", "stream", "with", "consistent"}

// What a top is of where the request does not say, and how many buckets it merges.
const (
	defaultTop     = 10
	defaultTopTier = "day"
	maxBuckets     = 1000
)

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
	view := envelope.Top{
		Dimension: q.Dimension, Tier: q.Unit.String(), Buckets: total.Buckets, Open: total.Open,
		Events: total.Summary.Events(), Kinds: envelope.KindsOf(total.Kinds), Shares: shares,
	}
	return h.ofBuckets(view, q.Unit, q.To, q.Consistent), nil
}

func (h *Handler) topQuery(asked target, given params) (q query.Top, err error) {
	q.Dimension = asked.dimension
	if asked.tier = given.text("tier"); asked.tier == "" {
		asked.tier = defaultTopTier
	}
	if q.Rollups, err = h.buckets(asked, given); err != nil {
		return q, err
	}
	q.Limit = maxBuckets
	q.Values, err = given.limitOr(defaultTop)
	return q, err
}
