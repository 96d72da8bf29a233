package main

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// requestTime is the CPU time of a request of an invocation, which has one CPU.
const requestTime = 40 * time.Millisecond

// startTime is how long an asynchronous invocation takes to start.
const startTime = 500 * time.Millisecond

// hoursTop is a deployment after the end of an hour, whose buckets all close at once. Its clock is virtual,
// and each invocation has a process of its own.
type hoursTop struct {
	t       *testing.T
	table   *memory.Table
	kinds   *catalog.Catalog
	series  []model.Series
	hour    model.Time    // the start of the hour
	timeout time.Duration // of an invocation
	// deliver returns when copies of a handover are delivered; nil: one, after startTime.
	deliver func() ([]time.Duration, error)
	without bool // hands nothing over

	running sync.WaitGroup
	mu      sync.Mutex  // guards what follows
	now     int         // invocations that run
	most    int         // of them at a time
	hops    map[int]int // invocations by hop
	refused int         // handovers that were not accepted
	metrics stdout
	logs    stdout
}

// newHoursTop returns a deployment with a number of series in a number of queue shards.
func newHoursTop(t *testing.T, series, shards int) *hoursTop {
	t.Helper()
	kind := catalog.Kind{Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"},
		Retention: tier.Standard().Defer()}
	kinds, err := catalog.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	w := &hoursTop{t: t, kinds: kinds, timeout: time.Minute, hops: map[int]int{},
		table: memory.New(func() model.Time { return model.NewTime(time.Now()) })}
	hour := tier.Hour.BucketAt(model.NewTime(time.Now()))
	w.hour = hour.Start
	queue := storage.Generation{Number: 1, Shards: shards}
	changeQueue(t, w.table, storage.Generations{
		{Shards: storage.FirstGeneration.Shards, RetiredAt: hour.Start}, queue,
	})
	for n := range series {
		s := kind.Series(fmt.Sprint("d", n), "", model.Order{})
		e := model.Event{Series: s, Order: model.Order{At: hour.Start}, ArrivedAt: hour.Start,
			Attrs: model.Attrs{{Name: "temperature", Value: model.NumberValue(model.NewDecimal(int64(n)))}}}
		if err := w.table.PutItem(t.Context(), item.FromEvent(&e)); err != nil {
			t.Fatal(err)
		}
		key := rollup.Key{Series: s, Tier: tier.Hour.String(), Start: hour.Start}
		due := []storage.Invalidation{queue.Invalidation(hour.End, key)}
		if _, _, err := w.table.PutInvalidations(t.Context(), due); err != nil {
			t.Fatal(err)
		}
		w.series = append(w.series, s)
	}
	time.Sleep(time.Until(hour.End.Add(aggregate.ClockMargin).Time()))
	return w
}

// changeQueue replaces the queue shards of a table.
func changeQueue(t *testing.T, table tableconfig.QueueStore, g storage.Generations) {
	t.Helper()
	stored, err := table.QueueConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	next := storage.QueueConfig{Generations: g, Rev: [16]byte{1}}
	result, err := table.PutQueueConfig(t.Context(), next, stored.Rev)
	if err != nil || result != storage.Written {
		t.Fatal(result, err)
	}
}

// settled returns how many series have the row of the hour.
func (w *hoursTop) settled() (n int) {
	w.t.Helper()
	for _, s := range w.series {
		row, err := w.table.Row(w.t.Context(), rollup.Key{Series: s, Tier: tier.Hour.String(), Start: w.hour})
		if err != nil {
			w.t.Fatal(err)
		}
		if row != nil && row.Exact && row.Summary.Events() == 1 {
			n++
		}
	}
	return n
}

// invoke carries out an invocation in a process of its own.
func (w *hoursTop) invoke(payload []byte) {
	w.running.Go(func() {
		w.began(1)
		defer w.began(-1)
		ctx, cancel := context.WithTimeout(w.t.Context(), w.timeout)
		defer cancel()
		now := func() model.Time { return model.NewTime(time.Now()) }
		h := &handler{
			sweeper: &aggregate.Aggregator{Store: w.slowTable(), QuarantineStore: w.table, Catalog: w.kinds,
				Now: now, Limits: aggregate.Limits{Buckets: 5}},
			log:     telemetry.NewLogger(&w.logs, nil),
			metrics: &telemetry.Emitter{Out: &w.metrics, Now: now},
		}
		if !w.without {
			h.self = w
		}
		if _, err := h.Invoke(ctx, payload); err != nil {
			w.t.Error(err)
		}
	})
}

func (w *hoursTop) began(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now += n
	w.most = max(w.most, w.now)
}

// InvokeEvent accepts an event of the function for itself.
func (w *hoursTop) InvokeEvent(_ context.Context, payload []byte) error {
	work, ok := envelope.ParseHandover(payload)
	if !ok {
		w.t.Errorf("%s is no handover", payload)
	}
	after, err := []time.Duration{startTime}, error(nil)
	if w.deliver != nil {
		after, err = w.deliver()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.refused++
	}
	for _, d := range after {
		w.hops[work.Hop]++
		w.running.Go(func() {
			time.Sleep(d)
			w.invoke(payload)
		})
	}
	return err
}

// slowTable returns the table with requests that share one CPU.
func (w *hoursTop) slowTable() *slowTable {
	return &slowTable{Table: w.table, cpu: make(chan struct{}, 1)}
}

type slowTable struct {
	*memory.Table
	cpu chan struct{}
}

// request takes the time of a request, or returns the error of ctx.
func (s *slowTable) request(ctx context.Context) error {
	select {
	case s.cpu <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.cpu }()
	time.Sleep(requestTime)
	return ctx.Err()
}

func (s *slowTable) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	if err := s.request(ctx); err != nil {
		return nil, err
	}
	return s.Table.Row(ctx, key)
}

func (s *slowTable) Events(ctx context.Context, r storage.Range) (page storage.EventPage, _ error) {
	if err := s.request(ctx); err != nil {
		return page, err
	}
	return s.Table.Events(ctx, r)
}

func (s *slowTable) PutRow(
	ctx context.Context, row *rollup.Row, prev rollup.Rev,
) (storage.WriteResult, error) {
	if err := s.request(ctx); err != nil {
		return storage.Unknown, nil
	}
	return s.Table.PutRow(ctx, row, prev)
}

func (s *slowTable) DeleteInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	if err := s.request(ctx); err != nil {
		return these, storage.Unknown, nil
	}
	return s.Table.DeleteInvalidations(ctx, these)
}

var (
	_ aggregate.Store             = (*slowTable)(nil)
	_ aggregate.InvalidationStore = (*slowTable)(nil)
)

// minutes lets the schedule invoke the parts of the sweeps for some minutes.
func (w *hoursTop) minutes(n, parts int) {
	for range n {
		for part := range parts {
			w.invoke([]byte(envelope.Part{Sweep: part, Sweeps: parts}.Payload()))
		}
		time.Sleep(config.AlertsEvery)
	}
}
