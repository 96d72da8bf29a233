package requests

import (
	"net/url"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// invocation is one kind of invocation.
type invocation struct {
	name   string
	before func(*world) error // what happens before, uncounted; may be nil
	invoke func(*world) error
	least  least  // the fewest requests that could do
	why    string // why there are more; "" if there are not
}

// least are the fewest requests, and the fewest of them that wait for each other.
type least struct{ requests, trips int }

// fleet is how many devices report.
const fleet = 1000

// invocations are in the order in which they happen: each begins with the table and the processes as the last
// one left them.
var invocations = []invocation{
	{
		name:   "ingest: the first event of a process and of an hour",
		invoke: func(w *world) error { return w.append(1, 1) },
		least:  least{2, 2},
		why: "the generations of the queue are read each 20 minutes, and an invalidation before it is put, " +
			"for half a read unit; the latest item of a new device is created by a second transaction",
	},
	{
		name:   "ingest: one event",
		invoke: func(w *world) error { return w.append(1, 1) },
		least:  least{1, 1},
	},
	{
		name:   "ingest: 100 events of a device",
		invoke: func(w *world) error { return w.append(1, 100) },
		least:  least{2, 2},
	},
	{
		name:   "ingest: an event of each of 100 devices, the first of the hour",
		before: nextHour,
		invoke: func(w *world) error { return w.append(100, 1) },
		least:  least{104, 2},
		why:    "as the first event: 99 of the devices are new; 64 transactions at once",
	},
	{
		name:   "ingest: an event of each of 100 devices",
		invoke: func(w *world) error { return w.append(100, 1) },
		least:  least{100, 1},
		why:    "64 transactions at once",
	},
	{
		name:   "aggregate: the first batch of 1,000 new series",
		before: nextHour,
		invoke: func(w *world) error { return w.process(fleet) },
		least:  least{fleet + fleet/25, 1},
		why: "entries, purge locks and invalidations are read by hundreds: a read costs a tenth of a put " +
			"whose condition fails; 64 puts of entries at once",
	},
	{
		name:   "aggregate: another batch of an hour",
		invoke: func(w *world) error { return w.process(fleet) },
	},
	{
		name:   "aggregate: the first batch of the next hour",
		before: nextHour,
		invoke: func(w *world) error { return w.process(fleet) },
		least:  least{fleet + fleet/25, 1},
		why:    "as the batch before, without purge locks: the entries exist",
	},
	{
		name: "sweep: 2,101 hours of 1,000 series",
		before: func(w *world) error {
			w.now = morning.Add(4*time.Hour + 30*time.Minute)
			return nil
		},
		invoke: (*world).sweep,
		least:  least{2104 + 1000 + 85 + 40 + 4, 5},
		why: "rows are read by hundreds before their events, of 500 hours at once, and the parents' " +
			"invalidations before they are put; queue shards one after the other here",
	},
	{
		name: "sweep: nothing is due",
		before: func(w *world) error {
			w.now = w.now.Add(time.Minute)
			return nil
		},
		invoke: (*world).sweep,
		least:  least{8, 2},
		why:    "queue shards one after the other here; each writes its low watermark",
	},
	{
		name: "query: the latest reading",
		before: func(w *world) error {
			w.startReaders()
			return w.append(1, 10)
		},
		invoke: func(w *world) error {
			_, err := w.query.Latest(w.ctx, w.series(), false)
			return err
		},
		least: least{1, 1},
	},
	{
		name: "query: the last hour's readings",
		invoke: func(w *world) error {
			_, err := w.query.History(w.ctx, query.History{Series: w.series(), Last: time.Hour, Limit: 100})
			return err
		},
		least: least{1, 1},
	},
	{
		name:   "query: an hour that has closed, by a new process",
		invoke: func(w *world) error { return w.rollups(tier.Hour, morning, morning.Add(time.Hour)) },
		least:  least{3, 2},
		why:    "the state of the table stream, the low watermarks, then the row",
	},
	{
		name:   "query: an hour that has closed",
		invoke: func(w *world) error { return w.rollups(tier.Hour, morning, morning.Add(time.Hour)) },
		least:  least{1, 1},
	},
	{
		name:   "query: an open hour",
		invoke: func(w *world) error { return w.rollups(tier.Hour, morning.Add(4*time.Hour), w.now) },
		least:  least{1, 1},
	},
	{
		name:   "query: a day with an open hour",
		invoke: func(w *world) error { return w.rollups(tier.Day, tier.Day.BucketAt(w.now).Start, w.now) },
		least:  least{2, 1},
		why:    "the closed hours are read before the events of the open one",
	},
	{
		name: "query: a chart of a year by days",
		invoke: func(w *world) error {
			from := tier.Day.BucketAt(w.now.Add(-365 * tier.Day24)).Start
			r := query.Rollups{Series: w.series(), Unit: tier.Day, From: from, To: w.now}
			_, err := w.query.Chart(w.ctx, query.Chart{Rollups: r})
			return err
		},
		least: least{3, 1},
		why:   "the closed days, then the closed hours of today, then the events of the open hour",
	},
	{
		name: "query: the series of a device",
		invoke: func(w *world) error {
			subject := model.Subject{Type: w.kind.Subject.Name, ID: device(0)}
			_, err := w.query.Series(w.ctx, query.SeriesList{Subject: subject, Limit: 100})
			return err
		},
		least: least{1, 1},
	},
	{
		name: "query: 100 series of 1,000",
		invoke: func(w *world) error {
			all := model.Subject{Type: w.kind.Subject.Name}
			_, err := w.query.Series(w.ctx, query.SeriesList{Subject: all, Limit: 100})
			return err
		},
		least: least{4, 1},
	},
	{
		name:   "prometheus: a metric of a device",
		invoke: func(w *world) error { return w.promql(selector("=", device(0))) },
		least:  least{2, 2},
	},
	{
		name:   "prometheus: a metric of two other devices",
		invoke: func(w *world) error { return w.promql(selector("=~", device(1)+"|"+device(2))) },
		least:  least{4, 2},
	},
	{
		name:   "prometheus: a metric of ten devices by a pattern",
		invoke: func(w *world) error { return w.promql(selector("=~", "sensor_000.+")) },
		least:  least{14, 2},
		why:    "eight devices at once",
	},
	{
		name:   "prometheus: once more within a minute",
		invoke: func(w *world) error { return w.promql(selector("=~", "sensor_000.+")) },
		least:  least{10, 1},
		why:    "eight devices at once",
	},
}

// nextHour begins the next hour, by its fifth minute.
func nextHour(w *world) error {
	w.now = tier.Hour.BucketAt(w.now).End.Add(5 * time.Minute)
	return nil
}

func selector(operator, value string) string {
	return url.QueryEscape(`temperature_avg{subject` + operator + `"` + value + `"}`)
}

func (w *world) series() query.Series { return query.Series{Kind: w.kind, Subject: device(0)} }

func (w *world) rollups(u tier.Unit, from, to model.Time) error {
	_, err := w.query.Rollups(w.ctx, query.Rollups{Series: w.series(), Unit: u, From: from, To: to})
	return err
}
