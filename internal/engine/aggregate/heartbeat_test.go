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

func (b broken) StreamState(ctx context.Context) (storage.StreamState, error) {
	if err := b.fails("read"); err != nil {
		return storage.StreamState{}, err
	}
	return b.Table.StreamState(ctx)
}

func (b broken) PutItem(ctx context.Context, it item.Item) error {
	return errors.Join(b.fails("put"), b.Table.PutItem(ctx, it))
}

func (b broken) BeginProgress(
	ctx context.Context, at model.Time,
) (storage.WriteResult, model.Time, error) {
	result, stored, err := b.Table.BeginProgress(ctx, at)
	return result, stored, errors.Join(b.fails("begin"), err)
}

func (b broken) Sweeps(ctx context.Context) (storage.LowWatermarks, error) {
	marks, err := b.Table.Sweeps(ctx)
	return marks, errors.Join(b.fails("sweeps"), err)
}

func TestBeat_ReturnsTheErrorOfEachRequest(t *testing.T) {
	now := func() model.Time { return noon }
	for operation, known := range map[string]bool{"read": false, "begin": false, "put": true} {
		h := aggregate.Heartbeat{Store: broken{memory.New(now), operation}, Now: now}
		if got, err := h.Beat(t.Context()); !errors.Is(err, errBroken) || got.Known != known {
			t.Errorf("%s fails: %+v, %v; want the age known: %t, and the error", operation, got, err, known)
		}
	}
}

// advanced is a table that reports one result of the first progress.
type advanced struct {
	*memory.Table
	result storage.WriteResult
	stored model.Time
}

func (a advanced) BeginProgress(
	context.Context, model.Time,
) (storage.WriteResult, model.Time, error) {
	return a.result, a.stored, nil
}

// The first beat begins the progress, unless another process has begun it already. A beat whose write has no
// result knows no age.
func TestBeat_TheFirstProgressIsThatOfTheProcessThatStoresIt(t *testing.T) {
	now := func() model.Time { return noon }
	for result, want := range map[storage.WriteResult]time.Duration{
		storage.Written: 0, storage.ConditionFailed: time.Minute, storage.Unknown: -1, storage.Throttled: -1,
	} {
		h := aggregate.Heartbeat{
			Store: advanced{Table: memory.New(now), result: result, stored: noon.Add(-time.Minute)},
			Now:   now,
		}
		got, err := h.Beat(t.Context())
		if known := want >= 0; got.Known != known || known != (err == nil) || known && got.Age != want {
			t.Errorf("%s: %+v, %v; want %s", result, got, err, want)
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
	if got, err := h.Beat(t.Context()); err != nil || got != (aggregate.Pulse{Known: true, Age: time.Hour}) {
		t.Errorf("%+v, %v; want an age of an hour", got, err)
	}
}

// The queue shards of every generation that is not retired are swept.
func TestQueueShards_HaveTheAgesOfTheirLowWatermarks(t *testing.T) {
	w := newWorld(t)
	config := storage.QueueConfig{Rev: [16]byte{1}, Generations: storage.Generations{
		{Number: 0, Shards: 2, RetiredAt: 1}, {Number: 1, Shards: 1}, {Number: 2, Shards: 3},
	}}
	result, err := w.table.PutQueueConfig(w.ctx(), config, [16]byte{})
	if err != nil || result != storage.Written {
		t.Fatalf("%v, %v", result, err)
	}
	want := []aggregate.SweptShard{
		{QueueShard: storage.QueueShard{Generation: 1}},
		{QueueShard: storage.QueueShard{Generation: 2}},
		{QueueShard: storage.QueueShard{Generation: 2, Number: 1}},
		{QueueShard: storage.QueueShard{Generation: 2, Number: 2}},
	}
	if all, err := w.agg.QueueShards(w.ctx()); !slices.Equal(all, want) || err != nil {
		t.Errorf("before the first sweep: %v, %v; want %v", all, err, want)
	}
	for n, ago := range []time.Duration{time.Minute, time.Hour, -time.Second} { // another clock may be ahead
		want[n].Age = max(0, ago)
		result, err := w.table.AdvanceSweep(w.ctx(), want[n].QueueShard, w.now().Add(-ago))
		if err != nil || result != storage.Written {
			t.Fatalf("%v, %v", result, err)
		}
	}
	if all, err := w.agg.QueueShards(w.ctx()); !slices.Equal(all, want) || err != nil {
		t.Errorf("%v, %v; want %v", all, err, want)
	}
	w.on(broken{w.table, "sweeps"})
	if _, err := w.agg.QueueShards(w.ctx()); !errors.Is(err, errBroken) {
		t.Errorf("low watermarks cannot be read: %v, want the error", err)
	}
}

// A watch that runs says how many rows differ; what one found that was stopped is no news.
func TestBeat_HasWhatAWatchFoundWithinTheHour(t *testing.T) {
	now := func() model.Time { return noon }
	table := memory.New(now)
	h := aggregate.Heartbeat{Store: table, Now: now}
	for _, c := range []struct {
		stored *storage.Verification
		want   int // -1: unknown
	}{
		{nil, -1},
		{&storage.Verification{At: noon.Add(-59 * time.Minute), Differ: 2}, 2},
		{&storage.Verification{At: noon.Add(-time.Minute)}, 0},
		{&storage.Verification{At: noon.Add(-time.Hour), Differ: 2}, -1},
	} {
		if c.stored != nil {
			if err := table.PutItem(t.Context(), item.FromVerification(*c.stored)); err != nil {
				t.Fatal(err)
			}
		}
		pulse, err := h.Beat(t.Context())
		got := -1
		if pulse.Differ != nil {
			got = *pulse.Differ
		}
		if err != nil || got != c.want {
			t.Errorf("%+v: %d rows differ, %v; want %d", c.stored, got, err, c.want)
		}
	}
}
