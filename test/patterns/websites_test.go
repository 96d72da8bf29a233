package patterns

import (
	"context"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// websitePatterns read events and rollups of websites.
var websitePatterns = []pattern{
	{
		about: "page views of a site and day",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.views.Page(ctx, mySite, timeseries.In(today, tomorrow), timeseries.Newest(),
				timeseries.Limit(100))
		},
		action: httpapi.ReadHistory, of: "PAGEVIEW", words: []string{"my-site"}, params: "from=2026-04-20T00:00:00Z&to=2026-04-21T00:00:00Z",
		command: "tidemark history sites/my-site --kind pageviews --from 2026-04-20 --to 2026-04-21 --limit 100",
	},
	{
		about: "page views of a visitor on all sites",
		measured: func(ctx context.Context, w *world) (any, error) {
			return w.query.QueryIndex(ctx, query.IndexQuery{Kind: w.series("PAGEVIEW", "").Kind, Field: "visitor",
				Value: "v7", From: at(today), To: at(tomorrow), Newest: true, Limit: 100})
		},
		action: httpapi.ReadByIndex, of: "PAGEVIEW", words: []string{"v7"}, params: "from=2026-04-20T00:00:00Z&to=2026-04-21T00:00:00Z",
	},
	{
		about: "sessions of a visitor, cut from its page views",
		measured: func(ctx context.Context, w *world) (any, error) {
			return w.query.History(ctx,
				query.History{Series: w.series("SESSION", "my-site"),
					Where: model.Condition{{Field: "visitor", Op: model.Equal, Value: model.TextValue("v7")}}, From: at(today), To: at(tomorrow), Newest: true, Limit: 100})
		},
		action: httpapi.ReadHistory, of: "SESSION", words: []string{"my-site"}, params: "where=visitor%3Dv7&from=2026-04-20T00:00:00Z&to=2026-04-21T00:00:00Z",
		command: "tidemark history sites/my-site --kind sessions --where visitor=v7 --from 2026-04-20 --to 2026-04-21 --limit 100",
	},
	{
		about: "a session, by its first view and visitor",
		measured: func(ctx context.Context, w *world) (any, error) {
			return w.query.Event(ctx, w.series("SESSION", "my-site"), model.Order{At: at(today), ID: "v7"})
		},
		action: httpapi.ReadEventByID, of: "SESSION", words: []string{"my-site", "2026-04-20T00:00:00Z", "v7"},
		command: "tidemark event get sites/my-site 2026-04-20T00:00:00Z --kind sessions --id v7",
	},
	{
		about: "real time: the last five minutes",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.views.Rollups(ctx, mySite, tier.Minute, timeseries.In(now.Add(-5*time.Minute), now))
		},
		measured: func(ctx context.Context, w *world) (any, error) {
			from, to := query.Last(5*time.Minute, tier.Minute, at(now))
			return w.query.Rollups(ctx,
				query.Rollups{Series: w.series("PAGEVIEW", "my-site"), Unit: tier.Minute, From: from, To: to})
		},
		action: httpapi.ReadRollups, of: "PAGEVIEW", words: []string{"my-site", "minute"}, params: "last=5m",
		command: "tidemark rollups sites/my-site --kind pageviews --tier minute --last 5m",
	},
	{
		about: "the most frequent pages of a day",
		measured: func(ctx context.Context, w *world) (any, error) {
			shares, _, err := w.query.Top(ctx, query.Top{Rollups: query.Rollups{Series: w.series("PAGEVIEW",
				"my-site"), Unit: tier.Day, From: at(today), To: at(tomorrow)}, Dimension: "path", Values: 10})
			return shares, err
		},
		action: httpapi.ReadTop, of: "PAGEVIEW", words: []string{"my-site", "path"}, params: "from=2026-04-20T00:00:00Z&to=2026-04-21T00:00:00Z",
		command: "tidemark top sites/my-site path --kind pageviews --from 2026-04-20 --to 2026-04-21",
	},
	{
		about: "daily traffic of a site, all kinds merged",
		measured: func(ctx context.Context, w *world) (any, error) {
			return w.query.Rollups(ctx,
				query.Rollups{Series: w.series("PAGEVIEW", "my-site"), With: []*catalog.Kind{w.series("REQUEST", "").Kind,
					w.series("MALFORMED", "").Kind}, Unit: tier.Day, From: at(april), To: at(tomorrow)})
		},
		action: httpapi.ReadAllRollups, of: "SITE", words: []string{"my-site", "day"}, params: "from=2026-04-01T00:00:00Z&to=2026-04-21T00:00:00Z",
		command: "tidemark rollups sites/my-site --tier day --from 2026-04-01 --to 2026-04-21",
	},
	{
		about: "a site by its id",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.subjects.Get(ctx, site)
		},
		measured: func(ctx context.Context, w *world) (any, error) {
			return w.query.Profile(ctx, site, false)
		},
		action: httpapi.ReadProfile, of: "SITE", words: []string{"my-site"},
		command: "tidemark subject get sites/my-site",
	},
}
