package lifecycle_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

var histories = flag.Int("histories", 250, "histories of purges racing with appends; 1000 take half a minute")

// race is one simulated history: alice is purged while appends to her and to bob, and
// changes of her profile, are under way, and while the table stream is delivered late,
// twice, in any cut, by functions that die.
type race struct {
	*streamtest.Sim
	table *memory.Table
	seen  uint64
	cat   *catalog.Catalog
	door  *ingest.Service
	life  *lifecycle.Service
	purge *lifecycle.Purger
	done  bool // the purge has ended
	rule  raceRule
}

// raceRule leaves a part of the purge out, to see that it is missed.
type raceRule struct {
	timing   *lifecycle.Timing
	unfenced bool // fences are not written
	ungated  bool // kinds without current do not look at the gate
	once     bool // the second pass removes nothing
}

// The longest that anybody takes in a simulated history: an invocation is killed
// after a quarter of an hour, and its last write may land five minutes later.
var raceTiming = lifecycle.Timing{Wait: 21 * time.Minute, Settle: 21 * time.Minute}

func raceKinds() *catalog.Catalog {
	employees := catalog.SubjectType{Name: "EMPLOYEE", Profile: &employee}
	measures := []rollup.MeasureSpec{{Name: "n", Scale: 0}}
	cat, err := catalog.New(
		catalog.Kind{Name: "READING", Subject: employees, Measures: measures},
		catalog.Kind{Name: "SPREAD", Subject: employees, Measures: measures, Shards: 2},
		catalog.Kind{Name: "VIEW", Subject: employees, Measures: measures, WithoutCurrent: true},
	)
	if err != nil {
		panic(err)
	}
	return cat
}

func playRace(rule raceRule) func(*streamtest.Sim) {
	return func(s *streamtest.Sim) {
		r := &race{Sim: s, table: memory.New(s.Now), cat: raceKinds(), rule: rule}
		s.Begin(noon)
		store := &raceStore{race: r, Table: r.table}
		r.door = &ingest.Service{Store: store, Limits: config.Default().Limits, Rand: s.Dice().Of("door").Rand(), Parallel: 1, Now: s.Now,
			Sleep: s.Sleep, Patience: retry.Patience{Attempts: 6}, Gates: store, GateFor: 5 * time.Minute}
		if rule.ungated {
			r.door.Gates = nil
		}
		r.life = &lifecycle.Service{Store: store, Profile: r.cat.Profile, Limits: config.Default().Limits, Now: s.Now,
			Rand: s.Dice().Of("life").Rand(), Sleep: s.Sleep}
		r.purge = &lifecycle.Purger{Store: store, Now: s.Now, Rand: s.Dice().Of("purge").Rand(), Sleep: s.Sleep, Shards: 3, Timing: raceTiming}
		if rule.timing != nil {
			r.purge.Timing = *rule.timing
		}
		filter, err := streamtest.ParseFilter(keys.AggregateFilter)
		if err != nil {
			s.Fail(err)
		}
		s.Deliver(streamtest.Delivery{
			Settings: streamtest.Settings{ReportFailures: true, BatchSize: 100, Parallelization: 2, MaxRetries: -1, Bisect: true, Filter: filter},
			Handler: func(p *streamtest.Process) streamtest.Invoke {
				return func(ctx context.Context, payload []byte) ([]byte, error) { return r.fold(ctx, p, store, payload) }
			},
		})
		s.Check(r.check)
		r.plan(store)
	}
}

// fold is the aggregate function.
func (r *race) fold(ctx context.Context, p *streamtest.Process, store *raceStore, payload []byte) ([]byte, error) {
	batch, err := new(envelope.StreamDecoder).Decode(payload)
	if err != nil {
		return nil, err
	}
	agg := &aggregate.Aggregator{Store: store, Quarantine: store, Catalog: r.cat, Now: p.Now, Rand: p.Rand, Sleep: p.Sleep, Limits: aggregate.Limits{Concurrency: 1}}
	report := agg.Settle(ctx, batch.Changes)
	var failed []map[string]string
	if len(report.Failures) > 0 {
		first := report.Failures[0].Change
		for _, f := range report.Failures {
			first = min(first, f.Change)
		}
		failed = append(failed, map[string]string{"itemIdentifier": batch.Changes[first].Seq})
	}
	return json.Marshal(map[string]any{"batchItemFailures": failed})
}

// plan sets up what happens: appends before, beside and after the purge.
func (r *race) plan(store *raceStore) {
	begins := noon.Add(time.Hour).Add(r.Dice().Span("purge begins", time.Hour))
	for i := range 14 {
		dice := r.Dice().Of("append", i)
		if !dice.Chance("happens", .8) {
			continue
		}
		at := noon.Add(dice.Span("at", 3*time.Hour))
		if dice.Chance("just before", .5) {
			at = begins.Add(-dice.Span("before", 5*time.Minute))
		}
		if dice.Chance("long after", .15) {
			at = noon.Add(50*time.Hour + dice.Span("after", 200*time.Hour))
		}
		r.At(at, func() { r.Go("append "+strconv.Itoa(i), dice, func(ctx context.Context) { r.append(ctx, dice) }) })
	}
	for i := range 3 {
		dice := r.Dice().Of("profile", i)
		if dice.Chance("happens", .5) {
			r.At(noon.Add(dice.Span("at", 3*time.Hour)), func() {
				r.Go("profile "+strconv.Itoa(i), dice, func(ctx context.Context) { r.profile(ctx, dice) })
			})
		}
	}
	r.At(begins, func() {
		if _, err := r.purge.Ask(context.Background(), alice, "ops", 0); err != nil {
			r.Fail(err)
		}
		r.advance(1)
	})
}

func (r *race) append(ctx context.Context, dice streamtest.Dice) {
	kind, _ := r.cat.Kind([]string{"READING", "SPREAD", "VIEW"}[dice.Pick("kind", 3)])
	who := []string{alice.ID, alice.ID, bob.ID}[dice.Pick("who", 3)]
	minute := time.Duration(dice.Pick("minute", 120)) * time.Minute // of two hours, so that many are late
	d := ingest.Draft{Subject: who, At: noon.Add(-2 * time.Hour).Add(minute), Attrs: model.Attrs{{Name: "n", Value: model.NumberValue(model.DecimalOf(1))}}}
	outcomes, _ := r.door.AppendEvents(ctx, kind, []ingest.Draft{d})
	for _, o := range outcomes {
		r.Count("append: " + string(o.Verdict))
	}
}

func (r *race) profile(ctx context.Context, dice streamtest.Dice) {
	change := []func() (lifecycle.Outcome, error){
		func() (lifecycle.Outcome, error) { return r.life.Create(ctx, alice, someone) },
		func() (lifecycle.Outcome, error) { return r.life.Update(ctx, alice, fields("email", "new@x"), 0) },
		func() (lifecycle.Outcome, error) { return r.life.Delete(ctx, alice, 0) },
		func() (lifecycle.Outcome, error) { return r.life.Restore(ctx, alice, 0) },
	}[dice.Pick("change", 4)]
	out, _ := change()
	r.Count("profile: " + string(out.Verdict))
}

// advance is the purge function's n-th invocation; the schedule sees to the next.
func (r *race) advance(n int) {
	if n > 500 {
		r.Fail(fmt.Errorf("the purge does not come to its end"))
		return
	}
	r.Go("purge "+strconv.Itoa(n), r.Dice().Of("purge", n), func(ctx context.Context) {
		at, err := r.purge.Advance(ctx, alice)
		if err == nil && at.Done {
			r.done = true
			r.Count("purges done")
			return
		}
		r.At(max(at.Resume, r.Now().Add(time.Minute)), func() { r.advance(n + 1) })
	})
}

// check is what must be true whenever nothing is under way: behind the gate stands
// nothing of alice but empty rows, and every row is what its events say.
func (r *race) check() error {
	ctx := context.Background()
	gated, err := r.table.Gated(ctx, alice)
	if err != nil {
		return err
	}
	want, rows := map[rollup.Key]*rollup.Fold{}, map[rollup.Key]rollup.Row{}
	for _, it := range all(r.table) {
		e, notEvent := item.Event(it)
		row, notRow := item.Row(it)
		hers := belongsTo(alice, it.Key())
		switch {
		case hers && gated && r.done && !(notRow == nil && row.Empty):
			return fmt.Errorf("behind the gate stands %s %s", it.Key().PK, it.Key().SK)
		case notEvent == nil:
			r.recount(want, &e)
		case notRow == nil && !row.Empty:
			rows[row.Key] = row
		}
	}
	for key, row := range rows {
		if want[key] == nil || want[key].Digest != row.Digest {
			return fmt.Errorf("the row %s %s %s says %d events, and there are %d", key.Series, key.Tier, key.Start, row.Summary.Events(), eventsOf(want[key]))
		}
		delete(want, key)
	}
	for key, fold := range want {
		return fmt.Errorf("no row %s %s %s of %d events", key.Series, key.Tier, key.Start, eventsOf(fold))
	}
	return nil
}

func eventsOf(f *rollup.Fold) int64 {
	if f == nil {
		return 0
	}
	return f.Summary.Events()
}

func (r *race) recount(folds map[rollup.Key]*rollup.Fold, e *model.Event) {
	kind, _ := r.cat.Kind(e.Series.Kind)
	for _, t := range kind.Ladder.Tiers {
		key := rollup.Key{Series: e.Series, Tier: t.Unit.String(), Start: t.Unit.BucketOf(e.At).Start}
		if folds[key] == nil {
			folds[key] = rollup.NewFold(kind.Spec())
		}
		folds[key].AddEvent(e)
	}
}

func belongsTo(s model.Subject, k keys.Key) bool {
	for _, pk := range keys.SubjectPartitions(s, 3) {
		if k.PK == pk {
			return true
		}
	}
	return k.PK == keys.QuarantinePartition(s)
}

func all(table *memory.Table) (items []item.Item) {
	for after, more := (keys.Key{}), true; more; more = after != (keys.Key{}) {
		page, next, err := table.Scan(context.Background(), after)
		if err != nil {
			panic(err) // a table in memory answers
		}
		items, after = append(items, page...), next
	}
	return items
}

// Nothing is given up in these histories, and no record is lost: what a gap in the
// table stream does is no matter of a purge.
var raceRates = streamtest.Rates{streamtest.StoppedShard: 0, streamtest.Failover: 0, streamtest.OldCode: 0}

func TestPurge_RacingWithAppendsAndDelayedRecordsLeavesNothing(t *testing.T) {
	t.Parallel()
	trial := streamtest.Trial{Play: playRace(raceRule{}), Rates: raceRates}
	counts := map[string]int{}
	trial.Explore(1, *histories, func(r streamtest.Result) bool {
		r.Total(counts)
		if r.Failure != nil {
			t.Errorf("seed %d: %v\n%v", r.Seed, r.Failure, trial.Shrink(r.Seed))
		}
		return r.Failure == nil
	})
	for _, name := range []string{"append: applied", "append: late", "append: gone", "profile: created", "profile: gone"} {
		if counts[name] == 0 && !t.Failed() {
			t.Errorf("in %d histories there was not one %q: they try too little", *histories, name)
		}
	}
	if counts["purges done"] != *histories && !t.Failed() {
		t.Errorf("%d of %d purges came to their end", counts["purges done"], *histories)
	}
}

// Each part of the purge is there for a reason: without it, histories go wrong.
func TestPurge_NoPartOfItCanBeLeftOut(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]raceRule{
		"no waits and no second pass":   {timing: &lifecycle.Timing{}, once: true},
		"no fence and no second pass":   {unfenced: true, once: true},
		"no gate for kinds without one": {ungated: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrong := 0
			streamtest.Trial{Play: playRace(rule), Rates: raceRates}.Explore(1, 1500, func(r streamtest.Result) bool {
				if r.Failure != nil {
					wrong++
				}
				return wrong == 0
			})
			if wrong == 0 {
				t.Error("no history went wrong: the simulation has lost its teeth")
			}
		})
	}
}
