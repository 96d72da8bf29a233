package queue

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/retry"
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
	unprocessed     int // of each put, at its end
	clock           *model.Time
	readTakes       model.Time
	putTakes        model.Time
	generations     int // that were added; each read adds one
	into            []storage.QueueShard
}

func (s *scripted) StoredInvalidations(
	_ context.Context, these []storage.Invalidation,
) (map[storage.Invalidation]bool, error) {
	*s.clock += s.readTakes
	stored := map[storage.Invalidation]bool{}
	for _, i := range these {
		stored[i] = s.stored
	}
	return stored, s.readErr
}

func (s *scripted) PutInvalidations(
	_ context.Context, these []storage.Invalidation,
) (left []storage.Invalidation, _ storage.WriteResult, _ error) {
	*s.clock += s.putTakes
	s.putTakes = 0
	for _, i := range these {
		s.into = append(s.into, i.Shard)
	}
	return these[len(these)-min(s.unprocessed, len(these)):], s.result, s.putErr
}

// ensureOne makes sure of one bucket, by one attempt.
func ensureOne(t *testing.T, m *Memory, s *scripted, d Deferral) (Ensured, error) {
	t.Helper()
	once := retry.Retrier{Policy: retry.Policy{Attempts: 1}}
	now := func() model.Time { return *s.clock }
	return m.Ensure(t.Context(), s, []Deferral{d}, Requests{Now: now, Retrier: once})
}

func (s *scripted) QueueConfig(context.Context) (storage.QueueConfig, error) {
	all := storage.Generations{storage.FirstGeneration}
	for n := range s.generations {
		all = append(all, storage.Generation{Number: 1 + n, Shards: 1})
	}
	s.generations++
	return storage.QueueConfig{Generations: all}, s.configErr
}

// zeros is a random source.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

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
				_, err := ensureOne(t, m, s, Deferral{Invalidation: i})
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
	got, err := ensureOne(t, &m, store, Deferral{Invalidation: i})
	both := errors.Is(err, ErrUnplaced) && errors.Is(err, retry.ErrUndecided)
	if !both || got.Decisions[0] != Undecided || got.Puts > 0 {
		t.Errorf("%+v, %v; want %v", got, err, ErrUnplaced)
	}
	if _, err := m.Put(t.Context(), store, i, now); !errors.Is(err, ErrUnplaced) || len(store.into) > 0 {
		t.Errorf("%v, %v; want %v", store.into, err, ErrUnplaced)
	}
}

// A bucket is left only if its invalidation is known to be stored and the clock, read after that, is before
// the due time. Only then is it remembered.
func TestEnsure_LeavesABucketOnlyIfItIsOpenAfterItsInvalidationIsKnown(t *testing.T) {
	t.Parallel()
	unreachable := errors.New("unreachable")
	for name, c := range map[string]struct {
		store       scripted
		start       model.Time
		want        Decision
		reads, puts int
	}{
		"found":                       {scripted{stored: true}, 0, Left, 1, 0},
		"put":                         {scripted{result: storage.Written}, 0, Left, 1, 1},
		"put after a read that fails": {scripted{readErr: unreachable, result: storage.Written}, 0, Left, 1, 1},
		"put without a response":      {scripted{result: storage.Unknown}, 0, Undecided, 1, 1},
		"put throttled":               {scripted{result: storage.Throttled}, 0, Undecided, 1, 1},
		"put not processed":           {scripted{unprocessed: 1}, 0, Undecided, 1, 1},
		"put not allowed":             {scripted{putErr: unreachable}, 0, Undecided, 1, 1},
		"closed before":               {scripted{stored: true}, 10, Closed, 0, 0},
		"closed during the read":      {scripted{stored: true, readTakes: 10}, 0, Closed, 1, 0},
		"closed during the put":       {scripted{result: storage.Written, putTakes: 10}, 0, Closed, 1, 1},
		"open by a millisecond":       {scripted{stored: true, readTakes: 9}, 0, Left, 1, 0},
	} {
		clock := c.start
		c.store.clock = &clock
		i := Deferral{Invalidation: storage.Invalidation{Due: 10, Key: rollup.Key{Tier: "hour"}}}
		var m Memory
		got, err := ensureOne(t, &m, &c.store, i)
		counted := got.Reads == c.reads && got.Puts == c.puts
		if got.Decisions[0] != c.want || !counted || (err != nil) != (c.want == Undecided) {
			t.Errorf("%s: %+v, %v; want %d, %d reads, %d puts", name, got, err, c.want, c.reads, c.puts)
		}
		if remembered := m.Has(i); remembered != (c.want == Left) {
			t.Errorf("%s: remembered %v, want %v", name, remembered, c.want == Left)
		}
	}
}

// Of a batch that is processed in part, only the rest is put again. Each bucket is decided by its own due
// time.
func TestEnsure_PutsAgainOnlyWhatWasNotProcessed(t *testing.T) {
	t.Parallel()
	clock := model.Time(0)
	store := &scripted{result: storage.Written, clock: &clock, unprocessed: 10}
	var all []Deferral
	want := make([]Decision, 60)
	for n := range want {
		due, decision := model.Time(100), Left
		if n%7 == 0 {
			due, decision = 5, Closed // while the first batches are put
		}
		want[n] = decision
		key := rollup.Key{Tier: "hour", Start: model.Time(n)}
		all = append(all, Deferral{Invalidation: storage.Invalidation{Due: due, Key: key}})
	}
	store.putTakes = 5
	var m Memory
	later := func(context.Context, time.Duration) error {
		store.unprocessed = 0
		return nil
	}
	got, err := m.Ensure(t.Context(), store, all, Requests{
		Now:     func() model.Time { return clock },
		Retrier: retry.Retrier{Rand: zeros{}, Sleep: later},
	})
	if err != nil || !slices.Equal(got.Decisions, want) {
		t.Errorf("%v, %v; want %v", got.Decisions, err, want)
	}
	again := 0 // the last ten of each batch that have not closed
	for n, d := range want {
		batch := min((n/itemop.MaxBatchWrites+1)*itemop.MaxBatchWrites, len(want))
		if n >= batch-10 && d == Left {
			again++
		}
	}
	if len(store.into) != len(want)+again || got.Puts != len(store.into) {
		t.Errorf("%d puts, counted %d; want %d and %d again", len(store.into), got.Puts, len(want), again)
	}
}

func TestEnsure_SendsNoRequestForWhatTheProcessRemembers(t *testing.T) {
	t.Parallel()
	clock := model.Time(0)
	store := &scripted{stored: true, clock: &clock}
	i := Deferral{Invalidation: storage.Invalidation{Due: 10, Key: rollup.Key{Tier: "hour"}}}
	var m Memory
	for n := range 3 {
		got, err := ensureOne(t, &m, store, i)
		if want := max(0, 1-n); err != nil || got.Decisions[0] != Left || got.Reads != want {
			t.Errorf("attempt %d: %+v, %v; want it left after %d reads", n, got, err, want)
		}
	}
	clock = 10
	if got, err := ensureOne(t, &m, store, i); err != nil || got.Decisions[0] != Closed || got.Reads > 0 {
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
		got, err := ensureOne(t, &m, store, c.bucket)
		if err != nil || got.Decisions[0] != Left || got.Puts != c.puts {
			t.Errorf("attempt %d: %+v, %v; want %d puts", n, got, err, c.puts)
		}
	}
}
