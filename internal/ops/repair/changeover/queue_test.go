package changeover_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/ops/repair/changeover"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// suspending suspends the process that sends a request on the queue, before or after the request, while
// others work.
type suspending struct {
	changeover.Table
	m         *modes
	suspended bool
}

func (s *suspending) around(request func()) {
	s.suspend()
	request()
	s.suspend()
}

// suspend lets some time pass, in which the queue may be swept and change.
func (s *suspending) suspend() {
	if s.suspended || s.m.draw.IntN(3) > 0 {
		return
	}
	s.suspended = true
	pause := []time.Duration{time.Second, 3 * time.Minute, time.Hour}[s.m.draw.IntN(3)]
	for range 1 + s.m.draw.IntN(3) {
		s.m.clock = s.m.clock.Add(pause)
		if s.m.draw.IntN(2) == 0 {
			s.m.queueShards()
		}
		if s.m.draw.IntN(2) == 0 {
			s.m.sweep()
		}
	}
	s.suspended = false
}

func (s *suspending) QueueConfig(ctx context.Context) (c storage.QueueConfig, err error) {
	s.around(func() { c, err = s.Table.QueueConfig(ctx) })
	return c, err
}

func (s *suspending) PutQueueConfig(
	ctx context.Context, c storage.QueueConfig, prev [16]byte,
) (result storage.WriteResult, err error) {
	s.around(func() { result, err = s.Table.PutQueueConfig(ctx, c, prev) })
	return result, err
}

func (s *suspending) StoredInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (stored map[storage.Invalidation]bool, err error) {
	s.around(func() { stored, err = s.Table.StoredInvalidations(ctx, these) })
	return stored, err
}

func (s *suspending) PutInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (left []storage.Invalidation, result storage.WriteResult, err error) {
	s.around(func() { left, result, err = s.Table.PutInvalidations(ctx, these) })
	return left, result, err
}

// queueShards declares another number of queue shards, and applies it. The process may end before the second
// step.
func (m *modes) queueShards() {
	m.Helper()
	ctx, end := context.WithCancel(m.Context())
	defer end()
	if m.draw.IntN(4) == 0 {
		m.table = &ending{m.table, end}
		defer func() { m.table = m.table.(*ending).Table }()
	}
	c := m.changer()
	c.QueueShards = 1 + m.draw.IntN(5)
	if _, err := c.ApplyQueue(ctx); err != nil && ctx.Err() == nil {
		m.Fatal(err)
	}
}

// ending ends the process that has changed the generations.
type ending struct {
	changeover.Table
	end func()
}

func (e *ending) PutQueueConfig(
	ctx context.Context, c storage.QueueConfig, prev [16]byte,
) (storage.WriteResult, error) {
	result, err := e.Table.PutQueueConfig(ctx, c, prev)
	e.end()
	return result, err
}

// Readers see every processed event at any time, although the number of queue shards goes up and down,
// processes learn of it at different times and are suspended for longer than they may rely on what they know,
// and a change ends anywhere.
func TestApplyQueue_ReadersSeeEveryProcessedEvent(t *testing.T) {
	t.Parallel()
	added, retired := 0, 0
	for seed := range uint64(40) {
		m := newModes(t, seed)
		m.declare(int(seed) % 2)
		m.table = &suspending{Table: m.memory, m: m}
		for step := range 60 {
			m.clock = m.clock.Add(time.Duration(m.draw.Int64N(int64(10 * time.Minute))).Truncate(time.Millisecond))
			switch m.draw.IntN(6) {
			case 0:
				m.queueShards()
			case 1:
				m.sweep()
			case 2, 3:
				m.check()
			default:
				m.event(m.clock.Add(-time.Duration(m.draw.IntN(90))*time.Minute), step)
			}
		}
		m.check()
		c, err := m.memory.QueueConfig(t.Context())
		if err != nil || t.Failed() {
			t.Fatalf("seed %d: %v", seed, err)
		}
		added += len(c.Generations) - 1
		for _, g := range c.Generations {
			if g.RetiredAt != 0 {
				retired++
			}
		}
	}
	if added < 200 || retired < 20 {
		t.Errorf("%d generations were added and %d retired: the histories test nothing", added, retired)
	}
}

// slowPut is a table that takes hours for a change of the generations.
type slowPut struct {
	changeover.Table
	m *modes
}

func (s slowPut) PutQueueConfig(
	ctx context.Context, c storage.QueueConfig, prev [16]byte,
) (storage.WriteResult, error) {
	s.m.clock = s.m.clock.Add(3 * time.Hour)
	return s.Table.PutQueueConfig(ctx, c, prev)
}

// A process may have read the generations just before a write that took hours: the time of a generation is
// read after it was read as stored.
func TestApplyQueue_TakesTheTimeOfAGenerationAfterItIsStored(t *testing.T) {
	t.Parallel()
	m := newModes(t, 1)
	m.table = slowPut{m.table, m}
	c := m.changer()
	c.QueueShards = 2
	began := m.clock
	done, err := c.ApplyQueue(t.Context())
	if at := done.Config.Generations.Newest().SeenAt; err != nil || at < began.Add(3*time.Hour) {
		t.Errorf("seen at %s, %v; want a time after the first write, which began at %s and took three hours", at,
			err, began)
	}
}

// A generation is retired only when it is empty, and long enough after the next one was read as stored.
func TestApplyQueue_KeepsAGenerationThatMayTakeInvalidations(t *testing.T) {
	t.Parallel()
	m := newModes(t, 1)
	m.declare(0)
	apply := func(shards int) tableconfig.AppliedQueue {
		c := m.changer()
		c.QueueShards = shards
		done, err := c.ApplyQueue(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	m.clock = m.clock.Add(2 * tableconfig.Lead)
	m.event(m.clock, 1)
	due := m.clock.Add(2 * time.Hour)
	want := "queue: 16 shards; 4 earlier ones are swept until they are empty"
	if done := apply(16); !done.Added || done.String() != want {
		t.Errorf("%s, want %s", done, want)
	}
	m.clock = m.clock.Add(queue.Lead + 2*queue.ClockMargin)
	if done := apply(16); done.Added || len(done.Retired) > 0 {
		t.Errorf("%+v: retired with an invalidation in it", done)
	}
	m.clock = max(m.clock, due)
	m.sweep()
	if done := apply(16); len(done.Retired) != 1 || done.Retired[0].Number != 0 {
		t.Errorf("%+v, want the first generation retired", done)
	}
	m.memory = memory.New(m.now)
	m.table = m.memory
	apply(2)
	m.clock = m.clock.Add(queue.Lead + 2*queue.ClockMargin - 1)
	if done := apply(2); len(done.Retired) > 0 {
		t.Errorf("%+v: retired while a process may rely on a put", done)
	}
	m.clock++
	if done := apply(2); len(done.Retired) != 1 ||
		fmt.Sprint(done.Config.Generations.Swept()) != "[{1 0} {1 1}]" {
		t.Errorf("%+v, want the first generation retired", done)
	}
	through, err := m.table.Sweeps(t.Context())
	if err != nil || through.For(model.Series{}) == model.MinTime {
		t.Errorf("%v, %v: new queue shards have no low watermark", through, err)
	}
}
