package simulation

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// byProfile plays histories with groups by profiles, which few of the others have.
func byProfile(v variant) simstream.Trial {
	v.byProfile = true
	return simstream.Trial{Setup: func(s *simstream.Sim) { playVariant(s, v) }}
}

// Members move between groups, mostly by the profile of today, sometimes by one that was stored hours late.
func TestMoves_ExactRowsEqualTheirEventsUnderEveryFault(t *testing.T) {
	t.Parallel()
	trial := byProfile(variant{})
	sim := simulateTrial(trial, 1, testenv.Histories(20, 40)) // each takes as long as five others
	for _, r := range sim.failed {
		t.Errorf("seed %d: %v\n%s", r.Seed, r.Failure, trial.Shrink(r.Seed))
	}
	if sim.counts[movesStored] < 30 || sim.counts[groupRowsExact] < 1000 {
		t.Errorf("%d moves and %d exact rows of groups: want many of both", sim.counts[movesStored],
			sim.counts[groupRowsExact])
	}
	t.Log(sim.took, movesStored, sim.counts[movesStored], lateMoves, sim.counts[lateMoves], groupRowsExact,
		sim.counts[groupRowsExact])
}

// A move that is not processed is found where it was stored hours late.
func TestMoves_DetectThatRecordsOfMovesAreDropped(t *testing.T) {
	t.Parallel()
	detect(t, 105, byProfile(variant{changes: without(storage.Moved)}).Setup)
}
