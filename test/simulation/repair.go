package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

// repair is the operator: what was given up, or lost before it was delivered, is
// redriven from the table stream while that keeps it, or rebuilt from the events.
type repair struct {
	*world
	ranges  int
	waiting map[int][]model.Change
}

func newRepair(w *world) *repair { return &repair{world: w, waiting: map[int][]model.Change{}} }

// lost takes note of records that will not be delivered any more, and sees to them
// some time later.
func (r *repair) lost(records []streamtest.Record) {
	n := r.ranges
	r.ranges++
	r.waiting[n] = changesOf(records)
	dice := r.dice.Of("repair", n)
	wait := time.Minute
	switch raw := r.kind().Ladder.Raw; dice.Pick("repaired", map[bool]int{false: 4, true: 2}[r.plain]) {
	case 1:
		wait += dice.Span("soon", 5*time.Hour)
	case 2:
		wait += dice.Span("in time", raw-6*time.Hour)
	case 3:
		wait += dice.Span("perhaps too late", raw+raw/4)
	}
	r.After(wait, func() { r.see(n, 0, dice, records) })
}

// see has a range looked at, again and again until it was.
func (r *repair) see(n, try int, dice streamtest.Dice, records []streamtest.Record) {
	dice = dice.Of("try", try)
	age := r.Now().Sub(records[0].At)
	seen := func(done bool) {
		if done {
			r.oracle.toldNow(r.waiting[n])
			delete(r.waiting, n)
			return
		}
		r.After(time.Minute, func() { r.see(n, try+1, dice, records) })
	}
	if age < streamtest.Kept {
		r.Count("ranges redriven")
		r.Invoke(fmt.Sprintf("redrive %d", n), dice, records, seen)
		return
	}
	terms := aggregate.Terms{Manner: aggregate.MarkSealed}
	if age > r.kind().Ladder.Raw-repairMargin {
		r.Count("ranges repaired too late, and marked")
		terms.Manner = aggregate.MarkEvery
	}
	r.Count("ranges rebuilt")
	r.revisit(fmt.Sprintf("rebuild %d", n), dice, r.waiting[n], terms, seen)
}

// repairMargin is how long before the events of a range expire it has to be looked at.
const repairMargin = 3 * time.Hour

// revisit looks again at the buckets of changes.
func (r *repair) revisit(name string, dice streamtest.Dice, changes []model.Change, terms aggregate.Terms, done func(bool)) {
	places := make([]aggregate.Place, len(changes))
	for i, c := range changes {
		places[i] = aggregate.Place{Series: c.Key.Series, At: c.Key.At}
	}
	r.Go(name, dice, func(ctx context.Context) {
		r.Tell(name, "looks again at the buckets of %d changes", len(places))
		report := r.tool(dice).Revisit(ctx, places, terms)
		r.countReport(&report)
		done(len(report.Failures) == 0 && ctx.Err() == nil)
	})
}

// rebuildAll looks again at all there is of each series, beside live traffic, as
// somebody does who only wants to be sure.
func (w *world) rebuildAll(name string, d streamtest.Dice, _ model.Time) {
	name += " rebuild"
	w.Go(name, d, func(ctx context.Context) {
		for _, series := range w.oracle.series() {
			report, err := w.repair.tool(d).Rebuild(ctx, aggregate.Rebuild{
				Series: series, From: model.MinTime, To: model.MaxTime, Terms: aggregate.Terms{Manner: aggregate.SpareSealed},
			})
			w.countReport(&report)
			w.Tell(name, "rebuilt %s: %v", seriesName(series), err)
		}
	})
}

// tool is the aggregator of an operator's command.
func (r *repair) tool(dice streamtest.Dice) *aggregate.Aggregator {
	return r.aggregator(&streamtest.Process{Now: r.Now, Sleep: r.Sleep, Rand: dice.Of("tool").Rand()})
}

// waits are the rows over what still waits for its repair.
func (r *repair) waits() map[rollup.Key]bool {
	rows := map[rollup.Key]bool{}
	for _, changes := range r.waiting {
		for _, c := range changes {
			for _, t := range r.kind().Ladder.Tiers {
				rows[rowOver(t, c.Key)] = true
			}
		}
	}
	return rows
}

// changesOf are the changes that records tell, expiries apart.
func changesOf(records []streamtest.Record) (changes []model.Change) {
	var payload struct{ Records []json.RawMessage }
	for _, r := range records {
		payload.Records = append(payload.Records, r.Body)
	}
	body, err := json.Marshal(payload)
	if err != nil {
		panic(err) // records of ours are JSON
	}
	var decoder envelope.StreamDecoder
	batch, err := decoder.Decode(body)
	if err != nil {
		panic(err)
	}
	for _, c := range batch.Changes {
		if c.What != model.Expired {
			changes = append(changes, c)
		}
	}
	return changes
}
