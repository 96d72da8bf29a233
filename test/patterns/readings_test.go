package patterns

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// readingPatterns append and read events of devices.
var readingPatterns = []pattern{
	{
		about: "the latest reading",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.readings.Latest(ctx, sensor)
		},
		action: httpapi.ReadLatest, of: "READING", words: []string{"sensor_01"},
		command: "tidemark latest devices/sensor_01",
	},
	{
		about: "readings in a range, newest first, a page of 100",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.readings.Page(ctx, sensor, timeseries.In(april, today), timeseries.Newest(),
				timeseries.Limit(100))
		},
		action: httpapi.ReadHistory, of: "READING", words: []string{"sensor_01"}, params: "from=2026-04-01T00:00:00Z&to=2026-04-20T00:00:00Z",
		command: "tidemark history devices/sensor_01 --from 2026-04-01 --to 2026-04-20 --limit 100",
	},
	{
		about: "the newest 20 readings",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.readings.Page(ctx, sensor, timeseries.Newest(), timeseries.Limit(20))
		},
		action: httpapi.ReadHistory, of: "READING", words: []string{"sensor_01"}, params: "limit=20",
		command: "tidemark history devices/sensor_01",
	},
	{
		about: "readings of one stream",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.readings.Page(ctx, timeseries.Key{Subject: "sensor_01", Stream: "outside"},
				timeseries.In(april, today), timeseries.Limit(100))
		},
		action: httpapi.ReadHistory, of: "READING", words: []string{"sensor_01"}, params: "stream=outside&from=2026-04-01T00:00:00Z&to=2026-04-20T00:00:00Z&order=oldest",
		command: "tidemark history devices/sensor_01 --stream outside --from 2026-04-01 --to 2026-04-20 --newest=false",
	},
	{
		about: "one field of the readings that meet a condition",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.readings.Page(ctx, sensor, timeseries.In(april, today), timeseries.Limit(100),
				timeseries.Where("temperature", model.Greater, 20), timeseries.Only("temperature"))
		},
		action: httpapi.ReadHistory, of: "READING", words: []string{"sensor_01"}, params: "from=2026-04-01T00:00:00Z&to=2026-04-20T00:00:00Z&where=temperature%3E20&fields=temperature",
		command: "tidemark history devices/sensor_01 --from 2026-04-01 --to 2026-04-20 --where 'temperature>20' --fields temperature",
	},
	{
		about: "one reading by its time",
		measured: func(ctx context.Context, w *world) (any, error) {
			kind, _ := w.kinds.Kind("READING")
			order := model.Order{At: at(march)}
			return storage.Event(ctx, w.query.Store,
				model.EventKey{Series: kind.Series("sensor_01", "", order), Order: order})
		},
		action: httpapi.ReadEvent, of: "READING", words: []string{"sensor_01", "2026-03-01T00:00:00Z"},
		command: "tidemark event get devices/sensor_01 2026-03-01T00:00:00Z",
	},
	{
		about: "the streams of a device, first and last seen",
		measured: func(ctx context.Context, w *world) (any, error) {
			return w.query.Series(ctx, query.SeriesList{Subject: device, Limit: 100})
		},
		action: httpapi.ReadSeries, of: "DEVICE", words: []string{"sensor_01"},
		command: "tidemark ls devices/sensor_01",
	},
	{
		about: "a summary of a month; other ranges are cut into tiers, a request each",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.readings.Total(ctx, sensor, timeseries.In(march, april))
		},
		action: httpapi.ReadTotal, of: "READING", words: []string{"sensor_01"}, params: "from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z",
		command: "tidemark rollups devices/sensor_01 --total --from 2026-03-01 --to 2026-04-01",
	},
	{
		about: "the number of readings",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.readings.Count(ctx, sensor, timeseries.In(april, today))
		},
		action: httpapi.ReadCount, of: "READING", words: []string{"sensor_01"}, params: "from=2026-04-01T00:00:00Z&to=2026-04-20T00:00:00Z",
		command: "tidemark history devices/sensor_01 --from 2026-04-01 --to 2026-04-20 --count",
	},
	{
		about: "an hour, recounted from its readings",
		measured: func(ctx context.Context, w *world) (any, error) {
			series := model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING"}
			return w.buckets.Verify(ctx, w.series("READING", "sensor_01").Kind, series, tier.Hour, at(today))
		},
		action: httpapi.VerifyBucket, of: "READING", words: []string{"sensor_01", "hour"},
		params:  "at=2026-04-20T00:00:00Z",
		command: "tidemark verify devices/sensor_01 --tier hour --from 2026-04-20 --to 2026-04-20T01:00:00Z",
	},
	{
		about: "append a reading, which expires by itself",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.readings.Append(ctx, Reading{Device: "sensor_01", At: now, Temperature: &warm})
		},
		action: httpapi.Append, of: "READING",
		command: "tidemark import readings.ndjson",
	},
	{
		about: "append several readings in one transaction",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.readings.AppendAll(ctx, []Reading{{Device: "sensor_01", At: today, Temperature: &warm},
				{Device: "sensor_01", At: now, Temperature: &warm}})
		},
		action: httpapi.Append, of: "READING",
		command: "tidemark import readings.ndjson",
	},
}

// rollupPatterns read rollups of devices.
var rollupPatterns = []pattern{
	{
		about: "hourly rollups of a day",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.readings.Rollups(ctx, sensor, tier.Hour, timeseries.In(today, tomorrow))
		},
		action: httpapi.ReadRollups, of: "READING", words: []string{"sensor_01", "hour"}, params: "from=2026-04-20T00:00:00Z&to=2026-04-21T00:00:00Z",
		command: "tidemark rollups devices/sensor_01 --tier hour --from 2026-04-20 --to 2026-04-21",
	},
	{
		about: "daily rollups of a month",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.readings.Rollups(ctx, sensor, tier.Day, timeseries.In(march, april))
		},
		action: httpapi.ReadRollups, of: "READING", words: []string{"sensor_01", "day"}, params: "from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z",
		command: "tidemark rollups devices/sensor_01 --tier day --from 2026-03-01 --to 2026-04-01",
	},
	{
		about: "a year as a chart, in the best tier",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.readings.Chart(ctx, sensor, timeseries.In(year, today), timeseries.Limit(400))
		},
		action: httpapi.ReadChart, of: "READING", words: []string{"sensor_01"}, params: "from=2025-04-20T00:00:00Z&to=2026-04-20T00:00:00Z&points=400",
		command: "tidemark rollups devices/sensor_01 --from 2025-04-20 --to 2026-04-20",
	},
	{
		about: "a chart of several streams merged",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.readings.Chart(ctx, sensor, timeseries.In(year, today), timeseries.AndStreams("outside"),
				timeseries.Limit(400))
		},
		action: httpapi.ReadChart, of: "READING", words: []string{"sensor_01"}, params: "from=2025-04-20T00:00:00Z&to=2026-04-20T00:00:00Z&points=400&stream=&stream=outside",
		command: "tidemark rollups devices/sensor_01 --from 2025-04-20 --to 2026-04-20 --stream '' --stream outside",
	},
}
