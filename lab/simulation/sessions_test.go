package simulation

import (
	"sync"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// sessionHistories is the number of histories of sessions that a test run plays.
var sessionHistories = testenv.Histories(60, 200)

var playedSessions = sync.OnceValue(func() *summary {
	return simulateTrial(simstream.Trial{Setup: playSessions}, 1, sessionHistories)
})

func TestSimulation_SessionsEqualASequentialRecount(t *testing.T) {
	t.Parallel()
	sim := playedSessions()
	for _, r := range sim.failed {
		t.Errorf("seed %d: %v", r.Seed, r.Failure)
	}
	if len(sim.failed) > 0 {
		t.Log(simstream.Trial{Setup: playSessions}.Shrink(sim.failed[0].Seed))
	}
	required := []string{
		simstream.CrashBefore.String(), simstream.CrashAfter.String(), simstream.Duplicate.String(),
		simstream.WriteDelayed.String(), sessionsSettled, sessionsOpen, sessionsCarried, sessionsInexact, "sweeps",
		"locks lost", "ranges rebuilt", visitsRead, visitsAhead, visitsSummed,
	}
	for _, o := range sessionOperations {
		required = append(required, operationPrefix+o.name)
	}
	for _, name := range required {
		if sim.counts[name] == 0 {
			t.Errorf("%q did not occur in %d histories", name, sessionHistories)
		}
	}
}

func TestSimulation_ASeedAlwaysGivesTheSameSessions(t *testing.T) {
	t.Parallel()
	trial := simstream.Trial{Setup: playSessions}
	for seed := range uint64(5) {
		if once, again := trial.Trace(seed).String(), trial.Trace(seed).String(); once != again {
			t.Fatalf("seed %d gave two histories: %s", seed, firstDifference(once, again))
		}
	}
}

// The simulation of sessions is useful only if it detects faults.
func TestSimulation_DetectsPlantedFaultsOfSessions(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]variant{
		"an invalidation is not stored":         {store: func(w *world) aggregate.Store { return losingPuts{w.store} }},
		"the low watermark passes what is left": {store: func(w *world) aggregate.Store { return passing{w.store} }},
		"deletions are dropped":                 {changes: without(storage.Deleted)},
		"corrections are dropped":               {changes: without(storage.Corrected)},
		"the failed record is acknowledged":     {respond: acknowledgeFailed},
		"the queue is left to the aggregator":   {writer: withoutQueue},
		"only buckets of views are queued":      {writer: withoutSessions},
		"readers without consistency": {live: func(l *query.Live) {
			l.Store = inconsistentReader{l.Store}
		}},
	} {
		trial := simstream.Trial{Setup: func(s *simstream.Sim) { playSessionsVariant(s, v) }}
		detected := 0
		for i := uint64(1); i <= 200 && detected == 0; i++ {
			if r := trial.Run(i); r.Failure != nil {
				t.Logf("%s: detected in history %d: %v", name, i, r.Failure)
				detected = int(i)
			}
		}
		if detected == 0 {
			t.Errorf("%s: not detected in 200 histories", name)
		}
	}
}
