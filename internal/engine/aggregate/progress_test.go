package aggregate_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// gaps returns the gaps stored in the table.
func (w *world) gaps() (all []storage.Gap) {
	for _, it := range w.items() {
		if g, err := item.Gap(it); err == nil {
			all = append(all, g)
		}
	}
	return all
}

func (w *world) progress() model.Time {
	w.t.Helper()
	it, err := w.table.GetItem(w.ctx(), tablekeys.StreamProgress())
	if err != nil {
		w.t.Fatal(err)
	}
	at, err := item.StreamProgress(it)
	if err != nil {
		w.t.Fatal(err)
	}
	return at
}

func (w *world) advanceTo(p *aggregate.StreamProgress, at model.Time) *storage.Gap {
	w.t.Helper()
	gap, err := p.Advance(w.ctx(), at)
	if err != nil {
		w.t.Fatal(err)
	}
	return gap
}

// newProgress returns the progress of a process that has not stored any.
func (w *world) newProgress(store aggregate.ProgressStore, maxAge time.Duration) *aggregate.StreamProgress {
	return &aggregate.StreamProgress{Store: store, Now: w.now, MaxAge: maxAge}
}

// Two processes may see the same change: there is nothing between it and itself.
func TestStreamProgress_ThatIsStoredAlreadyIsNoGap(t *testing.T) {
	w := newWorld(t)
	w.setNow(at(ten))
	for range 2 {
		if gap := w.advanceTo(w.newProgress(w.table, 6*time.Hour), at(ten)); gap != nil || len(w.gaps()) > 0 {
			t.Errorf("gap %v, stored %v; want none", gap, w.gaps())
		}
	}
}

// The mapping is disabled, and enabled again. The table stream keeps the changes of the last 24 hours, and
// two shards deliver them: one was behind by up to maxAge when the mapping stopped, and either may begin
// first. Every change that was trimmed before its delivery is in a recorded gap.
func TestStreamProgress_EveryLostChangeIsInAGap(t *testing.T) {
	for outage := time.Hour; outage <= 72*time.Hour; outage += time.Hour {
		for _, maxAge := range []time.Duration{time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour} {
			for _, scheduled := range []bool{false, true} {
				w := newWorld(t)
				w.stopFor(outage, maxAge, scheduled)
				behind := at(ten).Add(-maxAge + time.Minute) // what the slower shard had processed
				horizon := w.now().Add(-aggregate.StreamRetention)
				for change := behind; change < horizon; change = change.Add(10 * time.Minute) {
					if !slices.ContainsFunc(w.gaps(), func(g storage.Gap) bool {
						return g.From <= change && change <= g.To
					}) {
						t.Fatalf("mapping disabled for %s, maxAge %s, scheduled %t: "+
							"the change of %s is lost and in no gap of %v",
							outage, maxAge, scheduled, change, w.gaps())
					}
				}
				if lost := outage > 23*time.Hour-maxAge; !lost && len(w.gaps()) > 0 {
					t.Errorf("mapping disabled for %s, maxAge %s: %v, but nothing can be lost", outage, maxAge, w.gaps())
				}
				if got := w.progress(); got != w.now() {
					t.Errorf("progress %s, want %s", got, w.now())
				}
			}
		}
	}
}

// stopFor disables the mapping for some time, and delivers what the stream still has, by one process that
// reads the faster shard first.
func (w *world) stopFor(outage, maxAge time.Duration, scheduled bool) {
	stopped := at(ten)
	w.setNow(stopped)
	w.advanceTo(w.newProgress(w.table, maxAge), stopped)
	beat := aggregate.Heartbeat{Store: w.table, Now: w.now, MaxAge: maxAge}
	for end := stopped.Add(outage); w.now() < end; {
		w.advance(time.Hour)
		if scheduled {
			if _, err := beat.Beat(w.ctx()); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	p := w.newProgress(w.table, maxAge)
	first := max(stopped, w.now().Add(-aggregate.StreamRetention))
	for change := first; change <= w.now(); change = change.Add(time.Hour) {
		w.advanceTo(p, change)
	}
	w.advanceTo(p, w.now())
}

// A gap only grows: what a smaller one of the same start says is in it.
func TestBeat_GrowsTheGapWhileNothingIsProcessed(t *testing.T) {
	w := newWorld(t)
	w.setNow(at(ten))
	w.advanceTo(w.newProgress(w.table, 6*time.Hour), at(ten))
	beat := aggregate.Heartbeat{Store: w.table, Now: w.now, MaxAge: 6 * time.Hour}
	for hours := 1; hours <= 40; hours++ {
		w.advance(time.Hour)
		got, err := beat.Beat(w.ctx())
		if err != nil {
			t.Fatal(err)
		}
		var want []storage.Gap
		if hours > 17 {
			want = []storage.Gap{{From: at(ten).Add(-6*time.Hour - 10*time.Minute), To: w.now().Add(-17 * time.Hour)}}
		}
		if !slices.Equal(w.gaps(), want) || (got.Gap != nil) != (want != nil) {
			t.Errorf("after %d h: reported %v, stored %v, want %v", hours, got.Gap, w.gaps(), want)
		}
	}
}

func TestStreamProgress_CostsAProcessOneWriteAMinute(t *testing.T) {
	w := newWorld(t)
	counting := &countingProgress{ProgressStore: w.table}
	p := w.newProgress(counting, 6*time.Hour)
	for second := range 600 {
		w.setNow(at(ten).Add(time.Duration(second) * time.Second))
		w.advanceTo(p, at(ten).Add(time.Duration(second)*time.Second))
	}
	if counting.requests != 10 {
		t.Errorf("%d requests in 10 minutes of a batch a second, want 10", counting.requests)
	}
	w.advanceTo(p, at(ten)) // a replay
	if w.progress() != at(ten).Add(9*time.Minute) {
		t.Errorf("progress %s moved back", w.progress())
	}
}

type countingProgress struct {
	aggregate.ProgressStore
	requests int
}

func (c *countingProgress) AdvanceProgress(ctx context.Context,
	at, floor model.Time) (storage.WriteResult, model.Time, error) {
	c.requests++
	return c.ProgressStore.AdvanceProgress(ctx, at, floor)
}

// A gap that could not be stored is found again by the next call.
func TestStreamProgress_AdvancesOnlyAfterTheGapIsStored(t *testing.T) {
	w := newWorld(t)
	w.setNow(at(ten))
	w.advanceTo(w.newProgress(w.table, 6*time.Hour), at(ten))
	w.advance(48 * time.Hour)
	for _, result := range []storage.WriteResult{storage.Throttled, storage.Unknown} {
		p := w.newProgress(failingGaps{ProgressStore: w.table, result: result}, 6*time.Hour)
		if gap := w.advanceTo(p, at(ten).Add(48*time.Hour)); gap != nil || w.progress() != at(ten) {
			t.Errorf("%s: gap %v returned, progress %s; want both unchanged", result, gap, w.progress())
		}
	}
	p := w.newProgress(failingGaps{
		ProgressStore: w.table, result: storage.Unknown, err: errors.New("access denied"),
	}, 6*time.Hour)
	if _, err := p.Advance(w.ctx(), at(ten).Add(48*time.Hour)); err == nil {
		t.Error("a gap that cannot be stored returned no error")
	}
}

type failingGaps struct {
	aggregate.ProgressStore
	result storage.WriteResult
	err    error
}

func (c failingGaps) PutGap(context.Context, storage.Gap) (storage.WriteResult, error) {
	return c.result, c.err
}
