package main

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/query"
)

var topParams = []string{"tier", "from", "to", "last", "limit", "stream", "with", "consistent"}

// The defaults of most frequent values, and the number of buckets that are merged.
const (
	defaultTop     = 10
	defaultTopTier = "day"
	maxBuckets     = 1000
)

// top returns the most frequent values of a dimension over a range.
func (h *Handler) top(ctx context.Context, res resource, args params) (any, error) {
	q, err := h.topQuery(res, args)
	if err != nil {
		return nil, err
	}
	values, total, err := h.Query.Top(ctx, q)
	if err != nil {
		return nil, err
	}
	return h.cacheByBuckets(httpapi.TopOf(q, values, total), q.Unit, q.To, q.Consistent), nil
}

func (h *Handler) topQuery(res resource, args params) (q query.Top, err error) {
	q.Dimension = res.dimension
	if res.tier = args.text("tier"); res.tier == "" {
		res.tier = defaultTopTier
	}
	if q.Rollups, err = h.buckets(res, args); err != nil {
		return q, err
	}
	q.Limit = maxBuckets
	q.Values, err = args.limitOr(defaultTop)
	return q, err
}
