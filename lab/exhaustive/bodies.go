package exhaustive

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// aggregator returns the real aggregator on the store of a client.
func (sc *scenario) aggregator(c client, version uint8) *aggregate.Aggregator {
	agg := &aggregate.Aggregator{
		Store: c, QuarantineStore: c, Catalog: sc.catalogs[version], Now: c.Now, Rand: c, Sleep: c.Sleep,
		Limits: aggregate.Limits{Concurrency: 1},
	}
	if sc.store != nil {
		agg.Store = sc.store(c)
	}
	return agg
}

// function is an aggregate function: it processes one batch after another, and keeps what
// it remembers between them.
func (sc *scenario) function(version uint8) func(*driver) {
	return func(d *driver) {
		agg := sc.aggregator(client{driver: d}, version)
		for failed := ""; ; {
			r := d.ask(&request{kind: idle, text: failed})
			if r.err != nil {
				return
			}
			report := agg.Process(d.ctx, r.value.([]storage.Change))
			if failed = ""; len(report.Failures) > 0 {
				failed = fmt.Sprint(report.Failures)
			}
		}
	}
}

// sweep is one sweep of the queue shard of the series.
func (sc *scenario) sweep(version uint8) func(*driver) {
	return func(d *driver) {
		report, err := sc.aggregator(client{driver: d}, version).Sweep(d.ctx, storage.FirstGeneration.Shard(series))
		failed := ""
		if err != nil || report.Left > 0 {
			failed = fmt.Sprint(err, report.Failures)
		}
		d.ask(&request{kind: ended, text: failed})
	}
}

// append sends an event to the ingest service.
func (sc *scenario) append(event int, version uint8) func(*driver) {
	return func(d *driver) {
		c := client{driver: d}
		service := &ingest.Service{Store: c, Limits: config.Default().Limits, Now: c.Now,
			Rand: &tokens{event: byte(event)}, Sleep: c.Sleep, Parallel: 1}
		results, err := service.AppendEvents(d.ctx, sc.kind(version), []ingest.TypedObservation{{
			Subject: series.Subject.ID, At: sc.at[event],
			Attrs: model.Attrs{{Name: "value", Value: model.NumberValue(eventValue(event))}},
		}})
		failed := ""
		if err != nil {
			failed = err.Error()
		}
		d.ask(&request{kind: ended, text: failed, value: results})
	}
}

// tokens makes the tokens of the transactions of one append.
type tokens struct{ event, made byte }

// Read fills b with the next token.
func (t *tokens) Read(b []byte) (int, error) {
	t.made++
	for i := range b {
		b[i] = t.event<<4 | t.made
	}
	return len(b), nil
}

// readResult is what a reader got.
type readResult struct {
	rows    []rollup.Row
	through model.Time // the low watermark that it used
}

// watermarks remembers the low watermark that was read last.
type watermarks struct {
	client
	through *model.Time
}

// Sweeps reads the low watermarks.
func (w watermarks) Sweeps(ctx context.Context) (storage.LowWatermarks, error) {
	all, err := w.client.Sweeps(ctx)
	*w.through = all.For(series)
	return all, err
}

// reader reads the rows of the day of the first event. It may have read the low watermark
// long before it begins.
func (sc *scenario) reader(version uint8) func(*driver) {
	return func(d *driver) {
		c := client{driver: d}
		a := &readResult{through: model.MinTime}
		live := &query.Live{
			Store: c, Watermarks: watermarks{c, &a.through}, Kind: query.CatalogKinds(sc.catalogs[version]),
			Now: c.Now, Parallel: 1,
		}
		_, err := live.CompleteThrough(d.ctx, series)
		d.ask(&request{kind: begin})
		day := tier.Day.BucketAt(sc.at[0])
		pages := storage.Range{Series: series, From: day.Start, To: day.End, Consistent: true}
		for err == nil {
			page, e := live.Rows(d.ctx, sc.read, pages)
			a.rows, err = append(a.rows, page.Rows...), e
			if pages.After = page.Next; pages.After == "" {
				break
			}
		}
		failed := ""
		if err != nil {
			failed = err.Error()
		}
		text := ""
		for i := range a.rows {
			_, row := rowText(&a.rows[i])
			text += row
		}
		d.ask(&request{kind: ended, text: fmt.Sprint(a.through, failed, text), value: a})
	}
}
