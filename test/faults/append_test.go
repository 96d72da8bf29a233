// Package faults tests, one by one, the faults that can occur between a write and its rollups, on
// the table in memory and with eventsource between them. docs/inside/FAULTS.md lists every fault with the
// expected result and the test. Tests that need only one package are in that package.
package faults

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// service is an ingest service on a table of this world.
func (w *world) service(on ingest.Store) *ingest.Service {
	return &ingest.Service{
		Store: on, Limits: config.Default().Limits, Now: w.now, Rand: w.random, Parallel: 1,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
}

func (w *world) drafts(n int) (all []ingest.TypedObservation) {
	for i := range n {
		all = append(all, ingest.TypedObservation{
			Subject: "d", At: at(ten).Add(time.Duration(i) * time.Second), ID: fmt.Sprint(i),
			Attrs: model.Attrs{{Name: "value", Value: model.NumberValue(model.NewDecimal(int64(i)))}},
		})
	}
	return all
}

// countOutcomes appends observations and counts their outcomes.
func (w *world) countOutcomes(s *ingest.Service, drafts []ingest.TypedObservation) map[model.Outcome]int {
	w.Helper()
	outcomes, err := s.AppendEvents(w.ctx(), w.kind, drafts)
	if err != nil {
		w.Fatal(err)
	}
	n := map[model.Outcome]int{}
	for _, o := range outcomes {
		n[o.Outcome]++
	}
	return n
}

// A device that received no response repeats all its observations: at once, when the table has
// forgotten the token of the transaction, and a day later.
func TestAppend_RepeatedAfterTenMinutesAndAfter25HoursCountsOnce(t *testing.T) {
	w := newWorld(t)
	drafts := w.drafts(150)
	w.countOutcomes(w.service(w.Table), drafts)
	w.settle()
	want := w.rows()
	for _, later := range []time.Duration{0, 10*time.Minute + time.Second, 25 * time.Hour} {
		w.advance(later)
		if got := w.countOutcomes(w.service(w.Table), drafts); got[model.Duplicate] != len(drafts) {
			t.Errorf("repeated after %s: %v, want duplicates only", later, got)
		}
		w.settle()
		w.wantRows(want)
	}
}

// The commit succeeds, the response is lost, and the device retries.
func TestAppend_RetryAfterATimeoutAfterTheCommitIsADuplicate(t *testing.T) {
	w := newWorld(t)
	w.countOutcomes(w.service(w.Table), w.drafts(1))
	drafts := w.drafts(2)[1:]
	ctx, timeUp := context.WithCancel(t.Context())
	store := &storetest.FaultyStore{Store: tableStore(w), Writes: storetest.FailOnce(0, storetest.LoseResponse)}
	impatient := w.service(store)
	impatient.Sleep = func(context.Context, time.Duration) error { timeUp(); return ctx.Err() }
	outcomes, err := impatient.AppendEvents(ctx, w.kind, drafts)
	if err != nil || outcomes[0].Outcome != model.Unknown {
		t.Fatalf("%v, %v; want outcome unknown", outcomes, err)
	}
	w.advance(10*time.Minute + time.Second)
	if got := w.countOutcomes(w.service(w.Table), drafts); got[model.Duplicate] != 1 {
		t.Errorf("repeated: %v, want a duplicate", got)
	}
	w.settle()
	w.wantRow(tiers[0], ten, 2, "1", true)
}

func tableStore(w *world) storetest.Store { return w.Table }

// A conflict with another transaction and a throttled table are not outcomes: ingest retries.
func TestAppend_ConflictsAndThrottlesAreRetried(t *testing.T) {
	for _, fault := range []storetest.WriteFault{storetest.Conflict, storetest.Throttle} {
		for n := range 4 {
			w := newWorld(t)
			store := &storetest.FaultyStore{Store: tableStore(w), Writes: func(c storetest.Call) storetest.WriteFault {
				if c.N >= n && c.N < n+3 {
					return fault
				}
				return storetest.NoFault
			}}
			if got := w.countOutcomes(w.service(store), w.drafts(250)); got[model.Applied] != 250 {
				t.Errorf("%s from write %d on: %v, want all applied", fault, n, got)
			}
			w.settle()
			w.wantRow(tiers[0], ten, 250, "249", true)
		}
	}
}

// A transaction has at most 100 actions, including the latest item and the purge lock.
func TestAppend_MoreThan100EventsAreSplitAndStoredOnce(t *testing.T) {
	for _, n := range []int{98, 99, 100, 101, 250, 1000} {
		w := newWorld(t)
		sizes := &measured{Store: w.Table}
		if got := w.countOutcomes(w.service(sizes), w.drafts(n)); got[model.Applied] != n {
			t.Errorf("%d events: %v, want all applied", n, got)
		}
		if sizes.most > 100 {
			t.Errorf("%d events: a transaction of %d actions", n, sizes.most)
		}
		w.settle()
		w.wantRow(tiers[0], ten, int64(n), fmt.Sprint(n-1), true)
	}
}

// measured is a table that records the size of the largest transaction.
type measured struct {
	ingest.Store
	mu   sync.Mutex
	most int // guarded by mu
}

func (m *measured) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	n := len(tx.Puts) + len(tx.Absent)
	for _, there := range []bool{tx.Latest != nil, tx.Check != nil, tx.PurgeLock != nil} {
		if there {
			n++
		}
	}
	m.mu.Lock()
	m.most = max(m.most, n)
	m.mu.Unlock()
	return m.Store.Append(ctx, tx)
}

// A device with a clock years ahead must not determine the latest item until then.
func TestAppend_ClockFarAheadIsRejectedAndKeepsTheLatestItem(t *testing.T) {
	w := newWorld(t)
	ahead := w.drafts(3)
	ahead[0].At = w.now().Add(6 * time.Minute)
	ahead[1].At = at("9999-12-31T23:59:59.999Z")
	ahead[2].At = w.now().Add(5 * time.Minute) // the largest accepted clock skew
	got := w.countOutcomes(w.service(w.Table), ahead)
	if got[model.Rejected] != 2 || got[model.Applied] != 1 {
		t.Errorf("%v, want two rejected and one applied", got)
	}
	current, err := w.Latest(t.Context(), w.series("d"), true)
	if err != nil || current == nil || current.At != ahead[2].At {
		t.Errorf("the latest item is %+v, %v; want the item of %s", current, err, ahead[2].At)
	}
}
