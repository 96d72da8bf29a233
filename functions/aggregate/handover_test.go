package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// crowd is how many series close their hours at once: about twice as many as one invocation works off within
// five minutes.
const crowd = 4000

// One invocation is too slow for an hour's top. Four invocations with one queue shard each, which begin after
// 10 of 60 seconds, are 3.5 times as fast.
func TestHandover_SettlesAnHoursTopThatIsTooMuchForOneInvocation(t *testing.T) {
	var minute, within [2]int // settled within one and five minutes, without and with handovers
	for n := range minute {
		synctest.Test(t, func(t *testing.T) {
			w := newHoursTop(t, crowd, 4)
			w.without = n == 0
			w.minutes(1, 1)
			minute[n] = w.settled()
			w.minutes(4, 1)
			within[n] = w.settled()
			w.running.Wait()
			t.Logf("handovers %t: of %d series, %d settled within one minute, %d (%.0f %%) within five; "+
				"at most %d invocations at once, by hop %v", n > 0, crowd, minute[n], within[n],
				100*float64(within[n])/crowd, w.most, w.hops)
			if handed := strings.Contains(w.metrics.String(), `"SweepHandovers":3`); handed != (n > 0) {
				t.Errorf("three handovers counted: %t", handed)
			}
		})
	}
	if faster := float64(minute[1]) / float64(minute[0]); faster < 3.2 || faster > 3.8 {
		t.Errorf("handovers are %.2f times as fast, want about 3.5", faster)
	}
	if within[0] > crowd*6/10 || within[1] != crowd {
		t.Errorf("settled within five minutes without and with handovers: %v of %d, want six tenths at most, "+
			"and all", within, crowd)
	}
}

// Correctness and, beside its gain, time do not depend on a handover. Every case ends with each row right.
func TestHandover_ThatFailsIsLateOrDuplicateLeavesTheWorkToTheSchedule(t *testing.T) {
	lost := errors.New("no response")
	for name, c := range map[string]struct {
		deliver func() ([]time.Duration, error)
		fails   bool
		minute  int // series settled within a minute at least: without handovers, 350 to 450 are
	}{
		"refused":               {delivered(lost), true, 350},
		"accepted and lost":     {delivered(nil), false, 350},
		"no response, invoked":  {delivered(lost, startTime), true, 800},
		"late":                  {delivered(nil, 70*time.Second), false, 350},
		"at the next schedule":  {delivered(nil, config.AlertsEvery-config.HandOverAfter), false, 350},
		"three times":           {delivered(nil, startTime, 2*time.Second, 20*time.Second), false, 1000},
		"again when it is late": {delivered(nil, startTime, 2*time.Minute, time.Hour), false, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newHoursTop(t, crowd/2, 4)
				w.deliver = c.deliver
				w.minutes(1, 1)
				minute := w.settled()
				w.minutes(9, 1)
				w.running.Wait()
				if all := w.settled(); minute < c.minute || all != crowd/2 {
					t.Errorf("%d series settled within a minute, want %d; in the end %d, want all",
						minute, c.minute, all)
				}
				stopped := strings.Contains(w.logs.String(), `"stopped":true`)
				if accepted := name != "refused" && name != "no response, invoked"; stopped != accepted {
					t.Errorf("sweeps were stopped: %t, handovers accepted: %t", stopped, accepted)
				}
				if counted := strings.Contains(w.metrics.String(), `"FailedHandovers":`); counted != c.fails ||
					counted != (w.refused > 0) {
					t.Errorf("failed handovers counted: %t, %d failed", counted, w.refused)
				}
			})
		})
	}
}

// delivered is how a handover is responded to, and when its copies are delivered.
func delivered(err error, after ...time.Duration) func() ([]time.Duration, error) {
	return func() ([]time.Duration, error) { return after, err }
}

// A function with a short timeout goes on by messages, one after the other, in a chain that ends. However
// many queue shards there are, at most MaxSweepers invocations work for one scheduled event.
func TestHandover_GoesOnUntilTheNextScheduleWithinItsBounds(t *testing.T) {
	for _, c := range []struct {
		shards  int
		timeout time.Duration
		hops    int // of the longest chain
		most    int // invocations at once
	}{
		{shards: 64, timeout: time.Minute, hops: 1, most: config.MaxSweepers},
		{shards: 4, timeout: 15 * time.Second, hops: 4, most: 4},
		{shards: 1, timeout: time.Minute, hops: 0, most: 1},
		{shards: 1, timeout: 15 * time.Second, hops: 3, most: 1},
		{shards: 4, timeout: 5 * time.Second, hops: envelope.MaxHops, most: 1},
	} {
		t.Run(fmt.Sprint(c.shards, c.timeout), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newHoursTop(t, 2*crowd, c.shards)
				w.timeout = c.timeout
				w.minutes(1, 1)
				w.running.Wait()
				longest := 0
				for hop := range w.hops {
					longest = max(longest, hop)
				}
				if longest != c.hops || w.most != c.most {
					t.Errorf("hops %v, %d invocations at once; want a chain of %d, and %d at once",
						w.hops, w.most, c.hops, c.most)
				}
			})
		})
	}
}

// watched is a sweeper that records which queue shards are swept.
type watched struct {
	mu     sync.Mutex // guards swept
	swept  []storage.QueueShard
	shards []storage.QueueShard // of the table
}

func (s *watched) SweepUntilStopped(
	_ context.Context, shard storage.QueueShard, _ *aggregate.RunningSweep,
) (aggregate.SweepReport, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.swept = append(s.swept, shard)
	return aggregate.SweepReport{}, nil
}

func (s *watched) QueueShards(context.Context) (all []aggregate.SweptShard, _ error) {
	for _, shard := range s.shards {
		all = append(all, aggregate.SweptShard{QueueShard: shard})
	}
	return all, nil
}

// A handover is worked off before its end, once for each queue shard that is still swept. It is no schedule:
// the heartbeat and the alerts are not its work.
func TestHandover_SweepsTheQueueShardsThatItNames(t *testing.T) {
	table := storage.FirstGeneration.QueueShards()
	retired := storage.QueueShard{Generation: 7, Number: 1}
	named := []storage.QueueShard{table[1], retired, table[3], table[1]}
	for name, c := range map[string]struct {
		hop   int
		left  time.Duration // until its end
		swept int
	}{
		"in time":    {1, 30 * time.Second, 2},
		"last hop":   {envelope.MaxHops, time.Second, 2},
		"late":       {1, 0, 0},
		"very late":  {1, -time.Hour, 0},
		"no hop":     {0, time.Minute, 0},
		"too many":   {envelope.MaxHops + 1, time.Minute, 0},
		"in reverse": {-1, time.Minute, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			f, s := newFixture(t), &watched{shards: table}
			f.sweeper = s
			work := envelope.Handover{Shards: named, Hop: c.hop, Until: time.Now().Add(c.left)}
			if _, err := f.Invoke(t.Context(), work.Payload()); err != nil {
				t.Fatal(err)
			}
			if len(s.swept) != c.swept {
				t.Errorf("%s: swept %v, want %d of the queue shards", name, s.swept, c.swept)
			}
			for _, shard := range s.swept {
				if shard == retired {
					t.Errorf("%s: a retired queue shard was swept", name)
				}
			}
			if strings.Contains(f.out.String(), "SweepAge") {
				t.Errorf("%s: published what the schedule publishes: %s", name, f.out.String())
			}
		})
	}
}
