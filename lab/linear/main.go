// Package linear plays seeded histories of concurrent clients, on the deployed code over a table
// in memory with all simulated faults, until the given number of operations, and checks what the
// clients saw: appends, one by one, in batches and on conditions, corrections, deletes, erasures of
// ranges and reads must be linearizable, and each rollup must be the fold of a possible set of
// events. A history that is not is shrunk, printed and drawn as a page, and the exit status is 1.
//
// A Log records what the clients sent and received, and is checked without knowledge of the
// implementation: operations by porcupine, and each rollup that was read must be the fold of a
// set of events between what was acknowledged before the read and what was sent by its end. Each
// appended payload of a series is a different power of two, so that a sum names its events.
//
// The same clients and checks run at the same time on DynamoDB Local, in a test, and against the
// local stack, in make chaos.
package linear

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/local/simstream"
)

// Command returns the program of make linear.
func Command() *cobra.Command {
	var n int
	var seed uint64
	var page string
	cmd := &cobra.Command{
		Use: "linear", Args: cobra.NoArgs,
		Short: "Record operations of seeded clients under all faults, and check that they are linearizable",
		RunE: func(cmd *cobra.Command, _ []string) error {
			began := time.Now()
			t := play(variant{}, seed, n)
			fmt.Fprintf(cmd.OutOrStdout(), "%s (%s)\n", t, time.Since(began).Round(100*time.Millisecond))
			if t.failed == nil {
				return nil
			}
			return t.explain(cmd.OutOrStdout(), variant{}, page)
		},
	}
	cmd.Flags().IntVarP(&n, "n", "n", 1_000_000, "`number` of operations")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "`seed` of the first history; the next ones count up")
	cmd.Flags().StringVar(&page, "page", "linear.html", "`file` for the page of a violation")
	return cmd
}

// Names of counts.
const (
	countOperations = "operations"
	countLost       = "without a response"
	countReads      = "rollup pages"
)

// total are the results of all histories.
type total struct {
	histories int
	counts    map[string]int
	failed    *simstream.Result // the first that failed
}

// rates are the simulation's, without losses of the table stream, which need a repair.
var rates = simstream.Rates{simstream.StoppedShard: 0, simstream.Failover: 0, simstream.ClockSkew: .1}

// play plays histories until they have n operations, or one fails.
func play(v variant, seed uint64, n int) *total {
	t := &total{counts: map[string]int{}}
	trial(v).Explore(seed, n, func(r simstream.Result) bool {
		t.histories++
		r.Total(t.counts)
		if r.Failure != nil && t.failed == nil {
			t.failed = &r
		}
		return t.failed == nil && t.counts[countOperations] < n
	})
	return t
}

func trial(v variant) simstream.Trial {
	return simstream.Trial{Rates: rates, Setup: func(s *simstream.Sim) {
		newWorld(s, v, func(w *world) {
			s.Add(countOperations, w.log.Count())
			s.Add(countReads, len(w.log.Reads))
			s.Add(countLost, len(w.log.Operations)+len(w.log.Reads)-w.log.Count())
			for i := range w.log.Operations {
				s.Count(string(w.log.Operations[i].Outcome))
			}
			if err := w.log.Check(); err != nil {
				s.Fail(err)
			}
		})
	}}
}

// String returns the counts in one line.
func (t *total) String() string {
	out := fmt.Sprintf("%d operations in %d histories, %d of them pages of rollups; %d attempts had no response",
		t.counts[countOperations], t.histories, t.counts[countReads], t.counts[countLost])
	if t.failed != nil {
		return fmt.Sprintf("%s\nseed %d: %v", out, t.failed.Seed, t.failed.Failure)
	}
	return out + ": all linearizable"
}

// shrunk returns the shrunk history of the first failure; nil if it could not be checked, which
// takes too long to repeat.
func (t *total) shrunk(v variant) *simstream.Trace {
	if errors.Is(t.failed.Failure, ErrUndecided) {
		return nil
	}
	return trial(v).Shrink(t.failed.Seed)
}

// explain prints the shrunk history of the first failure, and draws it. It returns the failure.
func (t *total) explain(out io.Writer, v variant, page string) error {
	fmt.Fprintf(out, "\n%s", t.shrunk(v))
	violation := new(Violation)
	if !errors.As(t.failed.Failure, &violation) {
		return t.failed.Failure
	}
	if err := violation.Draw(page); err != nil {
		return err
	}
	fmt.Fprintln(out, "the history as a page:", page)
	return fmt.Errorf("seed %d: %w", t.failed.Seed, t.failed.Failure)
}
