package simulation

import (
	"context"
	"encoding/json"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// handler returns the aggregate function of one process: functions/aggregate without logs, metrics
// and alerts.
func (w *world) handler(p *simstream.Process) eventsource.Invoke {
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		var decoder tablestream.Decoder
		batch, err := decoder.Decode(payload)
		if err != nil {
			return nil, err
		}
		failed := map[string]bool{}
		agg := w.aggregator(p)
		for i := range batch.Poison {
			if err := agg.Quarantine(ctx, batch.Poison[i].Quarantined()); err != nil {
				failed[batch.Poison[i].Seq] = true
			}
		}
		report := w.process(ctx, agg, batch.Changes)
		for _, f := range report.Failures {
			failed[batch.Changes[f.Change].Seq] = true
		}
		return json.Marshal(w.batchResponse(batch.Seqs, failed))
	}
}

type response struct {
	Failures []failure `json:"batchItemFailures"`
}

type failure struct {
	Seq string `json:"itemIdentifier"`
}

// batchResponse names the first failed record in batch order.
func (w *world) batchResponse(seqs []string, failed map[string]bool) response {
	for i, seq := range seqs {
		switch {
		case !failed[seq]:
		case w.variant.respond != nil:
			return response{w.variant.respond(seqs, i)}
		default:
			return response{[]failure{{seq}}}
		}
	}
	return response{[]failure{}}
}

// aggregator returns the real aggregator, on the simulated table. It recomputes one bucket
// at a time: only invocations are concurrent.
func (w *world) aggregator(p *simstream.Process) *aggregate.Aggregator {
	agg := &aggregate.Aggregator{
		Store: production{w.store}, QuarantineStore: w.store, Catalog: w.processCatalog(p),
		Now: w.deferredClock(p.Now), Rand: p.Rand, Sleep: p.Sleep,
		Limits: aggregate.Limits{
			Concurrency: 1,
			Buckets:     []int{500, 1, 2}[w.dice.Pick("buckets", 3)],
		},
	}
	if w.variant.store != nil {
		agg.Store = w.variant.store(w)
	}
	if w.variant.settings != nil {
		w.variant.settings(w, agg)
	}
	return agg
}

// processCatalog returns the catalog of a process, which may run old code.
func (w *world) processCatalog(p *simstream.Process) *catalog.Catalog {
	if w.before != nil && p.Old() {
		return w.before
	}
	return w.now
}

func (w *world) process(ctx context.Context, agg *aggregate.Aggregator,
	changes []storage.Change) aggregate.Report {
	if w.variant.changes != nil {
		changes = w.variant.changes(changes)
	}
	r := agg.Process(ctx, changes)
	w.countReport(&r)
	return r
}

func (w *world) countReport(r *aggregate.Report) {
	for name, n := range map[string]int{
		"recomputations": r.Recomputed, "rows written": r.Written, "rows unchanged": r.Unchanged,
		"recomputations of sealed rows": r.Sealed, "rows marked inexact": r.MarkedInexact,
		"rows not created": r.NotCreated, "buckets left to a sweep": r.Deferred,
		"invalidations written": r.Invalidations, "locks lost": r.LostLocks,
		"writes without a result": r.UnknownResults, "writes throttled": r.Throttled, "expiries dropped": r.Expired,
		"changes quarantined": r.Quarantined,
	} {
		w.Add(name, n)
	}
}
