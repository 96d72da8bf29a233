package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// repair is the operator. Records that were given up, or lost before their delivery, are
// redriven from the table stream while it keeps them, or rebuilt from the events.
type repair struct {
	*world
	ranges  int
	pending map[int][]storage.Change
	// recomputed are the targets of repairs that are not over.
	recomputed map[recomputed]bool
}

func newRepair(w *world) *repair {
	return &repair{world: w, pending: map[int][]storage.Change{}, recomputed: map[recomputed]bool{}}
}

// lost schedules the repair of records that will not be delivered any more.
func (r *repair) lost(records []eventsource.Record) {
	n := r.ranges
	r.ranges++
	r.pending[n] = decodeChanges(records)
	dice := r.dice.Part("repair", n)
	wait := time.Minute
	switch raw := r.kind().Retention.LeastRawRetention(); dice.Pick("repaired",
		map[bool]int{false: 4, true: 2}[r.nothingExpires]) {
	case 1:
		wait += dice.Span("soon", 5*time.Hour)
	case 2:
		wait += dice.Span("in time", raw-6*time.Hour)
	case 3:
		wait += dice.Span("perhaps too late", raw+raw/4)
	}
	r.After(wait, func() { r.attempt(n, 0, dice, records) })
}

// attempt repairs a range, and schedules another attempt if it fails.
func (r *repair) attempt(n, try int, dice simstream.Dice, records []eventsource.Record) {
	dice = dice.Part("try", try)
	age := r.Now().Sub(records[0].At)
	finished := func(done bool) {
		if done {
			r.oracle.acceptNow(r.pending[n])
			delete(r.pending, n)
			return
		}
		r.After(time.Minute, func() { r.attempt(n, try+1, dice, records) })
	}
	if age < simstream.Kept {
		r.Count("ranges redriven")
		r.Invoke(fmt.Sprintf("redrive %d", n), dice, records, finished)
		return
	}
	options := aggregate.RepairOptions{Mark: aggregate.MarkSealed}
	if age > r.kind().Retention.LeastRawRetention()-repairMargin {
		r.Count("ranges repaired too late and marked inexact")
		options.Mark = aggregate.MarkAll
	}
	r.Count("ranges rebuilt")
	r.recompute(fmt.Sprintf("rebuild %d", n), dice, r.pending[n], options, finished)
}

// repairMargin is how long before its events expire a range must be repaired.
const repairMargin = 3 * time.Hour

// recompute recomputes the buckets of changes, each finest bucket once, as the commands of repair do.
func (r *repair) recompute(name string, dice simstream.Dice, changes []storage.Change,
	options aggregate.RepairOptions, done func(bool)) {
	var targets []aggregate.Target
	for _, c := range r.ofEvents(changes) {
		target := aggregate.Target{Series: c.Key.Series, At: c.Key.At}
		if tiers := r.kind().Retention.Tiers; len(tiers) > 0 {
			target.At = tiers[0].Unit.BucketAt(target.At).Start
		}
		if !slices.Contains(targets, target) {
			targets = append(targets, target)
		}
	}
	targets = slices.DeleteFunc(targets, func(t aggregate.Target) bool {
		return r.recomputed[recomputed{repair: name, target: t, mark: options.Mark}]
	})
	r.Go(name, dice, func(ctx context.Context) {
		r.Logf(name, "recomputes %d buckets of %d changes", len(targets), len(changes))
		for some := range slices.Chunk(targets, targetsAtOnce) {
			report := r.operator(dice).Recompute(ctx, some, options)
			r.countReport(&report)
			if len(report.Failures) > 0 || ctx.Err() != nil {
				done(false)
				return
			}
			for _, t := range some {
				r.recomputed[recomputed{repair: name, target: t, mark: options.Mark}] = true
			}
		}
		done(true)
	})
}

// recomputed is a target that a repair has recomputed. A repair that failed goes on with the targets that are
// left: from the start, one of many buckets under many faults would hardly ever end.
type recomputed struct {
	repair string
	target aggregate.Target
	mark   aggregate.MarkMode
}

// targetsAtOnce is how many targets a repair recomputes in one call.
const targetsAtOnce = 3

// rebuildAll rebuilds every series completely, during live traffic.
func (w *world) rebuildAll(name string, d simstream.Dice, _ model.Time) {
	name += " rebuild"
	w.Go(name, d, func(ctx context.Context) {
		for _, series := range w.oracle.series() {
			report, err := w.repair.operator(d).Rebuild(ctx, aggregate.Rebuild{
				Series: series, From: model.MinTime, To: model.MaxTime,
				RepairOptions: aggregate.RepairOptions{Mark: aggregate.MarkNone},
			})
			w.countReport(&report)
			w.Logf(name, "rebuilt %s: %v", seriesName(series), err)
		}
	})
}

// operator returns the aggregator of an operator's command.
func (r *repair) operator(dice simstream.Dice) *aggregate.Aggregator {
	return r.aggregator(&simstream.Process{Now: r.Now, Sleep: r.Sleep, Rand: dice.Part("operator").Rand()})
}

// pendingRows returns the rows of changes whose repair is pending.
func (r *repair) pendingRows() map[rollup.Key]bool {
	rows := map[rollup.Key]bool{}
	for _, changes := range r.pending {
		for _, c := range r.ofEvents(changes) {
			for _, t := range r.kind().Retention.Tiers {
				rows[rowOver(t, c.Key)] = true
			}
		}
	}
	return rows
}

// ofEvents returns the changes, and in place of each move one change of every event that it concerns.
func (r *repair) ofEvents(changes []storage.Change) (all []storage.Change) {
	for _, c := range changes {
		if c.Type != storage.Moved {
			all = append(all, c)
			continue
		}
		for _, key := range r.oracle.moved(c) {
			all = append(all, storage.Change{Type: storage.Corrected, Key: key})
		}
	}
	return all
}

// decodeChanges returns the changes in records, without expiries.
func decodeChanges(records []eventsource.Record) (changes []storage.Change) {
	var payload struct{ Records []json.RawMessage }
	for _, r := range records {
		payload.Records = append(payload.Records, r.Body)
	}
	body, err := json.Marshal(payload)
	if err != nil {
		panic(err) // simulated records are valid JSON
	}
	var decoder tablestream.Decoder
	batch, err := decoder.Decode(body)
	if err != nil {
		panic(err)
	}
	for _, c := range batch.Changes {
		if c.Type != storage.Expired {
			changes = append(changes, c)
		}
	}
	return changes
}
