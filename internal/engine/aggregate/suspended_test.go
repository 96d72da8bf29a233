package aggregate_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// suspended is a table whose caller is suspended once, before it reads the children.
type suspended struct {
	store
	once  sync.Once
	pause func()
}

func (s *suspended) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	if r.Limit == 0 {
		s.once.Do(s.pause)
	}
	return s.store.Events(ctx, r)
}

// A laptop sleeps for 65 minutes while it rebuilds an hour whose first event expires
// meanwhile.
func TestSuspended_RebuildPastTheSealStartsOver(t *testing.T) {
	w := newWorldWith(t, shortest())
	w.put(order(ten, "a"), "1")
	w.put(order(ten, "b"), "2")
	w.process()
	w.advance(tier.Day24)
	w.put(order(half, "c"), "4")
	w.process()
	w.advance(2*tier.Day24 - 62*time.Minute)
	w.on(&suspended{store: w.table, pause: func() { w.advance(65 * time.Minute); w.table.Expire(w.now()) }})
	request := aggregate.Rebuild{Series: w.series, From: at(ten), To: at(eleven),
		RepairOptions: aggregate.RepairOptions{Mark: aggregate.MarkNone}}
	if _, err := w.agg.Rebuild(w.ctx(), request); err != nil {
		t.Fatal(err)
	}
	for _, u := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
		w.wantRow(u, ten, 3, "4", true)
	}
}

// Half an hour may pass between the reads of a row and of its last child. After more the bucket is read
// again.
func TestSuspended_ForMoreThanHalfAnHourReadsAgain(t *testing.T) {
	reads := map[time.Duration]int{}
	for _, pause := range []time.Duration{0, tier.SealMargin / 2, tier.SealMargin/2 + time.Millisecond} {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		w.on(&suspended{store: w.table, pause: func() { w.advance(pause) }})
		reads[pause] = w.process().Reads
	}
	if reads[tier.SealMargin/2] != reads[0] || reads[tier.SealMargin/2+time.Millisecond] != reads[0]+2 {
		t.Errorf("reads by length of the pause: %v, want two more after more than half an hour", reads)
	}
}

// An aggregator without a random source uses the system's.
func TestProcess_NeedsNoRandomSource(t *testing.T) {
	w := newWorld(t)
	w.agg.Rand = nil
	w.put(order(ten, ""), "1")
	w.process()
	if hour, day := w.row(tier.Hour, ten), w.row(tier.Day, ten); hour.Rev == day.Rev {
		t.Errorf("two rows have the revision %x", hour.Rev)
	}
}

// Lambda delivers an insert again after the seal of the row that includes it.
func TestSealed_RedeliveredInsertThatTheRowHoldsChangesNothing(t *testing.T) {
	w := newWorldWith(t, shortest())
	w.put(order(ten, "a"), "1")
	w.process()
	w.advance(3*tier.Day24 - 61*time.Minute)
	w.put(order(half, "b"), "4")
	changes := w.changes()
	w.processAll(changes)
	w.advance(2 * time.Minute)
	rev := w.row(tier.Hour, ten).Rev
	if r := w.processAll(changes); r.Sealed != 1 || r.MarkedInexact != 0 || w.row(tier.Hour, ten).Rev != rev {
		t.Errorf("%d sealed, %d marked inexact; want the sealed hour unchanged", r.Sealed, r.MarkedInexact)
	}
	w.wantRow(tier.Hour, ten, 2, "4", true)
	if r := w.agg.Redrive(w.ctx(), changes); r.MarkedInexact != 1 {
		t.Errorf("redriven: %d marked inexact, want 1: an event of a repair may have expired unfolded",
			r.MarkedInexact)
	}
}

func TestProcess_ThrottledWriteIsRepeatedWithoutReadingTheBucketAgain(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	store := &faulty{store: w.table, write: 1, result: storage.Throttled}
	w.on(store)
	r := w.process()
	if r.Throttled != 1 || r.Writes != 4 || r.Reads != 6 {
		t.Errorf("%d throttled, %d writes, %d reads; want 1, 4, and 6 as without a throttle", r.Throttled, r.Writes,
			r.Reads)
	}
	w.wantRecount()
}
