package main

import (
	"strings"
	"sync"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

// played are the first of the histories that make sim plays.
var played = sync.OnceValue(func() *tally { return simulate(1, histories) })

func TestSimulation_RowsThatSayExactEqualTheirEventsUnderEveryFault(t *testing.T) {
	t.Parallel()
	sim := played()
	for _, r := range sim.failed {
		t.Errorf("seed %d: %v", r.Seed, r.Failure)
	}
	if len(sim.failed) > 0 {
		t.Log(streamtest.Trial{Play: play}.Shrink(sim.failed[0].Seed))
	}
	if strangers := sim.strangers(); len(strangers) > 0 {
		t.Errorf("counted, and named by no heading of the report: %q", strangers)
	}
	for _, f := range streamtest.Faults() {
		if sim.counts[f.String()] == 0 {
			t.Errorf("%s did not strike once in %d histories", f, histories)
		}
	}
}

// Where nothing is about to expire, nothing excuses a right row for saying that it is
// not exact.
func TestSimulation_FewRowsAreNeedlesslyInexact(t *testing.T) {
	t.Parallel()
	sim := played()
	if rows := sim.counts[rowsChecked+lasting]; rows < 1000 {
		t.Errorf("%d rows checked%s: too few to tell", rows, lasting)
	}
	if part := sim.needless(lasting); part > .01 {
		t.Errorf("%.2f %% of the rows%s are right and say that they are not exact, want under 1 %%", 100*part, lasting)
	}
	explained := sim.counts[marked] + sim.counts[inherited] + sim.counts[inheritedOnce]
	if all := sim.counts[rowsNeedless+lasting] + sim.counts[rowsNeedless+expiring]; explained != all {
		t.Errorf("%d of %d rows that are needlessly inexact are explained", explained, all)
	}
}

func TestSimulation_OneSeedIsOneHistory(t *testing.T) {
	t.Parallel()
	trial := streamtest.Trial{Play: play}
	for seed := range uint64(20) {
		if once, again := trial.Tell(seed).String(), trial.Tell(seed).String(); once != again {
			t.Fatalf("seed %d told two stories: %s", seed, firstDifference(once, again))
		}
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] + "\nand\n" + y[i]
		}
	}
	return "one goes on for longer"
}
