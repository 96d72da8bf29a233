package aggregate_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var errBroken = errors.New("broken")

// broken is a table whose named operation fails.
type broken struct {
	*memory.Table
	operation string
}

func (b broken) fails(operation string) error {
	if b.operation == operation {
		return errBroken
	}
	return nil
}

func (b broken) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	if err := b.fails("get"); err != nil {
		return nil, err
	}
	return b.Table.GetItem(ctx, k)
}

func (b broken) PutItem(ctx context.Context, it item.Item) error {
	return errors.Join(b.fails("put"), b.Table.PutItem(ctx, it))
}

func (b broken) AdvanceProgress(ctx context.Context, at, floor model.Time) (storage.WriteResult, model.Time, error) {
	result, stored, err := b.Table.AdvanceProgress(ctx, at, floor)
	return result, stored, errors.Join(b.fails("advance"), err)
}

func (b broken) Sweeps(ctx context.Context) (entity.LowWatermarks, error) {
	marks, err := b.Table.Sweeps(ctx)
	return marks, errors.Join(b.fails("sweeps"), err)
}

func TestBeat_ReturnsTheErrorOfEachRequest(t *testing.T) {
	now := func() model.Time { return noon }
	for operation, known := range map[string]bool{"get": false, "advance": false, "put": true} {
		h := aggregate.Heartbeat{Store: broken{memory.New(now), operation}, Now: now}
		if _, got, err := h.Beat(t.Context()); !errors.Is(err, errBroken) || got != known {
			t.Errorf("%s fails: age known %t, %v; want %t and the error", operation, got, err, known)
		}
	}
}

// advanced is a table that reports one result of the first progress.
type advanced struct {
	*memory.Table
	result storage.WriteResult
	stored model.Time
}

func (a advanced) AdvanceProgress(context.Context, model.Time, model.Time) (storage.WriteResult, model.Time, error) {
	return a.result, a.stored, nil
}

// The first beat begins the progress, unless another process has begun it already. A beat whose write has no
// result knows no age.
func TestBeat_TheFirstProgressIsThatOfTheProcessThatStoresIt(t *testing.T) {
	now := func() model.Time { return noon }
	for result, want := range map[storage.WriteResult]time.Duration{
		storage.Written: 0, storage.ConditionFailed: time.Minute, storage.Unknown: -1, storage.Throttled: -1,
	} {
		h := aggregate.Heartbeat{Store: advanced{memory.New(now), result, noon.Add(-time.Minute)}, Now: now}
		age, known, err := h.Beat(t.Context())
		if known != (want >= 0) || known != (err == nil) || known && age != want {
			t.Errorf("%s: age %s, known %t, %v; want %s", result, age, known, err, want)
		}
	}
}

// A beat of a table that is processed writes no progress.
func TestBeat_LeavesTheProgressThatIsStored(t *testing.T) {
	now := func() model.Time { return noon }
	table := memory.New(now)
	if err := table.PutItem(t.Context(), item.FromStreamProgress(noon.Add(-time.Hour))); err != nil {
		t.Fatal(err)
	}
	h := aggregate.Heartbeat{Store: broken{table, "advance"}, Now: now}
	if age, known, err := h.Beat(t.Context()); err != nil || !known || age != time.Hour {
		t.Errorf("age %s, known %t, %v; want an hour", age, known, err)
	}
}

func TestSweepAges_AreThoseOfTheLowWatermarks(t *testing.T) {
	w := newWorld(t)
	want := make([]time.Duration, tablekeys.QueueShards)
	if ages, err := w.agg.SweepAges(w.ctx()); !slices.Equal(ages, want) || err != nil {
		t.Errorf("before the first sweep: %s, %v; want 0 for each queue shard", ages, err)
	}
	for shard, ago := range map[int]time.Duration{0: time.Minute, 1: time.Hour, 2: -time.Second} { // another clock may be ahead
		want[shard] = max(0, ago)
		if result, err := w.table.AdvanceSweep(w.ctx(), shard, w.now().Add(-ago)); err != nil || result != storage.Written {
			t.Fatalf("%v, %v", result, err)
		}
	}
	if ages, err := w.agg.SweepAges(w.ctx()); !slices.Equal(ages, want) || err != nil {
		t.Errorf("ages %s, %v; want %s", ages, err, want)
	}
	w.on(broken{w.table, "sweeps"})
	if _, err := w.agg.SweepAges(w.ctx()); !errors.Is(err, errBroken) {
		t.Errorf("low watermarks cannot be read: %v, want the error", err)
	}
}
