// Package exhaustive explores every history of small scenarios on the real code: the ingest
// service, the aggregator, sweeps and live reads, on the table in memory. A scenario has a
// few events, buckets, processes and readings of the clock, and a budget of faults. Every
// interleaving of the requests of its processes is explored, with a crash or a missing
// response at each write, repeated and late records, deletions, expiry, seals, another
// configuration and reads.
//
// # What is checked
//
// In each state where nothing runs and every change is processed, each row that readers use
// is the fold of exactly the accepted events, or says exact: false where a change came too
// late for its seal. Each response to a reader is the fold of a set of events: it has those
// that were processed before the reader began, of an open bucket those that were stored,
// and none that was not stored by its end. And every bucket settles: from each quiet state
// two sweeps after all closing times empty the queue, and the rows are right again. A state
// where nothing can happen any more must be quiet.
//
// The value of event n is 2^n, so that the sum of a fold is the set of its events. The
// check shares no arithmetic with the fold.
//
// # How it works
//
// A process is a function of what it has read. So the state of a process is the list of
// the responses to its requests, and the state of the system is the content of the table,
// the states of the processes, and a few counters. The real code runs once for each state
// of a process and for each pair of table content and request; all else is looked up. A
// state is visited once: states are known by a hash of 128 bits. The search is by levels,
// so that the history of a violation is one of the shortest.
//
// Three rules keep the number of states small, and lose no outcome. A process reads its
// clock at once or after the next tick, since nothing else depends on it. A process that
// crashes does so right after a write, or before its first: no other process sees the
// difference. At the beginning of an attempt to recompute a bucket, a process has forgotten
// the attempts before; TestForget checks that this loses no content of the table.
//
// Not explored: writes that are carried out later than their missing response (the
// simulation of lab/simulation has them), pages, and records that are lost.
package exhaustive

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Command returns the program of make exhaustive-small and make exhaustive.
func Command() *cobra.Command {
	var size string
	cmd := &cobra.Command{
		Use: "exhaustive", Args: cobra.NoArgs,
		Short: "Explore every history of small scenarios on the real code, each state once",
		RunE:  func(cmd *cobra.Command, _ []string) error { return exploreAll(cmd.OutOrStdout(), size) },
	}
	cmd.Flags().StringVar(&size, "size", "m",
		"`size` of the scenarios: s, as the tests run; m, under 2 minutes; l, under 30 minutes with 8 GB")
	return cmd
}

// exploreAll explores the scenarios of a size, and prints a line for each. The error says which are
// violated.
func exploreAll(w io.Writer, size string) error {
	const line = "%-62s %12d states %13d transitions %8d quiet %7d tables %8.1f s\n"
	var sum result
	var violated []error
	explored := 0
	for _, sc := range scenarios {
		if !strings.Contains(sc.sizes, size) {
			continue
		}
		r, err := explore(sc)
		if err != nil {
			return err
		}
		explored++
		fmt.Fprintf(w, line, sc.name, r.states, r.transitions, r.quiet, r.tables, r.took.Seconds())
		if r.err != nil {
			violated = append(violated, fmt.Errorf("%s: violated by\n  %s", sc.name, strings.Join(r.path, "\n  ")))
		}
		if r.quiet < 10 || r.states < 300 {
			violated = append(violated, fmt.Errorf("%s: %d states, %d of them quiet: too few", sc.name, r.states,
				r.quiet))
		}
		sum.add(r)
	}
	if explored == 0 {
		return fmt.Errorf("no scenario has the size %q: use s, m or l", size)
	}
	fmt.Fprintf(w, line, "all", sum.states, sum.transitions, sum.quiet, sum.tables, sum.took.Seconds())
	return errors.Join(violated...)
}
