package aggregate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// faulty is a table that fails some requests, counted from 1.
type faulty struct {
	store
	denyFrom int64 // from this write on, each write returns a permanent error and is not carried out

	write  int64 // this write returns result; 0: none
	result storage.WriteResult
	stored bool // and is carried out nevertheless

	read int64 // this read returns an error; 0: none

	writes, reads atomic.Int64
}

var errNoResponse = errors.New("no response")

func (f *faulty) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	n := f.writes.Add(1)
	if f.denyFrom > 0 && n >= f.denyFrom {
		return storage.Unknown, errors.New("access denied")
	}
	if n != f.write {
		return f.store.PutRow(ctx, row, prev)
	}
	if f.stored {
		if _, err := f.store.PutRow(ctx, row, prev); err != nil {
			return storage.Unknown, err
		}
	}
	return f.result, nil
}

func (f *faulty) failRead() error {
	if f.reads.Add(1) == f.read {
		return errNoResponse
	}
	return nil
}

func (f *faulty) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	if err := f.failRead(); err != nil {
		return nil, err
	}
	return f.store.Row(ctx, key)
}

func (f *faulty) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	if err := f.failRead(); err != nil {
		return storage.EventPage{}, err
	}
	return f.store.Events(ctx, r)
}

func (f *faulty) Rows(ctx context.Context, u tier.Unit, r storage.Range) (rollup.RowPage, error) {
	if err := f.failRead(); err != nil {
		return rollup.RowPage{}, err
	}
	return f.store.Rows(ctx, u, r)
}

// paged is a table with short pages.
type paged struct {
	store
	limit int
}

func (p *paged) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	r.Limit = p.limit
	return p.store.Events(ctx, r)
}

func (p *paged) Rows(ctx context.Context, u tier.Unit, r storage.Range) (rollup.RowPage, error) {
	r.Limit = p.limit
	return p.store.Rows(ctx, u, r)
}

// Each write of a batch, with each failure that is not permanent.
func TestProcess_EachWriteFailedOrStoredWithoutResponse(t *testing.T) {
	for write := int64(1); write <= 5; write++ {
		for _, f := range []struct {
			result storage.WriteResult
			stored bool
		}{
			{storage.Throttled, false},
			{storage.Conflicted, false},
			{storage.ConditionFailed, false},
			{storage.Unknown, false},
			{storage.Unknown, true},
		} {
			t.Run(fmt.Sprintf("write %d %s stored %v", write, f.result, f.stored), func(t *testing.T) {
				w := newWorld(t)
				w.put(order(ten, ""), "1")
				w.put(order(eleven, ""), "2")
				w.put(order("2026-02-01T00:00:00Z", ""), "3")
				w.put(order("2026-02-01T00:30:00Z", ""), "4")
				w.delete(order("2026-02-01T00:00:00Z", ""))
				w.on(&faulty{store: w.table, write: write, result: f.result, stored: f.stored})
				r := w.process()
				if r.LostLocks+r.UnknownResults+r.Throttled == 0 {
					t.Errorf("no failure was counted: %+v", r.Counts)
				}
				w.wantRecount()
			})
		}
	}
}

func TestProcess_EachReadWithoutResponseIsRepeated(t *testing.T) {
	for read := int64(1); read <= 6; read++ {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		f := &faulty{store: w.table, read: read}
		w.on(f)
		w.process()
		if f.reads.Load() <= 6 {
			t.Errorf("read %d failed: %d reads in total, want more than 6", read, f.reads.Load())
		}
		w.wantRecount()
	}
}

// After a crash the rest of the batch is delivered again.
func TestProcess_CrashAroundEachWriteIsRepairedByTheNextDelivery(t *testing.T) {
	for from := int64(1); from <= 5; from++ {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		w.put(order(eleven, ""), "9")
		w.process()
		w.delete(order(eleven, ""))
		w.put(order(half, ""), "3")
		changes := w.changes()
		w.on(&faulty{store: w.table, denyFrom: from})
		if r := w.agg.Process(w.ctx(), changes); from <= 4 && len(r.Failures) == 0 {
			t.Errorf("every write from %d on failed, but no failure is reported", from)
		}
		w.on(w.table)
		w.processAll(changes)
		w.wantRecount()
	}
}

// The report names the earliest change of each bucket that failed: the changes before it
// may be acknowledged, the others must not.
func TestProcess_FailureNamesTheEarliestChangeOfItsBucket(t *testing.T) {
	for day := range 5 {
		w := newWorld(t)
		for i := range 10 {
			w.put(order(fmt.Sprintf("2026-03-%02dT10:00:00Z", 1+i/2), fmt.Sprint(i)), "1")
		}
		changes := w.changes()
		w.on(&stuck{store: w.table, start: at(fmt.Sprintf("2026-03-%02dT00:00:00Z", day+1))})
		r := w.agg.Process(w.ctx(), changes)
		if len(r.Failures) != 1 || r.Failures[0].Change != 2*day {
			t.Errorf("day %d could not be written: failures %+v, want one at change %d", day+1, r.Failures, 2*day)
		}
	}
}

// stuck is a table that denies the write of one day's row.
type stuck struct {
	store
	start model.Time
}

func (s *stuck) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	if row.Key.Tier == tier.Day.String() && row.Key.Start == s.start {
		return storage.Unknown, errors.New("access denied")
	}
	return s.store.PutRow(ctx, row, prev)
}

func TestProcess_GivesUpAfterTheConfiguredAttempts(t *testing.T) {
	for configured, want := range map[int]int{0: 60, 1: 1, 5: 5} {
		w := newWorld(t)
		w.agg.Limits.Attempts = configured
		w.put(order(ten, ""), "1")
		w.on(&always{store: w.table, result: storage.Throttled})
		r := w.agg.Process(w.ctx(), w.changes())
		if len(r.Failures) != 1 || !strings.Contains(r.Failures[0].Err.Error(),
			fmt.Sprintf("gave up after %d attempts", want)) || r.Throttled != want*4 {
			t.Errorf("%d attempts: %d throttled, failures %v; want 4 of each attempt, and the hour given "+
				"up after %d attempts", configured, r.Throttled, r.Failures, want)
		}
	}
}

type always struct {
	store
	result storage.WriteResult
}

func (a *always) PutRow(context.Context, *rollup.Row, rollup.Rev) (storage.WriteResult, error) {
	return a.result, nil
}

func TestProcess_DeadlineLeavesTheFirstChunkProcessed(t *testing.T) {
	w := newWorld(t)
	w.agg.Limits.Buckets = 2
	w.agg.Limits.Concurrency = 1
	for i := range 8 {
		w.put(order(fmt.Sprintf("2026-03-%02dT10:00:00Z", 1+i), ""), "1")
	}
	changes := w.changes()
	ctx, cancel := context.WithCancel(w.ctx())
	w.on(&ending{store: w.table, cancel: cancel, after: 7}) // in the second chunk
	r := w.agg.Process(ctx, changes)
	if len(r.Failures) == 0 || r.Failures[0].Change != 2 || !errors.Is(r.Failures[0].Err, context.Canceled) {
		t.Fatalf("failures %v, want the first at change 2", r.Failures)
	}
	w.on(w.table)
	w.processAll(changes[2:])
	w.wantRecount()
}

// The changes after a failure are delivered again anyway.
func TestProcess_NothingAfterAFailedChunkIsRecomputed(t *testing.T) {
	w := newWorld(t)
	w.agg.Limits.Buckets = 1
	for i := range 4 {
		w.put(order(fmt.Sprintf("2026-03-%02dT10:00:00Z", 1+i), ""), "1")
	}
	w.on(&stuck{store: w.table, start: at("2026-03-02T00:00:00Z")})
	if r := w.agg.Process(w.ctx(), w.changes()); r.Recomputed != 6 ||
		w.row(tier.Hour, "2026-03-03T10:00:00Z") != nil {
		t.Errorf("%d recomputations, want 6: three tiers of the first two events", r.Recomputed)
	}
}

// ending is a table that cancels the invocation at a write.
type ending struct {
	store
	cancel context.CancelFunc
	after  int64
	writes atomic.Int64
}

func (e *ending) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	if e.writes.Add(1) == e.after {
		e.cancel()
	}
	return e.store.PutRow(ctx, row, prev)
}

func TestProcess_PanicFailsItsBucketOnly(t *testing.T) {
	w := newWorld(t)
	w.put(order("2026-03-01T10:00:00Z", ""), "1")
	w.put(order("2026-03-02T10:00:00Z", ""), "1")
	w.on(&panicking{store: w.table, start: at("2026-03-02T10:00:00Z")})
	r := w.agg.Process(w.ctx(), w.changes())
	if len(r.Failures) == 0 || r.Failures[0].Change != 1 ||
		!strings.Contains(r.Failures[0].Err.Error(), "panic: out of range") {
		t.Errorf("failures %v, want one at change 1 with the text of the panic", r.Failures)
	}
	w.wantRow(tier.Hour, "2026-03-01T10:00:00Z", 1, "1", true)
}

type panicking struct {
	store
	start model.Time
}

func (p *panicking) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	if key.Start == p.start && key.Tier == tier.Hour.String() {
		panic("out of range")
	}
	return p.store.Row(ctx, key)
}

// Several invocations process changes of one bucket at the same time.
func TestProcess_ConcurrentRecomputationsOfOneBucketLoseNoEvent(t *testing.T) {
	w := newWorld(t)
	w.agg.Sleep = nil // with real pauses, so that every recomputation ends
	w.agg.Limits.Attempts = 1000
	for i := range 64 {
		w.put(order(ten, fmt.Sprint(i)), fmt.Sprint(i))
		if i%4 == 3 {
			w.delete(order(ten, fmt.Sprint(i-1)))
		}
	}
	changes := w.changes()
	start := &barrier{store: w.table, open: make(chan struct{})}
	start.waiting.Store(8)
	w.on(start)
	var group sync.WaitGroup
	var lost atomic.Int64
	for i := range 8 {
		group.Go(func() {
			r := w.agg.Process(w.ctx(), changes[i*10:i*10+10])
			lost.Add(int64(r.LostLocks))
			if len(r.Failures) > 0 {
				t.Errorf("invocation %d: %v", i, r.Failures)
			}
		})
	}
	group.Wait()
	if lost.Load() < 7 {
		t.Errorf("%d locks lost, want at least 7: eight recomputations had read that the row is absent",
			lost.Load())
	}
	w.wantRecount()
}

// barrier delays writes until every invocation has reached its first one.
type barrier struct {
	store
	waiting atomic.Int64
	open    chan struct{}
}

func (g *barrier) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	if g.waiting.Add(-1) == 0 {
		close(g.open)
	}
	<-g.open
	return g.store.PutRow(ctx, row, prev)
}

// The recomputation of a deletion runs between the reads and the write of another one.
func TestProcess_RecomputationThatReadBeforeADeletionCannotWriteAfterIt(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, "a"), "1")
	w.put(order(ten, "b"), "9")
	inserted := w.changes()
	meanwhile := &interposed{store: w.table}
	meanwhile.before = func() {
		w.delete(order(ten, "b"))
		other := newWorldSharing(w)
		other.processAll(w.changes())
	}
	w.on(meanwhile)
	w.processAll(inserted)
	w.wantRow(tier.Hour, ten, 1, "1", true)
	w.wantRecount()
}

// newWorldSharing returns another invocation on the same table.
func newWorldSharing(w *world) *world {
	other := *w
	agg := newWorld(w.t).agg
	agg.Store = w.table
	agg.QuarantineStore = w.table
	agg.Catalog = w.agg.Catalog
	agg.Now = w.now
	agg.Rand = seeded(2)
	other.agg = agg
	return &other
}

// interposed calls a function once between the reads and the write of a recomputation.
type interposed struct {
	store
	before func()
	once   sync.Once
}

func (i *interposed) PutRow(ctx context.Context, row *rollup.Row,
	prev rollup.Rev) (storage.WriteResult, error) {
	i.once.Do(i.before)
	return i.store.PutRow(ctx, row, prev)
}

func TestProcess_PausesAreRandomAndGrow(t *testing.T) {
	w := newWorld(t)
	w.agg.Limits.Attempts = 30
	var pauses []time.Duration
	w.agg.Sleep = func(_ context.Context, d time.Duration) error { pauses = append(pauses, d); return nil }
	w.agg.Limits.Concurrency = 1
	w.put(order(ten, ""), "1")
	w.on(&always{store: w.table, result: storage.Throttled})
	w.agg.Process(w.ctx(), w.changes())
	for i, d := range pauses[:30] {
		if bound := min(2*time.Second, 10*time.Millisecond<<i); d < 0 || d >= bound {
			t.Errorf("pause %d is %s, want below %s", i, d, bound)
		}
	}
	if pauses[20] == pauses[21] && pauses[21] == pauses[22] {
		t.Errorf("pauses %v are equal, want random ones", pauses[20:23])
	}
}
