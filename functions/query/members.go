package main

import (
	"cmp"
	"context"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// members returns the first members of a group over a range.
func (h *Handler) members(ctx context.Context, res resource, args params) (any, error) {
	q := query.Members{Measure: res.Values["measure"]}
	q.Ranking = rollup.Ranking{By: rollup.Statistic(cmp.Or(args.text("statistic"), string(rollup.ByMax))),
		Lowest: args.boolean("lowest")}
	res.tier = args.text("tier")
	if res.tier == "" {
		res.tier = defaultMembersTier(res.series.Kind, q.Ranking)
	}
	var err error
	if q.Rollups, err = h.buckets(res, args); err != nil {
		return nil, err
	}
	q.Limit, q.Values = maxBuckets, args.limitOr(rollup.MaxMembers)
	if args.err() != nil {
		return nil, args.err()
	}
	ranks, total, err := h.Query.Members(ctx, q)
	if err != nil {
		return nil, err
	}
	return h.cacheByBuckets(views.FromMembers(q, ranks, total), q.Unit, q.To, q.Consistent), nil
}

// increases returns what a counter of the members of groups has counted.
func (h *Handler) increases(ctx context.Context, res resource, args params) (any, error) {
	of, _ := h.Catalog.Kind(res.Kind.GroupsOf)
	q := query.Increases{
		By: res.Kind, Of: of, Prefix: res.owner.Prefix(), Measure: res.Values["counter"],
		Streams: args.all("stream"), Consistent: args.consistent(), Cursor: args.text("cursor"),
	}
	if q.From, q.To = h.chartRange(args); args.err() != nil {
		return nil, args.err()
	}
	page, err := h.Query.Increases(ctx, q)
	if err != nil {
		return nil, err
	}
	return views.NewIncreases(q, page, args.text("group")), nil
}

// defaultMembersTier is the tier of tops, and of lists that no other tier has the finest one.
func defaultMembersTier(k *catalog.Kind, by rollup.Ranking) string {
	if _, _, found := k.Retention.Find(tier.Day); by.Merges() && found {
		return defaultTopTier
	}
	return k.Retention.Finest().Unit.String()
}
