package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// countingLocks counts its reads.
type countingLocks struct {
	*memory.Table
	reads atomic.Int64
	fails atomic.Bool
}

func (g *countingLocks) PurgeLocked(ctx context.Context, s model.Subject) (bool, error) {
	g.reads.Add(1)
	if g.fails.Load() {
		return false, errors.New("no response")
	}
	return g.Table.PurgeLocked(ctx, s)
}

// lockedWorld returns a service with purge locks, and a clock that can be set.
func lockedWorld(t *testing.T) (*ingest.Service, *countingLocks, *atomic.Int64) {
	t.Helper()
	now := &atomic.Int64{}
	now.Store(int64(clock()))
	g := &countingLocks{Table: memory.New(func() model.Time { return model.Time(now.Load()) })}
	s := serviceOn(g.Table, 1)
	s.PurgeLocks, s.Now = g, func() model.Time { return model.Time(now.Load()) }
	return s, g, now
}

func lock(t *testing.T, table *memory.Table, subject string) {
	t.Helper()
	l := storage.PurgeLock{Subject: model.Subject{Type: "DEVICE", ID: subject}, Since: clock(), PurgeID: "1"}
	if err := table.PutItem(t.Context(), item.FromPurgeLock(&l)); err != nil {
		t.Fatal(err)
	}
}

func TestAppend_WithoutLatestItemSeesThePurgeLockWithinATimeout(t *testing.T) {
	t.Parallel()
	s, g, now := lockedWorld(t)
	s.PurgeLockMaxAge = 10 * time.Second
	kind := newKind(t, withoutLatest)
	outcome := func(n int) model.Outcome {
		return appendAll(t, s, kind, observation(minute(0), fmt.Sprint(n)))[0].Outcome
	}
	if got := outcome(1); got != model.Applied {
		t.Fatalf("outcome %s before the purge, want applied", got)
	}
	lock(t, g.Table, "sensor_01")
	now.Add(9_999)
	if got := outcome(2); got != model.Applied {
		t.Errorf("outcome %s while the cached lock is valid, want applied", got)
	}
	now.Add(1)
	if got := outcome(3); got != model.Gone {
		t.Errorf("outcome %s when the cached lock is too old, want gone", got)
	}
	if got := g.reads.Load(); got != 2 {
		t.Errorf("the purge lock was read %d times for three appends within two timeouts, want 2", got)
	}
}

func TestAppend_PurgeLockIsReadOncePerSubjectAndOnlyWithoutLatestItem(t *testing.T) {
	t.Parallel()
	s, g, _ := lockedWorld(t)
	lock(t, g.Table, "gone")
	bare := newKind(t, withoutLatest)
	var observations []ingest.TypedObservation
	for i := range 20 {
		d := observation(minute(i), "")
		d.Subject = []string{"here", "gone"}[i%2]
		observations = append(observations, d)
	}
	for i, o := range appendAll(t, s, bare, observations...) {
		if want := []model.Outcome{model.Applied, model.Gone}[i%2]; o.Outcome != want {
			t.Errorf("observation %d of %s is %s, want %s", i, observations[i].Subject, o.Outcome, want)
		}
	}
	reads := g.reads.Load()
	if reads > 2*8 { // eight appends at the same time may read before the first result is cached
		t.Errorf("the purge locks of two subjects were read %d times", reads)
	}
	appendAll(t, s, bare, observations[18], observations[19])
	if got := g.reads.Load(); got != reads {
		t.Errorf("the purge locks of the two subjects were read %d times again", got-reads)
	}
	appendAll(t, s, newKind(t, keeping), observations[0])
	if got := g.reads.Load(); got != reads {
		t.Error("an append to a kind with latest items read the purge lock")
	}
}

func TestAppend_UnreadablePurgeLockStoresNothing(t *testing.T) {
	t.Parallel()
	s, g, _ := lockedWorld(t)
	g.fails.Store(true)
	results, err := s.AppendEvents(t.Context(), newKind(t, withoutLatest),
		[]ingest.TypedObservation{observation(minute(0), "")})
	if err == nil || results[0].Outcome != model.Unknown {
		t.Errorf("outcome %s, %v; want unknown and an error", results[0].Outcome, err)
	}
	if n := len(g.Table.Records(0)); n != 0 {
		t.Errorf("%d items stored, want none", n)
	}
}

type failingLocks struct{ err error }

func (f failingLocks) PurgeLocked(context.Context, model.Subject) (bool, error) { return false, f.err }

// endingLocks ends the time of its caller.
type endingLocks struct{ end context.CancelFunc }

func (e endingLocks) PurgeLocked(ctx context.Context, _ model.Subject) (bool, error) {
	e.end()
	return false, ctx.Err()
}

// When the time is up, the events are undecided, which is no error of the call: a repetition is safe.
func TestAppend_IsUndecidedIfTheTimeEndsWhileTheLockIsRead(t *testing.T) {
	t.Parallel()
	table, kind := memory.New(clock), newKind(t, withoutLatest)
	ctx, cancel := context.WithCancel(t.Context())
	s := serviceOn(table, 1)
	s.PurgeLocks = endingLocks{cancel}
	results, err := s.AppendEvents(ctx, kind, []ingest.TypedObservation{observation(minute(1), "")})
	if err != nil || len(results) != 1 || results[0].Outcome != model.Unknown ||
		!errors.Is(results[0].Err, model.ErrUndecided) || !errors.Is(results[0].Err, context.Canceled) {
		t.Errorf("%+v, %v; want one that is undecided because the call was canceled", results, err)
	}
}

// Without knowing the lock nothing is stored, and each result says why.
func TestAppend_SaysWhyALockCannotBeRead(t *testing.T) {
	t.Parallel()
	denied := errors.New("access denied")
	table, kind := memory.New(clock), newKind(t, derived)
	s := serviceOn(table, 1)
	s.PurgeLocks = failingLocks{denied}
	results, err := s.AppendEvents(t.Context(), kind,
		[]ingest.TypedObservation{observation(minute(1), "", num("t", 1))})
	if !errors.Is(err, denied) || len(results) != 1 || results[0].Outcome != model.Unknown ||
		!errors.Is(results[0].Err, denied) {
		t.Errorf("%+v, %v; want one that is unknown because access is denied", results, err)
	}
	if left := readEvents(t, table, series(kind)); len(left) != 0 {
		t.Errorf("stored %+v, want nothing", left)
	}
}
