package patterns

import (
	"context"
	"time"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// pattern is one thing that is asked of the table.
type pattern struct {
	about string // what is asked, in a few words
	// call is how it is asked in Go: one expression, which the page shows as it stands.
	call func(ctx context.Context, w *world) (any, error)

	action  httpapi.Action // over HTTP
	of      string         // the kind's name, or the subject type's
	words   []string       // of the path, in order: the id, the tier, …
	params  string         // the query string
	command string         // on the command line; "" where there is none
}

// group is the patterns of one need.
type group struct {
	name     string
	patterns []pattern
}

// world is what the calls are made on.
type world struct {
	kinds  *catalog.Catalog
	ingest *ingest.Service
	query  *query.Service
	life   *lifecycle.Service
	purger *lifecycle.Purger
	alerts *alert.Service
}

func (w *world) series(kind, id string) query.Series {
	k, _ := w.kinds.Kind(kind)
	return query.Series{Kind: k, Subject: id}
}

// The subjects and times of the patterns.
var (
	device = model.Subject{Type: "DEVICE", ID: "sensor_01"}
	site   = model.Subject{Type: "SITE", ID: "my-site"}

	year  = day(2025, time.April, 20)
	march = day(2026, time.March, 1)
	april = day(2026, time.April, 1)
	today = day(2026, time.April, 20)
	now   = today.Add(14*time.Hour + 30*time.Minute)
)

func day(year int, month time.Month, day int) model.Time {
	return model.TimeOf(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
}

// all is every pattern. A new one is a row here, and no more.
var all = []group{
	{"Readings of devices", []pattern{
		{
			about: "the latest reading",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.query.Latest(ctx, w.series("READING", "sensor_01"), false)
			},
			action: httpapi.ReadLatest, of: "READING", words: []string{"sensor_01"},
			command: "tidemark latest devices/sensor_01",
		},
		{
			about: "readings in a range, newest first, a page of 100",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.query.History(ctx, query.History{Series: w.series("READING", "sensor_01"), From: april, To: today, Newest: true, Limit: 100})
			},
			action: httpapi.ReadHistory, of: "READING", words: []string{"sensor_01"}, params: "from=2026-04-01T00:00:00Z&to=2026-04-20T00:00:00Z",
			command: "tidemark history devices/sensor_01 --from 2026-04-01 --to 2026-04-20 --limit 100",
		},
		{
			about: "the newest 20 readings",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.query.History(ctx, query.History{Series: w.series("READING", "sensor_01"), From: model.MinTime, To: model.MaxTime + 1, Newest: true, Limit: 20})
			},
			action: httpapi.ReadHistory, of: "READING", words: []string{"sensor_01"}, params: "limit=20",
			command: "tidemark history devices/sensor_01",
		},
		{
			about: "readings of one stream of several",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.query.History(ctx, query.History{Series: query.Series{Kind: w.series("READING", "").Kind, Subject: "sensor_01", Stream: "outside"}, From: april, To: today, Limit: 100})
			},
			action: httpapi.ReadHistory, of: "READING", words: []string{"sensor_01"}, params: "stream=outside&from=2026-04-01T00:00:00Z&to=2026-04-20T00:00:00Z&order=oldest",
			command: "tidemark history devices/sensor_01 --stream outside --from 2026-04-01 --to 2026-04-20 --newest=false",
		},
		{
			about: "readings that meet a condition, one field of them",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.query.History(ctx, query.History{
					Series: w.series("READING", "sensor_01"), From: april, To: today, Limit: 100,
					Where:  model.Condition{{Field: "temperature", Op: model.Greater, Value: model.NumberValue(model.MustDecimal("20"))}},
					Fields: []string{"temperature"},
				})
			},
			action: httpapi.ReadHistory, of: "READING", words: []string{"sensor_01"}, params: "from=2026-04-01T00:00:00Z&to=2026-04-20T00:00:00Z&where=temperature%3E20&fields=temperature",
			command: "tidemark history devices/sensor_01 --from 2026-04-01 --to 2026-04-20 --where 'temperature>20' --fields temperature",
		},
		{
			about: "how many readings there are",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.query.Count(ctx, query.History{Series: w.series("READING", "sensor_01"), From: april, To: today})
			},
			action: httpapi.ReadCount, of: "READING", words: []string{"sensor_01"}, params: "from=2026-04-01T00:00:00Z&to=2026-04-20T00:00:00Z",
			command: "tidemark history devices/sensor_01 --from 2026-04-01 --to 2026-04-20 --count",
		},
		{
			about: "take a reading in; it expires by itself",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.ingest.AppendEvents(ctx, w.series("READING", "").Kind, []ingest.TypedObservation{{Subject: "sensor_01", At: now, Attrs: reading}})
			},
			action: httpapi.Append, of: "READING",
			command: "tidemark replay readings.ndjson",
		},
		{
			about: "take several readings in, as one transaction",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.ingest.AppendEvents(ctx, w.series("READING", "").Kind, []ingest.TypedObservation{{Subject: "sensor_01", At: today, Attrs: reading}, {Subject: "sensor_01", At: now, Attrs: reading}})
			},
			action: httpapi.Append, of: "READING",
			command: "tidemark replay readings.ndjson",
		},
	}},
	{"Rollups", []pattern{
		{
			about: "hourly aggregations of a day",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.query.Rollups(ctx, query.Rollups{Series: w.series("READING", "sensor_01"), Unit: tier.Hour, From: today, To: today.Add(tier.Day24)})
			},
			action: httpapi.ReadRollups, of: "READING", words: []string{"sensor_01", "hour"}, params: "from=2026-04-20T00:00:00Z&to=2026-04-21T00:00:00Z",
			command: "tidemark rollups devices/sensor_01 --tier hour --from 2026-04-20 --to 2026-04-21",
		},
		{
			about: "daily aggregations of a month",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.query.Rollups(ctx, query.Rollups{Series: w.series("READING", "sensor_01"), Unit: tier.Day, From: march, To: april})
			},
			action: httpapi.ReadRollups, of: "READING", words: []string{"sensor_01", "day"}, params: "from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z",
			command: "tidemark rollups devices/sensor_01 --tier day --from 2026-03-01 --to 2026-04-01",
		},
		{
			about: "a year on a chart, in the tier that suits",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.query.Chart(ctx, query.Chart{Rollups: query.Rollups{Series: w.series("READING", "sensor_01"), From: year, To: today, Limit: 400}})
			},
			action: httpapi.ReadChart, of: "READING", words: []string{"sensor_01"}, params: "from=2025-04-20T00:00:00Z&to=2026-04-20T00:00:00Z&points=400",
			command: "tidemark rollups devices/sensor_01 --from 2025-04-20 --to 2026-04-20",
		},
		{
			about: "the same of several streams together",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.query.Chart(ctx, query.Chart{Rollups: query.Rollups{Series: w.series("READING", "sensor_01"), Streams: []string{"outside"}, From: year, To: today, Limit: 400}})
			},
			action: httpapi.ReadChart, of: "READING", words: []string{"sensor_01"}, params: "from=2025-04-20T00:00:00Z&to=2026-04-20T00:00:00Z&points=400&stream=&stream=outside",
			command: "tidemark rollups devices/sensor_01 --from 2025-04-20 --to 2026-04-20 --stream '' --stream outside",
		},
	}},
	{"Subjects and their lives", []pattern{
		{
			about: "a device by its id",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.query.Profile(ctx, device, false)
			},
			action: httpapi.ReadProfile, of: "DEVICE", words: []string{"sensor_01"},
			command: "tidemark subject get devices/sensor_01",
		},
		{
			about: "devices by status",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.life.ListByField(ctx, "DEVICE", "status", "active", lifecycle.Cursor{}, 100)
			},
			action: httpapi.ListSubjects, of: "DEVICE", params: "field=status&value=active",
			command: "tidemark subject list devices status=active",
		},
		{
			about: "deleted devices, latest first",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.life.ListDeleted(ctx, "DEVICE", lifecycle.Cursor{}, 100)
			},
			action: httpapi.ListSubjects, of: "DEVICE", params: "deleted=true",
			command: "tidemark subject list devices --deleted",
		},
		{
			about: "a deleted device",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.life.Deleted(ctx, model.Subject{Type: "DEVICE", ID: "sensor_07"})
			},
			action: httpapi.ReadDeleted, of: "DEVICE", words: []string{"sensor_07"},
			command: "tidemark subject get devices/sensor_07 --deleted",
		},
		{
			about: "what a device was, newest version first",
			call: func(ctx context.Context, w *world) (any, error) {
				page, _, err := w.life.Versions(ctx, device, 0, 20)
				return page, err
			},
			action: httpapi.ReadVersions, of: "DEVICE", words: []string{"sensor_01"}, params: "limit=20",
			command: "tidemark subject versions devices/sensor_01",
		},
		{
			about: "one version of a device",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.life.Version(ctx, device, 1)
			},
			action: httpapi.ReadVersion, of: "DEVICE", words: []string{"sensor_01", "1"},
			command: "tidemark subject versions devices/sensor_01 --version 1",
		},
		{
			about: "how far a purge is",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.purger.Progress(ctx, model.Subject{Type: "DEVICE", ID: "sensor_08"})
			},
			action: httpapi.CheckPurge, of: "DEVICE", words: []string{"sensor_08"},
		},
	}},
	{"Alerts", []pattern{
		{
			about: "alerts of a device, newest first",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.alerts.ListBySubject(ctx, device, alert.Filter{}, alert.Cursor{}, 20)
			},
			action: httpapi.ListAlerts, of: "DEVICE", words: []string{"sensor_01"}, params: "limit=20",
			command: "tidemark alerts devices/sensor_01",
		},
		{
			about: "critical alerts that are open, over all devices",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.alerts.ListOpen(ctx, entity.Critical, alert.Cursor{}, 100)
			},
			action: httpapi.ListOpenAlerts, of: "DEVICE", params: "severity=critical",
			command: "tidemark alerts --severity critical",
		},
		{
			about: "one alert",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.alerts.Get(ctx, device, "01KPN3Q8G0V7H4T2W9R5M6C1XA")
			},
			action: httpapi.ReadAlert, of: "DEVICE", words: []string{"sensor_01", "01KPN3Q8G0V7H4T2W9R5M6C1XA"},
		},
		{
			about: "the rules of all devices",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.alerts.Rules(ctx, "DEVICE", "")
			},
			action: httpapi.ListRules, of: "DEVICE",
			command: "tidemark rule list devices",
		},
		{
			about: "the rules of one device alone",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.alerts.Rules(ctx, "DEVICE", "sensor_01")
			},
			action: httpapi.ListOwnRules, of: "DEVICE", words: []string{"sensor_01"},
			command: "tidemark rule list devices/sensor_01",
		},
	}},
	{"Websites", []pattern{
		{
			about: "page views of a day, over the shards of a site",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.query.History(ctx, query.History{Series: w.series("PAGEVIEW", "my-site"), From: today, To: today.Add(tier.Day24), Newest: true, Limit: 100})
			},
			action: httpapi.ReadHistory, of: "PAGEVIEW", words: []string{"my-site"}, params: "from=2026-04-20T00:00:00Z&to=2026-04-21T00:00:00Z",
			command: "tidemark history sites/my-site --kind pageviews --from 2026-04-20 --to 2026-04-21 --limit 100",
		},
		{
			about: "page views of a visitor, over all sites",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.query.QueryIndex(ctx, query.IndexQuery{Kind: w.series("PAGEVIEW", "").Kind, Field: "visitor", Value: "v7", From: today, To: today.Add(tier.Day24), Newest: true, Limit: 100})
			},
			action: httpapi.ReadByIndex, of: "PAGEVIEW", words: []string{"v7"}, params: "from=2026-04-20T00:00:00Z&to=2026-04-21T00:00:00Z",
		},
		{
			about: "real time: the last five minutes",
			call: func(ctx context.Context, w *world) (any, error) {
				from, to := query.Last(5*time.Minute, tier.Minute, now)
				return w.query.Rollups(ctx, query.Rollups{Series: w.series("PAGEVIEW", "my-site"), Unit: tier.Minute, From: from, To: to})
			},
			action: httpapi.ReadRollups, of: "PAGEVIEW", words: []string{"my-site", "minute"}, params: "last=5m",
			command: "tidemark rollups sites/my-site --kind pageviews --tier minute --last 5m",
		},
		{
			about: "the most frequent pages of a day",
			call: func(ctx context.Context, w *world) (any, error) {
				shares, _, err := w.query.Top(ctx, query.Top{Rollups: query.Rollups{Series: w.series("PAGEVIEW", "my-site"), Unit: tier.Day, From: today, To: today.Add(tier.Day24)}, Dimension: "path", Values: 10})
				return shares, err
			},
			action: httpapi.ReadTop, of: "PAGEVIEW", words: []string{"my-site", "path"}, params: "from=2026-04-20T00:00:00Z&to=2026-04-21T00:00:00Z",
			command: "tidemark top sites/my-site path --kind pageviews --from 2026-04-20 --to 2026-04-21",
		},
		{
			about: "all traffic of a site by day: several kinds together",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.query.Rollups(ctx, query.Rollups{Series: w.series("PAGEVIEW", "my-site"), With: []*catalog.Kind{w.series("REQUEST", "").Kind, w.series("MALFORMED", "").Kind}, Unit: tier.Day, From: april, To: today.Add(tier.Day24)})
			},
			action: httpapi.ReadAllRollups, of: "SITE", words: []string{"my-site", "day"}, params: "from=2026-04-01T00:00:00Z&to=2026-04-21T00:00:00Z",
			command: "tidemark rollups sites/my-site --tier day --from 2026-04-01 --to 2026-04-21",
		},
		{
			about: "a site by its id",
			call: func(ctx context.Context, w *world) (any, error) {
				return w.query.Profile(ctx, site, false)
			},
			action: httpapi.ReadProfile, of: "SITE", words: []string{"my-site"},
			command: "tidemark subject get sites/my-site",
		},
	}},
}

// reading is what the appended reading measures.
var reading = model.Attrs{{Name: "temperature", Value: model.NumberValue(model.MustDecimal("22.4"))}}
