package simulation

import (
	"strings"
	"sync"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
)

// histories is the number of histories that a test run plays.
var histories = testenv.Histories(200, 400)

// played are the first histories of make sim.
var played = sync.OnceValue(func() *summary { return simulate(1, histories) })

func TestSimulation_ExactRowsEqualTheirEventsUnderEveryFault(t *testing.T) {
	t.Parallel()
	sim := played()
	for _, r := range sim.failed {
		t.Errorf("seed %d: %v", r.Seed, r.Failure)
	}
	if len(sim.failed) > 0 {
		t.Log(simstream.Trial{Setup: play}.Shrink(sim.failed[0].Seed))
	}
	if unlisted := sim.unlisted(); len(unlisted) > 0 {
		t.Errorf("counts without a line in the report: %q", unlisted)
	}
	for _, f := range simstream.Faults() {
		if sim.counts[f.String()] == 0 {
			t.Errorf("fault %q did not occur in %d histories", f, histories)
		}
	}
}

// The seeds of today are others than yesterday's. Only failures count: few histories need not meet every
// fault.
func TestSimulation_NoHistoryOfTodayFails(t *testing.T) {
	t.Parallel()
	seed := testenv.Seed(t)
	for name, setup := range map[string]func(*simstream.Sim){"rows": play, "sessions": playSessions} {
		trial := simstream.Trial{Setup: setup}
		for _, r := range simulateTrial(trial, seed, histories).failed {
			t.Errorf("%s, seed %d: %v\n%s", name, r.Seed, r.Failure, trial.Shrink(r.Seed))
		}
	}
}

// Where nothing expires, nearly every correct row must be exact.
func TestSimulation_FewRowsAreNeedlesslyInexact(t *testing.T) {
	t.Parallel()
	sim := played()
	if rows := sim.counts[rowsChecked+lasting]; rows < 1000 {
		t.Errorf("%d rows checked%s, want at least 1000", rows, lasting)
	}
	if part := sim.needless(lasting); part > .01 {
		t.Errorf("%.2f %% of the rows%s are correct but inexact, want under 1 %%", 100*part, lasting)
	}
	explained := sim.counts[markedUnchanged] + sim.counts[inherited] + sim.counts[inheritedOnce]
	if all := sim.counts[rowsNeedless+lasting] + sim.counts[rowsNeedless+expiring]; explained != all {
		t.Errorf("%d of %d needlessly inexact rows have a known cause", explained, all)
	}
}

func TestSimulation_ASeedAlwaysGivesTheSameHistory(t *testing.T) {
	t.Parallel()
	trial := simstream.Trial{Setup: play}
	for seed := range uint64(20) {
		if once, again := trial.Trace(seed).String(), trial.Trace(seed).String(); once != again {
			t.Fatalf("seed %d gave two histories: %s", seed, firstDifference(once, again))
		}
	}
}

// In this history another configuration is applied between the change to immediate tiers and the end of the
// deferral, which once was tried with the older declaration.
func TestSimulation_ADeferralEndsWithTheNewestDeclaration(t *testing.T) {
	t.Parallel()
	if r := (simstream.Trial{Setup: play}).Run(73122361); r.Failure != nil {
		t.Error(r.Failure)
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] + "\nand\n" + y[i]
		}
	}
	return "one is longer"
}

// A run in which a fault hardly occurs proves nothing about it.
func TestReport_NamesWhatTooFewHistoriesMet(t *testing.T) {
	t.Parallel()
	enough := &summary{histories: 1000, counts: map[string]int{}}
	for _, name := range enough.required() {
		enough.counts[name] = 10
	}
	if unmet := enough.unmet(); len(unmet) > 0 {
		t.Errorf("got %q, want none", unmet)
	}
	enough.counts[suspensions] = 9
	if unmet := enough.unmet(); len(unmet) != 1 || !strings.Contains(unmet[0], suspensions) {
		t.Errorf("got %q, want the one that occurs too rarely", unmet)
	}
}
