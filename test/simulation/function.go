package main

import (
	"context"
	"encoding/json"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

// handler is the aggregate function as one process runs it: what functions/aggregate
// does, without its log and its metrics.
func (w *world) handler(p *streamtest.Process) streamtest.Invoke {
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		var decoder envelope.StreamDecoder
		batch, err := decoder.Decode(payload)
		if err != nil {
			return nil, err
		}
		unsettled := map[string]bool{}
		agg := w.aggregator(p)
		for i := range batch.Poison {
			if err := agg.SetAside(ctx, batch.Poison[i].Quarantined()); err != nil {
				unsettled[batch.Poison[i].Seq] = true
			}
		}
		report := w.settle(ctx, agg, batch.Changes)
		for _, f := range report.Failures {
			unsettled[batch.Changes[f.Change].Seq] = true
		}
		return json.Marshal(w.answerOf(batch.Seqs, unsettled))
	}
}

type answer struct {
	Failures []failure `json:"batchItemFailures"`
}

type failure struct {
	Seq string `json:"itemIdentifier"`
}

// answerOf names the first unsettled record in batch order.
func (w *world) answerOf(seqs []string, unsettled map[string]bool) answer {
	for i, seq := range seqs {
		switch {
		case !unsettled[seq]:
		case w.rule.answer != nil:
			return answer{w.rule.answer(seqs, i)}
		default:
			return answer{[]failure{{seq}}}
		}
	}
	return answer{[]failure{}}
}

// aggregator is the real one, on the simulated table. Looks are made one after
// another: invocations are what is concurrent.
func (w *world) aggregator(p *streamtest.Process) *aggregate.Aggregator {
	agg := &aggregate.Aggregator{
		Store: w.store, Quarantine: w.store, Catalog: w.catalogOf(p), Now: p.Now, Rand: p.Rand, Sleep: p.Sleep,
		Limits: aggregate.Limits{
			Concurrency: 1,
			Buckets:     []int{500, 1, 2}[w.dice.Pick("buckets", 3)],
			Resume:      w.resume(),
		},
	}
	if w.rule.store != nil {
		agg.Store = w.rule.store(w)
	}
	if w.rule.settings != nil {
		w.rule.settings(w, agg)
	}
	return agg
}

// resume is what a resume point must save: in most histories next to nothing, so that
// rows of a few events have one wherever one is possible.
func (w *world) resume() float64 {
	if w.dice.Chance("resume points pay", .25) {
		return 0
	}
	return 1e-12
}

// catalogOf is what a process knows of the kinds.
func (w *world) catalogOf(p *streamtest.Process) *catalog.Catalog {
	if w.before != nil && p.Old() {
		return w.before
	}
	return w.now
}

func (w *world) settle(ctx context.Context, agg *aggregate.Aggregator, changes []model.Change) aggregate.Report {
	if w.rule.changes != nil {
		changes = w.rule.changes(changes)
	}
	r := agg.Settle(ctx, changes)
	w.countReport(&r)
	return r
}

func (w *world) countReport(r *aggregate.Report) {
	for name, n := range map[string]int{
		"looks": r.Looks, "rows written": r.Written, "looks unchanged": r.Unchanged, "folds resumed": r.Resumed, "looks at sealed rows": r.Sealed,
		"rows marked": r.Marked, "rows not made": r.NotMade, "locks lost": r.Lost, "writes uncertain": r.Uncertain,
		"writes throttled": r.Throttled, "expiries dropped": r.Expired, "set aside": r.Quarantined,
	} {
		w.Add(name, n)
	}
}
