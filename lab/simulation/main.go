// Package simulation plays random histories of a table under all simulated faults. It runs
// the deployed code: the ingest service and the aggregator, on the table in memory and a
// simulated table stream. Each history is determined by its seed. Whenever nothing is in
// progress, it checks that each exact row is byte-equal to a recount of the events, and
// that no row is missing. Readers read rollups meanwhile: each bucket that they get is the fold of a
// set of events between what was processed before the read began and what was committed by its end,
// and of an open bucket exactly what was committed. A history that fails is shrunk and printed, and the exit
// status is 1.
//
// Package simstream simulates the stream; this program checks the guarantees of the aggregator.
package simulation

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/local/simstream"
)

// Command returns the program of make sim. It fails if a history does.
func Command() *cobra.Command {
	var n int
	var seed uint64
	var cost, trace bool
	cmd := &cobra.Command{
		Use: "sim", Args: cobra.NoArgs,
		Short: "Play seeded histories of a table under all faults, and check every row and every read",
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			switch {
			case cost:
				printAllCosts(out)
			case trace:
				fmt.Fprint(out, simstream.Trial{Setup: play}.Trace(seed))
			default:
				return printReport(out, simulate(seed, n))
			}
			return nil
		},
	}
	cmd.Flags().IntVarP(&n, "n", "n", 1000, "`number` of histories")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "`seed` of the first history; the next ones count up")
	cmd.Flags().BoolVar(&cost, "cost", false, "measure the read and write units of rollups instead")
	cmd.Flags().BoolVar(&trace, "trace", false,
		"print the complete history of the seed, whether it fails or not")
	return cmd
}

// CostCommand returns the program of make cost.
func CostCommand() *cobra.Command {
	return &cobra.Command{
		Use: "cost", Args: cobra.NoArgs,
		Short: "Measure the read and write units of rollups",
		Run:   func(cmd *cobra.Command, _ []string) { printAllCosts(cmd.OutOrStdout()) },
	}
}

func printAllCosts(w io.Writer) {
	printCosts(w)
	printDeferredCosts(w)
}

func simulate(seed uint64, n int) *summary {
	return simulateTrial(simstream.Trial{Setup: play}, seed, n)
}

// simulateTrial plays n histories. It stops after ten failures.
func simulateTrial(trial simstream.Trial, seed uint64, n int) *summary {
	t := &summary{first: seed, counts: map[string]int{}}
	start := time.Now()
	trial.Explore(seed, n, func(r simstream.Result) bool {
		t.add(r)
		return len(t.failed) < 10
	})
	t.took = time.Since(start)
	return t
}

// printReport prints the report and the first failed history, shrunk. The error says what is not as it
// must be.
func printReport(w io.Writer, t *summary) error {
	t.report(w)
	unmet := t.unmet()
	for _, line := range unmet {
		fmt.Fprintln(w, "NOT MET OFTEN ENOUGH:", line)
	}
	if len(t.failed) > 0 {
		for _, r := range t.failed {
			fmt.Fprintf(w, "\nseed %d: %v", r.Seed, r.Failure)
		}
		fmt.Fprintf(w, "\n\n%s", simstream.Trial{Setup: play}.Shrink(t.failed[0].Seed))
		return fmt.Errorf("%d of %d histories failed", len(t.failed), t.histories)
	}
	if len(unmet) > 0 {
		return fmt.Errorf("%d faults or situations occurred too rarely: play more histories", len(unmet))
	}
	return nil
}
