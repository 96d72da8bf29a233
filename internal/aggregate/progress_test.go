package aggregate_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// gaps returns the gaps stored in the table.
func (w *world) gaps() (all []entity.Gap) {
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

func (w *world) advanceTo(p *aggregate.StreamProgress, at model.Time) *entity.Gap {
	w.t.Helper()
	gap, err := p.Advance(w.ctx(), at)
	if err != nil {
		w.t.Fatal(err)
	}
	return gap
}

// Two processes may see the same change: there is nothing between it and itself.
func TestStreamProgress_ThatIsStoredAlreadyIsNoGap(t *testing.T) {
	w := newWorld(t)
	for range 2 {
		if gap := w.advanceTo(&aggregate.StreamProgress{Store: w.table}, at(ten)); gap != nil || len(w.gaps()) > 0 {
			t.Errorf("gap %v, stored %v; want none", gap, w.gaps())
		}
	}
}

func TestStreamProgress_StoresAGapWhereItPausedForTheStreamRetention(t *testing.T) {
	for _, c := range []struct {
		paused time.Duration
		gap    bool
	}{{time.Minute, false}, {23 * time.Hour, false}, {23*time.Hour + time.Second, true}, {90 * time.Hour, true}} {
		w := newWorld(t)
		start := at(ten)
		w.advanceTo(&aggregate.StreamProgress{Store: w.table}, start)
		gap := w.advanceTo(&aggregate.StreamProgress{Store: w.table}, start.Add(c.paused)) // another process
		if (gap != nil) != c.gap || len(w.gaps()) > 0 != c.gap {
			t.Errorf("after %s: gap %v, stored %v; want one: %v", c.paused, gap, w.gaps(), c.gap)
		}
		if gap != nil && (*gap != entity.Gap{From: start, To: start.Add(c.paused)} || w.gaps()[0] != *gap) {
			t.Errorf("gap %v, stored %v", *gap, w.gaps())
		}
		if got := w.progress(); got != start.Add(c.paused) {
			t.Errorf("progress %s, want %s", got, start.Add(c.paused))
		}
	}
}

func TestStreamProgress_CostsAProcessOneWriteAMinute(t *testing.T) {
	w := newWorld(t)
	counting := &countingProgress{ProgressStore: w.table}
	p := &aggregate.StreamProgress{Store: counting}
	for second := range 600 {
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

func (c *countingProgress) AdvanceProgress(ctx context.Context, at, floor model.Time) (storage.WriteResult, model.Time, error) {
	c.requests++
	return c.ProgressStore.AdvanceProgress(ctx, at, floor)
}

// A gap that could not be stored is found again by the next call.
func TestStreamProgress_AdvancesOnlyAfterTheGapIsStored(t *testing.T) {
	w := newWorld(t)
	w.advanceTo(&aggregate.StreamProgress{Store: w.table}, at(ten))
	for _, result := range []storage.WriteResult{storage.Throttled, storage.Unknown} {
		p := &aggregate.StreamProgress{Store: failingGaps{w.table, result, nil}}
		if gap := w.advanceTo(p, at(ten).Add(48*time.Hour)); gap != nil || w.progress() != at(ten) {
			t.Errorf("%s: gap %v returned, progress %s; want both unchanged", result, gap, w.progress())
		}
	}
	p := &aggregate.StreamProgress{Store: failingGaps{w.table, storage.Unknown, errors.New("access denied")}}
	if _, err := p.Advance(w.ctx(), at(ten).Add(48*time.Hour)); err == nil {
		t.Error("a gap that cannot be stored returned no error")
	}
}

type failingGaps struct {
	aggregate.ProgressStore
	result storage.WriteResult
	err    error
}

func (c failingGaps) PutGap(context.Context, entity.Gap) (storage.WriteResult, error) {
	return c.result, c.err
}
