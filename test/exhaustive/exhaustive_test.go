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
// simulation of test/simulation has them), pages, and records that are lost.
package exhaustive

import (
	"cmp"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/tablekeys"
)

// size is the size of the run: s for the suites, m for make exhaustive-small, l for make
// exhaustive.
var size = cmp.Or(os.Getenv("TIDEMARK_EXHAUSTIVE"), "s")

func TestExhaustive_NoHistoryOfASmallScenarioViolatesTheRule(t *testing.T) {
	const line = "%-62s %12d states %13d transitions %8d quiet %7d tables %8.1f s"
	var sum result
	for _, sc := range scenarios {
		if !strings.Contains(sc.sizes, size) {
			continue
		}
		r, err := explore(sc)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf(line, sc.name, r.states, r.transitions, r.quiet, r.tables, r.took.Seconds())
		if r.err != nil {
			t.Errorf("violated by\n  %s", strings.Join(r.path, "\n  "))
		}
		if r.quiet < 10 || r.states < 300 {
			t.Errorf("%d states, %d of them quiet: too few", r.states, r.quiet)
		}
		sum.add(r)
	}
	t.Logf(line, "all", sum.states, sum.transitions, sum.quiet, sum.tables, sum.took.Seconds())
}

// What a process forgets must not matter: with and without forgetting, a scenario has the
// same contents of the table in its quiet states, but for revisions.
func TestForget_LosesNoContentOfTheTable(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"c1", "f1"} {
		sc := scenarioNamed(t, name)
		sc.budget.deletes = 0
		merged := contentsOf(t, sc)
		sc.remembersAll = true
		all := contentsOf(t, sc)
		if !maps.Equal(merged, all) {
			t.Errorf("%s: %d contents of the table, without forgetting %d", name, len(merged), len(all))
		}
		t.Logf("%s: %d contents of the table", name, len(all))
	}
}

// contentsOf returns the contents of the table in the quiet states of a scenario.
func contentsOf(t *testing.T, sc scenario) map[string]bool {
	x, err := newSystem(&sc)
	if err != nil {
		t.Fatal(err)
	}
	if r := x.explore(); r.err != nil {
		t.Fatal(r.err)
	}
	all := map[string]bool{}
	for _, content := range x.tables.known {
		text := ""
		for _, it := range content.items {
			plain := maps.Clone(it)
			delete(plain, tablekeys.AttrRev)
			text += itemText(plain)
		}
		if len(content.right) > 0 {
			all[text] = true
		}
	}
	return all
}
