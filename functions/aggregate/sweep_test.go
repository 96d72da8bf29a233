package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// sweeps records which queue shards were swept.
type sweeps struct {
	mu     sync.Mutex // guards shards
	shards map[storage.QueueShard]int
}

func (s *sweeps) SweepUntilStopped(
	_ context.Context, shard storage.QueueShard, _ *aggregate.RunningSweep,
) (aggregate.SweepReport, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shards[shard]++
	switch shard.Number {
	case 0:
		return aggregate.SweepReport{}, errors.New("the table is down")
	case 1:
		return aggregate.SweepReport{Swept: 2, Left: 1,
			Report: aggregate.Report{Failures: []aggregate.Failure{{Err: errors.New("no row")}}}}, nil
	case 2: // the deadline came first
		return aggregate.SweepReport{Left: 5}, nil
	default:
		return aggregate.SweepReport{Swept: 6}, nil
	}
}

func (s *sweeps) QueueShards(context.Context) (all []aggregate.SweptShard, _ error) {
	ages := []time.Duration{time.Minute, 90 * time.Second, 1500 * time.Millisecond, 0}
	for n, shard := range storage.FirstGeneration.QueueShards() {
		all = append(all, aggregate.SweptShard{QueueShard: shard, Age: ages[n]})
	}
	return all, nil
}

func TestSchedule_SweepsEachQueueShardOnceAndLogsFailures(t *testing.T) {
	f := newFixture(t)
	s := &sweeps{shards: map[storage.QueueShard]int{}}
	f.sweeper = s
	out, err := f.Invoke(t.Context(), sample(t, "scheduled"))
	var result scheduledResult
	if err != nil || json.Unmarshal(out, &result) != nil || result.Swept != 8 || result.Left != 6 {
		t.Errorf("the scheduled event returned %s, %v; want 8 swept, 6 left", out, err)
	}
	for _, shard := range storage.FirstGeneration.QueueShards() {
		if s.shards[shard] != 1 {
			t.Errorf("queue shard %v was swept %d times", shard, s.shards[shard])
		}
	}
	if !strings.Contains(f.out.String(), `"SweepAge":90`) {
		t.Errorf("metrics %s, want the age of the oldest low watermark", f.out.String())
	}
	for _, want := range []string{`"BucketsSwept":8`, `"InvalidationsLeft":6`, `"SweepDuration":`} {
		if !strings.Contains(f.out.String(), want) {
			t.Errorf("metrics %s, want %s", f.out.String(), want)
		}
	}
	for _, want := range []string{`"msg":"low watermarks","ages":[90,60,1.5,0]`, "the table is down", "no row",
		`"queue_shard":2,"swept":0,"left":5`} {
		if !strings.Contains(f.logs.String(), want) {
			t.Errorf("the log lacks %q: %s", want, f.logs.String())
		}
	}
}

// Together the parts do what one invocation does: each queue shard once, and the rest once.
func TestSchedule_PartsShareTheQueueShards(t *testing.T) {
	for parts := 1; parts <= storage.FirstGeneration.Shards; parts++ {
		f := newFixture(t)
		s := &sweeps{shards: map[storage.QueueShard]int{}}
		f.sweeper = s
		for part := range parts {
			if _, err := f.Invoke(t.Context(),
				[]byte(envelope.Part{Sweep: part, Sweeps: parts}.Payload())); err != nil {
				t.Fatal(err)
			}
		}
		for _, shard := range storage.FirstGeneration.QueueShards() {
			if s.shards[shard] != 1 {
				t.Errorf("%d parts: queue shard %v was swept %d times", parts, shard, s.shards[shard])
			}
		}
		if n := strings.Count(f.out.String(), `"SweepAge":90`); n != 1 {
			t.Errorf("%d parts: the age of the low watermark was published %d times", parts, n)
		}
	}
}

func TestSweeperOf_OnlyWhereAKindHasDeferredTiers(t *testing.T) {
	for _, deferred := range []bool{false, true} {
		kind := catalog.Kind{Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"},
			Retention: tier.Standard()}
		kind.Retention.Tiers[2].Deferred = deferred
		kinds, err := catalog.New(kind)
		if err != nil {
			t.Fatal(err)
		}
		if got := newSweeper(&aggregate.Aggregator{}, kinds) != nil; got != deferred {
			t.Errorf("deferred %v: a sweeper: %v", deferred, got)
		}
	}
}
