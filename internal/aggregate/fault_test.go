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

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// faulty is a table that fails requests, counted from 1.
type faulty struct {
	store
	refuseFrom int64 // from this write on, no write is carried out, for a reason no retry mends

	write  int64 // this write is answered as follows, 0: none
	answer model.Answer
	stored bool // and is carried out all the same

	read int64 // this read has no answer, 0: none

	writes, reads atomic.Int64
}

var errNoAnswer = errors.New("no answer")

func (f *faulty) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (model.Answer, error) {
	n := f.writes.Add(1)
	if f.refuseFrom > 0 && n >= f.refuseFrom {
		return model.Uncertain, errors.New("access denied")
	}
	if n != f.write {
		return f.store.PutRow(ctx, row, prev)
	}
	if f.stored {
		if _, err := f.store.PutRow(ctx, row, prev); err != nil {
			return model.Uncertain, err
		}
	}
	return f.answer, nil
}

func (f *faulty) failRead() error {
	if f.reads.Add(1) == f.read {
		return errNoAnswer
	}
	return nil
}

func (f *faulty) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	if err := f.failRead(); err != nil {
		return nil, err
	}
	return f.store.Row(ctx, key)
}

func (f *faulty) Events(ctx context.Context, r model.Range) (model.EventPage, error) {
	if err := f.failRead(); err != nil {
		return model.EventPage{}, err
	}
	return f.store.Events(ctx, r)
}

func (f *faulty) Rows(ctx context.Context, u tier.Unit, r model.Range) (rollup.RowPage, error) {
	if err := f.failRead(); err != nil {
		return rollup.RowPage{}, err
	}
	return f.store.Rows(ctx, u, r)
}

// paged is a table whose pages are short.
type paged struct {
	store
	limit int
}

func (p *paged) Events(ctx context.Context, r model.Range) (model.EventPage, error) {
	r.Limit = p.limit
	return p.store.Events(ctx, r)
}

func (p *paged) Rows(ctx context.Context, u tier.Unit, r model.Range) (rollup.RowPage, error) {
	r.Limit = p.limit
	return p.store.Rows(ctx, u, r)
}

// Each write of a batch, and each way it can fail without the failure being final.
func TestSettle_EachWriteFailedOrStoredAndSaidToHaveFailed(t *testing.T) {
	for write := int64(1); write <= 5; write++ {
		for _, f := range []struct {
			answer model.Answer
			stored bool
		}{
			{model.Throttled, false},
			{model.Conflicting, false},
			{model.Refused, false},
			{model.Uncertain, false},
			{model.Uncertain, true},
		} {
			t.Run(fmt.Sprintf("write %d %s stored %v", write, f.answer, f.stored), func(t *testing.T) {
				w := newWorld(t)
				w.put(order(ten, ""), "1")
				w.put(order(eleven, ""), "2")
				w.put(order("2026-02-01T00:00:00Z", ""), "3")
				w.put(order("2026-02-01T00:30:00Z", ""), "4")
				w.delete(order("2026-02-01T00:00:00Z", ""))
				w.on(&faulty{store: w.Table, write: write, answer: f.answer, stored: f.stored})
				r := w.settle()
				if r.Lost+r.Uncertain+r.Throttled == 0 {
					t.Errorf("the failure was not met: %+v", r.Counts)
				}
				w.wantRecount()
			})
		}
	}
}

func TestSettle_EachReadWithoutAnswerIsAskedAgain(t *testing.T) {
	for read := int64(1); read <= 6; read++ {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		f := &faulty{store: w.Table, read: read}
		w.on(f)
		w.settle()
		if f.reads.Load() <= 6 {
			t.Errorf("read %d had no answer: %d reads in all, want more than 6", read, f.reads.Load())
		}
		w.wantRecount()
	}
}

// A process that ends is a delivery of which the rest comes again.
func TestSettle_CrashBeforeOrAfterEachWriteIsHealedByTheNextDelivery(t *testing.T) {
	for from := int64(1); from <= 5; from++ {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		w.put(order(eleven, ""), "9")
		w.settle()
		w.delete(order(eleven, ""))
		w.put(order(half, ""), "3")
		changes := w.changes()
		w.on(&faulty{store: w.Table, refuseFrom: from})
		if r := w.agg.Settle(w.ctx(), changes); from <= 4 && len(r.Failures) == 0 {
			t.Errorf("no write from %d on, and no failure reported", from)
		}
		w.on(w.Table)
		w.settleAll(changes)
		w.wantRecount()
	}
}

// The report names the earliest change of each bucket that failed, so that nothing
// after it is acknowledged and everything before it may be.
func TestSettle_FailureNamesTheEarliestChangeOfItsBucket(t *testing.T) {
	for day := range 5 {
		w := newWorld(t)
		for i := range 10 {
			w.put(order(fmt.Sprintf("2026-03-%02dT10:00:00Z", 1+i/2), fmt.Sprint(i)), "1")
		}
		changes := w.changes()
		w.on(&stuck{store: w.Table, start: at(fmt.Sprintf("2026-03-%02dT00:00:00Z", day+1))})
		r := w.agg.Settle(w.ctx(), changes)
		if len(r.Failures) != 1 || r.Failures[0].Change != 2*day {
			t.Errorf("day %d cannot be written: failures %+v, want one at change %d", day+1, r.Failures, 2*day)
		}
	}
}

// stuck is a table that cannot write the row of one day.
type stuck struct {
	store
	start model.Time
}

func (s *stuck) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (model.Answer, error) {
	if row.Key.Tier == tier.Day.String() && row.Key.Start == s.start {
		return model.Uncertain, errors.New("access denied")
	}
	return s.store.PutRow(ctx, row, prev)
}

func TestSettle_ThrottledForEverIsGivenUpAndSaysSo(t *testing.T) {
	w := newWorld(t)
	w.agg.Limits.Tries = 5
	w.put(order(ten, ""), "1")
	w.on(&always{store: w.Table, answer: model.Throttled})
	r := w.agg.Settle(w.ctx(), w.changes())
	if len(r.Failures) != 1 || !strings.Contains(r.Failures[0].Err.Error(), "given up after 5 tries") || r.Throttled != 5 {
		t.Errorf("%d throttled, failures %v; want 5, and the hour given up after 5 tries", r.Throttled, r.Failures)
	}
}

type always struct {
	store
	answer model.Answer
}

func (a *always) PutRow(context.Context, *rollup.Row, rollup.Rev) (model.Answer, error) {
	return a.answer, nil
}

func TestSettle_DeadlineLeavesTheFirstPieceSettled(t *testing.T) {
	w := newWorld(t)
	w.agg.Limits.Buckets = 2
	w.agg.Limits.Concurrency = 1
	for i := range 8 {
		w.put(order(fmt.Sprintf("2026-03-%02dT10:00:00Z", 1+i), ""), "1")
	}
	changes := w.changes()
	ctx, cancel := context.WithCancel(w.ctx())
	w.on(&ending{store: w.Table, cancel: cancel, after: 7}) // within the second piece
	r := w.agg.Settle(ctx, changes)
	if len(r.Failures) == 0 || r.Failures[0].Change != 2 || !errors.Is(r.Failures[0].Err, context.Canceled) {
		t.Fatalf("failures %v, want the first at change 2", r.Failures)
	}
	w.on(w.Table)
	w.settleAll(changes[2:])
	w.wantRecount()
}

// What comes after a failure is delivered again anyway.
func TestSettle_NothingAfterAFailedPieceIsLookedAt(t *testing.T) {
	w := newWorld(t)
	w.agg.Limits.Buckets = 1
	for i := range 4 {
		w.put(order(fmt.Sprintf("2026-03-%02dT10:00:00Z", 1+i), ""), "1")
	}
	w.on(&stuck{store: w.Table, start: at("2026-03-02T00:00:00Z")})
	if r := w.agg.Settle(w.ctx(), w.changes()); r.Looks != 6 || w.row(tier.Hour, "2026-03-03T10:00:00Z") != nil {
		t.Errorf("%d looks, want 6: three tiers of the first two events", r.Looks)
	}
}

// ending is a table that ends the invocation at a write.
type ending struct {
	store
	cancel context.CancelFunc
	after  int64
	writes atomic.Int64
}

func (e *ending) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (model.Answer, error) {
	if e.writes.Add(1) == e.after {
		e.cancel()
	}
	return e.store.PutRow(ctx, row, prev)
}

func TestSettle_PanicFailsItsBucketAlone(t *testing.T) {
	w := newWorld(t)
	w.put(order("2026-03-01T10:00:00Z", ""), "1")
	w.put(order("2026-03-02T10:00:00Z", ""), "1")
	w.on(&panicking{store: w.Table, start: at("2026-03-02T10:00:00Z")})
	r := w.agg.Settle(w.ctx(), w.changes())
	if len(r.Failures) == 0 || r.Failures[0].Change != 1 || !strings.Contains(r.Failures[0].Err.Error(), "panic: out of range") {
		t.Errorf("failures %v, want one at change 1 that says what panicked", r.Failures)
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

// Many invocations on one bucket, each with a part of the records.
func TestSettle_ConcurrentLooksAtOneBucketLoseLocksAndNoEvent(t *testing.T) {
	w := newWorld(t)
	w.agg.Sleep = nil // a real rest, or the looks would only turn in circles
	w.agg.Limits.Tries = 1000
	for i := range 64 {
		w.put(order(ten, fmt.Sprint(i)), fmt.Sprint(i))
		if i%4 == 3 {
			w.delete(order(ten, fmt.Sprint(i-1)))
		}
	}
	changes := w.changes()
	gate := &gated{store: w.Table, open: make(chan struct{})}
	gate.waiting.Store(8)
	w.on(gate)
	var group sync.WaitGroup
	var lost atomic.Int64
	for i := range 8 {
		group.Go(func() {
			r := w.agg.Settle(w.ctx(), changes[i*10:i*10+10])
			lost.Add(int64(r.Lost))
			if len(r.Failures) > 0 {
				t.Errorf("invocation %d: %v", i, r.Failures)
			}
		})
	}
	group.Wait()
	if lost.Load() < 7 {
		t.Errorf("%d locks lost, want at least 7: eight looks had read the same absence", lost.Load())
	}
	w.wantRecount()
}

// gated holds up writes until all have come to their first one.
type gated struct {
	store
	waiting atomic.Int64
	open    chan struct{}
}

func (g *gated) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (model.Answer, error) {
	if g.waiting.Add(-1) == 0 {
		close(g.open)
	}
	<-g.open
	return g.store.PutRow(ctx, row, prev)
}

// The two orders in which a look that read before a deletion can land around the look
// that the deletion caused.
func TestSettle_LookThatReadBeforeADeletionCannotLandAfterIt(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, "a"), "1")
	w.put(order(ten, "b"), "9")
	inserted := w.changes()
	interleave := &interposed{store: w.Table}
	interleave.before = func() {
		w.delete(order(ten, "b"))
		other := newWorldSharing(w)
		other.settleAll(w.changes())
	}
	w.on(interleave)
	w.settleAll(inserted)
	w.wantRow(tier.Hour, ten, 1, "1", true)
	w.wantRecount()
}

// newWorldSharing is another invocation on the same table.
func newWorldSharing(w *world) *world {
	other := *w
	agg := newWorld(w.T).agg
	agg.Store, agg.Quarantine, agg.Catalog, agg.Now, agg.Rand = w.Table, w.Table, w.agg.Catalog, w.now, seeded(2)
	agg.Limits.Resume = w.agg.Limits.Resume
	other.agg = agg
	return &other
}

// interposed runs something once between a look's reads and its write.
type interposed struct {
	store
	before func()
	once   sync.Once
}

func (i *interposed) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (model.Answer, error) {
	i.once.Do(i.before)
	return i.store.PutRow(ctx, row, prev)
}

func TestSettle_RestsAreSpreadAndGrow(t *testing.T) {
	w := newWorld(t)
	w.agg.Limits.Tries = 30
	var rests []time.Duration
	w.agg.Sleep = func(_ context.Context, d time.Duration) error { rests = append(rests, d); return nil }
	w.agg.Limits.Concurrency = 1
	w.put(order(ten, ""), "1")
	w.on(&always{store: w.Table, answer: model.Throttled})
	w.agg.Settle(w.ctx(), w.changes())
	for i, d := range rests[:30] {
		if bound := min(2*time.Second, 10*time.Millisecond<<i); d < 0 || d >= bound {
			t.Errorf("rest %d is %s, want below %s", i, d, bound)
		}
	}
	if rests[20] == rests[21] && rests[21] == rests[22] {
		t.Errorf("rests %v are not spread", rests[20:23])
	}
}
