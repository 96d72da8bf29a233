package queue

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// scripted is a store whose requests return what a test says, and take time.
type scripted struct {
	stored          bool
	readErr, putErr error
	configErr       error
	result          storage.WriteResult
	clock           *model.Time
	readTakes       model.Time
	putTakes        model.Time
	generations     int // that were added; each read adds one
	into            []storage.QueueShard
}

func (s *scripted) HasInvalidation(context.Context, storage.Invalidation) (bool, error) {
	*s.clock += s.readTakes
	return s.stored, s.readErr
}

func (s *scripted) PutInvalidation(_ context.Context, i storage.Invalidation) (storage.WriteResult, error) {
	*s.clock += s.putTakes
	s.putTakes = 0
	s.into = append(s.into, i.Shard)
	return s.result, s.putErr
}

func (s *scripted) QueueConfig(context.Context) (storage.QueueConfig, error) {
	all := storage.Generations{storage.FirstGeneration}
	for n := range s.generations {
		all = append(all, storage.Generation{Number: 1 + n, Shards: 1})
	}
	s.generations++
	return storage.QueueConfig{Generations: all}, s.configErr
}

// A process that is suspended between reading the generations and its put may have put into one that is
// retired by then. It puts again by what it reads then.
func TestMemory_PutsAgainAfterASuspension(t *testing.T) {
	t.Parallel()
	week := model.Time(0).Add(7 * 24 * time.Hour)
	for name, c := range map[string]struct {
		takes time.Duration
		want  []int // generations
	}{
		"soon enough": {Lead - time.Millisecond, []int{0}},
		"too late":    {Lead, []int{0, 1}},
		"clock back":  {-time.Millisecond, []int{0, 1}},
	} {
		for method, put := range map[string]func(*Memory, *scripted, storage.Invalidation) error{
			"ensure": func(m *Memory, s *scripted, i storage.Invalidation) error {
				d := Deferral{Invalidation: i}
				_, err := m.Ensure(t.Context(), s, d, func() model.Time { return *s.clock })
				return err
			},
			"put": func(m *Memory, s *scripted, i storage.Invalidation) error {
				_, err := m.Put(t.Context(), s, i, func() model.Time { return *s.clock })
				return err
			},
		} {
			clock := model.Time(0).Add(time.Hour)
			store := &scripted{result: storage.Written, clock: &clock, putTakes: model.Time(c.takes.Milliseconds())}
			err := put(&Memory{}, store, storage.Invalidation{Due: week, Key: rollup.Key{Tier: "day"}})
			got := lists.Map(store.into, func(s storage.QueueShard) int { return s.Generation })
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s, %s: put into generations %v, %v; want %v", name, method, got, err, c.want)
			}
		}
	}
}

// An invalidation whose queue shard is not known is not put, and its bucket not left.
func TestMemory_ReadsTheGenerationsFirst(t *testing.T) {
	t.Parallel()
	clock := model.Time(0)
	store := &scripted{result: storage.Written, clock: &clock, configErr: errors.New("unreachable")}
	now := func() model.Time { return clock }
	i := storage.Invalidation{Due: 10, Key: rollup.Key{Tier: "hour"}}
	var m Memory
	got, err := m.Ensure(t.Context(), store, Deferral{Invalidation: i}, now)
	if !errors.Is(err, ErrUnplaced) || got.Left || got.Puts > 0 {
		t.Errorf("%+v, %v; want %v", got, err, ErrUnplaced)
	}
	if _, err := m.Put(t.Context(), store, i, now); !errors.Is(err, ErrUnplaced) || len(store.into) > 0 {
		t.Errorf("%v, %v; want %v", store.into, err, ErrUnplaced)
	}
}

// A bucket is left only if its invalidation is known to be stored and the clock, read after that, is before the
// due time. Only then is it remembered.
func TestEnsure_LeavesABucketOnlyIfItIsOpenAfterItsInvalidationIsKnown(t *testing.T) {
	t.Parallel()
	unreachable := errors.New("unreachable")
	for name, c := range map[string]struct {
		store scripted
		start model.Time
		want  Attempt
		fails bool
	}{
		"found":                       {scripted{stored: true}, 0, Attempt{Left: true, Reads: 1, Result: storage.Written}, false},
		"put":                         {scripted{result: storage.Written}, 0, Attempt{Left: true, Reads: 1, Puts: 1, Result: storage.Written}, false},
		"put after a read that fails": {scripted{readErr: unreachable, result: storage.Written}, 0, Attempt{Left: true, Reads: 1, Puts: 1, Result: storage.Written}, false},
		"put without a response":      {scripted{result: storage.Unknown}, 0, Attempt{Reads: 1, Puts: 1, Result: storage.Unknown}, false},
		"put throttled":               {scripted{result: storage.Throttled}, 0, Attempt{Reads: 1, Puts: 1, Result: storage.Throttled}, false},
		"put not allowed":             {scripted{putErr: unreachable}, 0, Attempt{Reads: 1, Puts: 1}, true},
		"closed before":               {scripted{stored: true}, 10, Attempt{Result: storage.Written}, false},
		"closed during the read":      {scripted{stored: true, readTakes: 10}, 0, Attempt{Reads: 1, Result: storage.Written}, false},
		"closed during the put":       {scripted{result: storage.Written, putTakes: 10}, 0, Attempt{Reads: 1, Puts: 1, Result: storage.Written}, false},
		"open by a millisecond":       {scripted{stored: true, readTakes: 9}, 0, Attempt{Left: true, Reads: 1, Result: storage.Written}, false},
	} {
		clock := c.start
		c.store.clock = &clock
		i := Deferral{Invalidation: storage.Invalidation{Due: 10, Key: rollup.Key{Tier: "hour"}}}
		var m Memory
		got, err := m.Ensure(t.Context(), &c.store, i, func() model.Time { return clock })
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("%s: %+v, %v; want %+v, an error: %v", name, got, err, c.want, c.fails)
		}
		if remembered := m.has(i); remembered != c.want.Left {
			t.Errorf("%s: remembered %v, want %v", name, remembered, c.want.Left)
		}
	}
}

func TestEnsure_SendsNoRequestForWhatTheProcessRemembers(t *testing.T) {
	t.Parallel()
	clock := model.Time(0)
	store := &scripted{stored: true, clock: &clock}
	i := Deferral{Invalidation: storage.Invalidation{Due: 10, Key: rollup.Key{Tier: "hour"}}}
	var m Memory
	for n := range 3 {
		got, err := m.Ensure(t.Context(), store, i, func() model.Time { return clock })
		if want := (Attempt{Left: true, Reads: max(0, 1-n), Result: storage.Written}); err != nil || got != want {
			t.Errorf("attempt %d: %+v, %v; want %+v", n, got, err, want)
		}
	}
	clock = 10
	if got, err := m.Ensure(t.Context(), store, i, func() model.Time { return clock }); err != nil || got.Left {
		t.Errorf("closed: %+v, %v; want it not left", got, err)
	}
}

// The end of a deferral works off invalidations that are not due. What a process remembers of them says
// nothing of the next deferral of the tier.
func TestEnsure_ReadsAgainWhatItRemembersOfAnEarlierDeferral(t *testing.T) {
	t.Parallel()
	clock := model.Time(0)
	store := &scripted{result: storage.Written, clock: &clock}
	first := Deferral{Invalidation: storage.Invalidation{Due: 10, Key: rollup.Key{Tier: "month"}}, From: 1}
	second := first
	second.From = 5
	var m Memory
	for n, c := range []struct {
		bucket Deferral
		puts   int
	}{{first, 1}, {first, 0}, {second, 1}, {second, 0}} {
		got, err := m.Ensure(t.Context(), store, c.bucket, func() model.Time { return clock })
		if err != nil || !got.Left || got.Puts != c.puts {
			t.Errorf("attempt %d: %+v, %v; want %d puts", n, got, err, c.puts)
		}
	}
}
