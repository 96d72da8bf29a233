package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func TestDelivery_OverlappingBatchesGiveTheSameBytes(t *testing.T) {
	for seed := range uint64(5) {
		w := newWorld(t)
		w.writeSome(seed, 200)
		changes := w.fresh()
		draw := rand.New(rand.NewPCG(seed, 1))
		for done := 0; done < len(changes); {
			from := draw.IntN(done + 1)
			done = min(len(changes), done+1+draw.IntN(60))
			w.settleAll(changes[from:done])
		}
		w.wantRecount()
	}
}

// Nine events on nine days. The first invocation cannot write the row of one of them.
func TestDelivery_PartialFailureAtEveryIndexIsRetriedFromThere(t *testing.T) {
	const n = 9
	for failing := range n {
		w := newWorld(t)
		for i := range n {
			w.put(fmt.Sprintf("2026-03-%02dT10:00:00Z", 1+i), "", "1")
		}
		var batches [][]string
		hour := at(fmt.Sprintf("2026-03-%02dT10:00:00Z", 1+failing))
		stuck := aggregateFunction(w.aggregator(&withoutRow{store: w.Table, unit: tier.Hour, start: hour}))
		sound := aggregateFunction(w.aggregator(w.Table))
		w.deliver(w.mapping(w.stream(), func(ctx context.Context, payload []byte) ([]byte, error) {
			batches = append(batches, w.seqs(payload))
			if len(batches) == 1 {
				return stuck(ctx, payload)
			}
			return sound(ctx, payload)
		}))
		if len(batches) != 2 || !slices.Equal(batches[1], batches[0][failing:]) {
			t.Errorf("record %d failed: delivered %v, want all from that record on in the second delivery", failing,
				batches)
		}
		w.wantRecount()
	}
}

// withoutRow is a table that cannot write one row.
type withoutRow struct {
	store
	unit  tier.Unit
	start model.Time
}

func (s *withoutRow) PutRow(ctx context.Context, row *rollup.Row,
	prev rollup.Rev) (storage.WriteResult, error) {
	if row.Key.Tier == s.unit.String() && row.Key.Start == s.start {
		return storage.Unknown, errors.New("access denied")
	}
	return s.store.PutRow(ctx, row, prev)
}

// The process crashes before or after each of its requests, and the batch is delivered again.
func TestDelivery_CrashAroundEachRequestIsRepairedByTheNextDelivery(t *testing.T) {
	for _, last := range []effect{lost, unconfirmed} {
		for n := 0; ; n++ {
			w := newWorld(t)
			w.put(ten, "", "1")
			w.put(eleven, "", "9")
			w.settle()
			w.delete(eleven, "")
			w.put(half, "", "3")
			dead := false
			crashing := &faulty{store: w.Table, effect: func(r request) effect {
				if dead = dead || r.n > n; dead {
					return lost
				}
				if r.n == n {
					dead = true
					return last
				}
				return fine
			}}
			first := w.aggregator(crashing)
			first.Limits.Attempts = 1
			deliveries := 0
			w.deliver(w.mapping(w.unsettled(), func(ctx context.Context, payload []byte) ([]byte, error) {
				if deliveries++; deliveries == 1 {
					if _, err := aggregateFunction(first)(ctx, payload); err != nil {
						return nil, err
					}
					return nil, errors.New("the process ended before it responded")
				}
				return aggregateFunction(w.aggregator(w.Table))(ctx, payload)
			}))
			w.wantRecount()
			if !dead { // there are fewer requests
				break
			}
		}
	}
}

// unsettled is the table stream from the first record that was not processed.
func (w *world) unsettled() *tableStream {
	s := w.stream()
	s.after = w.seen
	return s
}

// All writes succeeded and the acknowledgement is lost.
func TestDelivery_ResponseLostAfterTheLastWriteChangesNoByte(t *testing.T) {
	w := newWorld(t)
	w.writeSome(1, 100)
	var after []map[string]said
	settle := aggregateFunction(w.aggregator(w.Table))
	w.deliver(w.mapping(w.stream(), func(ctx context.Context, payload []byte) ([]byte, error) {
		result, err := settle(ctx, payload)
		if after = append(after, w.rows()); len(after) <= 2 {
			return nil, errors.New("the function ran into its timeout and was killed")
		}
		return result, err
	}))
	if len(after) < 3 {
		t.Fatalf("%d deliveries, want another delivery after each lost response", len(after))
	}
	w.wantRecount()
}

// Each write of a batch is stored, and the function receives no response until it times out.
func TestDelivery_TimeoutAfterEachCommitIsRepairedByTheNextDelivery(t *testing.T) {
	for n := range 3 { // hour, day and month
		w := newWorld(t)
		w.put(ten, "", "1")
		ctx, timeUp := context.WithCancel(w.ctx())
		writes := 0
		slow := &faulty{store: &landing{w.Table}, effect: func(r request) effect {
			if !r.write {
				return fine
			}
			writes++
			if writes <= n {
				return fine
			}
			defer timeUp()
			return unconfirmed
		}}
		changes := w.fresh()
		agg := w.aggregator(slow)
		if r := agg.Process(ctx, changes); len(r.Failures) == 0 {
			t.Errorf("no response to write %d, and no failure reported", n+1)
		}
		w.settleAll(changes)
		w.wantRecount()
	}
}

// landing carries out every request although its sender has stopped waiting.
type landing struct{ store }

func (l *landing) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	return l.store.PutRow(context.WithoutCancel(ctx), row, prev)
}

func TestDelivery_ReplayAfterTenMinutesAndAfter25HoursChangesNoByte(t *testing.T) {
	w := newWorld(t)
	w.writeSome(2, 200)
	changes := w.fresh()
	w.settleAll(changes)
	for _, later := range []time.Duration{10*time.Minute + time.Second, 25 * time.Hour} {
		w.advance(later)
		w.settleAll(changes)
		w.wantRecount()
	}
}

// A day of changes is processed as it arrives. Then the whole stream shard is read again, in other
// batches and with newer changes in between.
func TestDelivery_ReplayOf24HoursGivesTheSameBytes(t *testing.T) {
	w := newWorld(t)
	for hour := range 24 {
		w.writeSome(uint64(hour), 20)
		w.settle()
		w.advance(time.Hour)
	}
	w.writeSome(99, 50)
	m := w.mapping(w.stream(), aggregateFunction(w.aggregator(w.Table)))
	m.Settings.BatchSize, m.Settings.MaxRecordAge = 33, 0
	w.deliver(m)
	w.wantRecount()
}

// Children of a split stream shard are read after their parent. The result does not depend on it:
// any order gives the same rows.
func TestDelivery_ShardSplitGivesTheSameBytesInAnyOrder(t *testing.T) {
	const splitAt = 100 // record number
	shardOf := func(r memory.Record) string {
		switch {
		case r.Seq <= splitAt:
			return "parent"
		case r.Keys.PK < "DEVICE#d1":
			return "left"
		}
		return "right"
	}
	w := newWorld(t)
	w.writeSome(3, 250)
	source := w.stream()
	source.shards = []eventsource.Shard{{ID: "left", Parent: "parent"}, {ID: "parent"},
		{ID: "right", Parent: "parent"}}
	source.of, source.closed = shardOf, map[string]bool{"parent": true}
	w.deliver(w.mapping(source, aggregateFunction(w.aggregator(w.Table))))
	w.wantRecount()

	w = newWorld(t)
	w.writeSome(3, 250)
	for _, shard := range []string{"right", "parent", "left"} {
		for _, r := range w.Records(0) {
			if shardOf(r) == shard {
				w.settleAll(w.changes(r))
			}
		}
	}
	w.wantRecount()
}

// The rows that aggregate writes have stream records too. The filter drops them, and without the
// filter processing them ends after one invocation.
func TestDelivery_WrittenRowsAreNotProcessedAgain(t *testing.T) {
	for _, filtered := range []bool{true, false} {
		w := newWorld(t)
		w.put(ten, "", "1")
		invocations, looks := 0, 0
		agg := w.aggregator(w.Table)
		m := w.mapping(w.stream(), func(ctx context.Context, payload []byte) ([]byte, error) {
			invocations++
			before := len(w.Records(0))
			result, err := aggregateFunction(agg)(ctx, payload)
			if len(w.Records(0)) > before {
				looks++
			}
			return result, err
		})
		if !filtered {
			m.Settings.Filter = nil
		}
		w.deliver(m)
		w.deliver(w.mapping(w.stream(), aggregateFunction(agg))) // and the records that it wrote
		if looks != 1 || filtered && invocations != 1 || invocations > 2 {
			t.Errorf("filter %v: %d invocations, %d of them wrote; want one that writes, and no loop", filtered,
				invocations, looks)
		}
		if n := len(w.Records(0)); n != 5 {
			t.Errorf("filter %v: %d records in the table stream, want 5: the event, its series in the "+
				"list and its three rows", filtered, n)
		}
	}
}

// Events are written before the mapping exists, while it is created, and while it is replaced.
func TestDelivery_MappingCreatedLateReadsFromTheOldestRecord(t *testing.T) {
	w := newWorld(t)
	w.put(ten, "before", "1")
	w.deliver(w.mapping(w.stream(), aggregateFunction(w.aggregator(w.Table))))
	w.wantRecount()
	w.put(half, "between", "2")
	w.put(eleven, "between", "3")
	w.deliver(w.mapping(w.stream(), aggregateFunction(w.aggregator(w.Table))))
	w.wantRecount()
}

func TestDelivery_BatchGivenUpDoesNotAffectOthers(t *testing.T) {
	w := newWorld(t)
	w.putDevice("d0", ten, "", "1")
	w.putDevice("bad", ten, "", "1")
	w.putDevice("d1", ten, "", "1")
	var gone []eventsource.GivenUp
	hot := &faulty{store: w.Table, effect: func(r request) effect {
		if r.partition == keys.Partition(w.series("bad")) {
			return throttled
		}
		return fine
	}}
	m := w.mapping(w.stream(), aggregateFunction(w.aggregator(hot)))
	m.OnFailure = func(_ context.Context, g eventsource.GivenUp) error { gone = append(gone, g); return nil }
	w.deliver(m)
	if len(gone) != 1 || gone[0].First != sequenceNumber(w.Records(0)[1]) ||
		gone[0].Condition != eventsource.RetriesExhausted {
		t.Fatalf("given up %+v, want one range from the failing record", gone)
	}
	want := w.recount()
	for name, row := range w.rows() {
		if want[name] != row {
			t.Errorf("%s: %s, want %s", name, row, want[name])
		}
	}
	if n := len(w.rows()); n != 6 {
		t.Errorf("%d rows, want the 6 of the two other devices", n)
	}
	for _, r := range w.Records(0)[1:3] { // redriven
		w.settleAll(w.changes(r))
	}
	w.wantRecount()
}

// Throttling of a part of the keys delays only the changes of those keys.
func TestThrottle_OfAKeyRangeFailsFromItsFirstRecordAndProcessesTheRest(t *testing.T) {
	w := newWorld(t)
	for i := range 9 {
		w.putDevice(fmt.Sprint("d", i%3), ten, fmt.Sprint(i), fmt.Sprint(i))
	}
	hot := keys.Partition(w.series("d1"))
	report := w.throttle(func(r request) bool { return r.partition == hot })
	if report.Failures[0].Change != 1 || report.Throttled == 0 {
		t.Errorf("%d throttled, failures %v; want the first at change 1", report.Throttled, report.Failures)
	}
	if n := len(w.rows()); n != 6 {
		t.Errorf("%d rows, want the 6 of the two other devices", n)
	}
	w.settleAll(w.changes(w.Records(0)[1:9]...))
	w.wantRecount()
}

func TestThrottle_OfTheAccountFailsFromTheStart(t *testing.T) {
	w := newWorld(t)
	w.writeSome(4, 50)
	if report := w.throttle(func(request) bool { return true }); report.Failures[0].Change != 0 ||
		len(w.rows()) != 0 {
		t.Errorf("first failure at change %d, %d rows; want 0, 0", report.Failures[0].Change, len(w.rows()))
	}
	w.settleAll(w.changes(w.Records(0)...))
	w.wantRecount()
}

// throttle processes new changes while writes to some keys are throttled.
func (w *world) throttle(hot func(request) bool) aggregate.Report {
	w.Helper()
	agg := w.aggregator(&faulty{store: w.Table, effect: func(r request) effect {
		if r.write && hot(r) {
			return throttled
		}
		return fine
	}})
	agg.Limits.Attempts = 3
	report := agg.Process(w.ctx(), w.fresh())
	if len(report.Failures) == 0 {
		w.Fatal("throttled, and no failure reported")
	}
	return report
}
