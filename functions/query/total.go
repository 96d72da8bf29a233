package main

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const totalDescription = "Counts, sums, averages, percentiles, distinct and most frequent values of exactly the events in the range; without a range, of all. " +
	"Complete buckets of the coarsest tiers are read, and at the ends finer tiers and raw events. Where those have expired, a part is missing: " +
	"whole is false, and missing names it."

var totalParams = []string{"from", "to", "last", "stream", "with", "consistent"}

// total returns the summary of any range of time.
func (h *Handler) total(ctx context.Context, res resource, args params) (any, error) {
	q, err := rollupSeries(res, args)
	if err != nil {
		return nil, err
	}
	if q.From, q.To, err = h.spanOf(args); err != nil {
		return nil, err
	}
	t, err := h.Query.RangeTotal(ctx, q)
	if err != nil {
		return nil, err
	}
	return h.cacheByBuckets(httpapi.TotalOf(t), tier.Minute, q.To, q.Consistent), nil
}
