// Package simulation plays random histories of a table under all simulated faults. It runs
// the deployed code: the ingest service and the aggregator, on the table in memory and a
// simulated table stream. Each history is determined by its seed. Whenever nothing is in
// progress, it checks that each exact row is byte-equal to a recount of the events, and
// that no row is missing. Readers read rollups meanwhile: each bucket that they get is the fold of a
// set of events between what was processed before the read began and what was committed by its end,
// and of an open bucket exactly what was committed. A history that fails is shrunk and printed, and the exit status
// is 1.
//
// Package simstream simulates the stream; this program checks the guarantees of the aggregator.
package simulation

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/simstream"
	"github.com/tidemark-db/tidemark/internal/testenv"
)

// TestMain runs the command if TIDEMARK_COMMAND has its flags.
func TestMain(m *testing.M) { testenv.Main(m, command) }

// command is what make sim and make cost run.
func command(args []string) {
	flag := flag.NewFlagSet("simulation", flag.ExitOnError)
	n := flag.Int("n", 1000, "`number` of histories")
	seed := flag.Uint64("seed", 1, "`seed` of the first history; the next ones count up")
	cost := flag.Bool("cost", false, "measure the read and write units of rollups instead")
	trace := flag.Bool("trace", false, "print the complete history of the seed, whether it fails or not")
	_ = flag.Parse(args) // it exits if it fails
	if *cost {
		printCosts(os.Stdout)
		printDeferredCosts(os.Stdout)
		return
	}
	if *trace {
		fmt.Print(simstream.Trial{Setup: play}.Trace(*seed))
		return
	}
	if t := simulate(*seed, *n); !printReport(t) {
		os.Exit(1)
	}
}

func simulate(seed uint64, n int) *summary { return simulateOf(simstream.Trial{Setup: play}, seed, n) }

// simulateOf plays n histories. It stops after ten failures.
func simulateOf(trial simstream.Trial, seed uint64, n int) *summary {
	t := &summary{first: seed, counts: map[string]int{}}
	start := time.Now()
	trial.Explore(seed, n, func(r simstream.Result) bool {
		t.add(r)
		return len(t.failed) < 10
	})
	t.took = time.Since(start)
	return t
}

// printReport prints the report and the first failed history, shrunk. It returns whether
// all histories passed.
func printReport(t *summary) (ok bool) {
	t.report(os.Stdout)
	unmet := t.unmet()
	for _, line := range unmet {
		fmt.Println("NOT MET OFTEN ENOUGH:", line)
	}
	if len(t.failed) == 0 {
		return len(unmet) == 0
	}
	for _, r := range t.failed {
		fmt.Printf("\nseed %d: %v", r.Seed, r.Failure)
	}
	fmt.Printf("\n\n%s", simstream.Trial{Setup: play}.Shrink(t.failed[0].Seed))
	return false
}
