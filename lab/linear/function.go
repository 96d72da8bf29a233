package linear

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// handler is the aggregate function of one process.
func (w *world) handler(p *simstream.Process) eventsource.Invoke {
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		batch, err := new(tablestream.Decoder).Decode(payload)
		if err != nil {
			return nil, err
		}
		changes := batch.Changes
		if w.variant.changes != nil {
			changes = w.variant.changes(w, changes)
		}
		withoutImages(changes)
		type failure struct {
			Seq string `json:"itemIdentifier"`
		}
		failures := []failure{}
		if report := w.aggregator(p).Process(ctx, changes); len(report.Failures) > 0 {
			failures = []failure{{changes[report.Failures[0].Change].Seq}}
		}
		return json.Marshal(map[string]any{"batchItemFailures": failures})
	}
}

// sweepLater schedules the sweep that finds an invalidation.
func (w *world) sweepLater(i storage.Invalidation) {
	name := tablekeys.Invalidation(i).SK
	if w.swept[name] {
		return
	}
	w.swept[name] = true
	shard, d := i.Shard, w.dice.Part("sweep "+name)
	w.At(i.Due.Add(aggregate.ClockMargin+d.Span("at", 4*time.Minute)), func() { w.sweep(shard, d, 40) })
}

// lateWait reports whether late changes wait in the queue: the rows of their closed buckets need not
// have them.
func (w *world) lateWait() bool {
	policy := w.log.Kind.Retention
	for _, shard := range storage.FirstGeneration.QueueShards() {
		// a table in memory does not fail
		page, _ := w.store.Table.Invalidations(context.Background(), shard, model.MaxTime, "")
		for _, i := range page.Invalidations {
			unit, _ := tier.ParseUnit(i.Key.Tier)
			if _, level, _ := policy.Find(unit); i.Due > policy.ClosesAt(level, unit.BucketAt(i.Key.Start),
				i.Key.Series) {
				return true
			}
		}
	}
	return false
}

// sweep sweeps a queue shard. If it fails or leaves something, it is repeated.
func (w *world) sweep(shard storage.QueueShard, d simstream.Dice, repeats int) {
	w.Go(fmt.Sprintf("sweep of queue shard %v", shard), d, func(ctx context.Context) {
		agg := w.aggregator(&simstream.Process{Now: w.Now, Sleep: w.Sleep, Rand: d.Part("random").Rand()})
		report, err := agg.Sweep(ctx, shard)
		if (err != nil || report.Left > 0) && repeats > 0 {
			w.After(5*time.Minute, func() { w.sweep(shard, d.Part("again", repeats), repeats-1) })
		}
	})
}

// withoutImages removes what the records say about fields. Latest items then change with appends alone, as
// the model has them: a correction and the fold of its latest item are two writes, which no single step of a
// sequential model explains. The fold is checked by the tests of internal/engine/latest.
func withoutImages(changes []storage.Change) {
	for i := range changes {
		changes[i].Before, changes[i].After = nil, nil
	}
}
