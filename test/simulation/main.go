// Command simulation plays histories of a table under every fault there is, each from
// its seed, with the code that deploys: the ingest service and the aggregator on the
// table in memory, behind a simulated table stream. It checks, whenever all is quiet,
// that each row that says exact is byte-equal to a recount of the events, and that no
// row is missing that should be there. A history that fails is shrunk and told. Its
// exit status is the verdict.
//
// The kit under it, package streamtest, is for any handler; what is here is what our
// own rule promises.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

func main() {
	n := flag.Int("n", 1000, "how many histories")
	seed := flag.Uint64("seed", 1, "seed of the first; the others follow it")
	cost := flag.Bool("cost", false, "measure what it costs to be right, instead")
	story := flag.Bool("story", false, "tell the history of the seed whole, whether it fails or not")
	flag.Parse()
	if *cost {
		costs(os.Stdout)
		return
	}
	if *story {
		fmt.Print(streamtest.Trial{Play: play}.Tell(*seed))
		return
	}
	if t := simulate(*seed, *n); !tell(t) {
		os.Exit(1)
	}
}

// simulate plays n histories. It stops at a few that fail.
func simulate(seed uint64, n int) *tally {
	t := &tally{first: seed, counts: map[string]int{}}
	start := time.Now()
	streamtest.Trial{Play: play}.Explore(seed, n, func(r streamtest.Result) bool {
		t.add(r)
		return len(t.failed) < 10
	})
	t.took = time.Since(start)
	return t
}

// tell prints the report, and the story of the first history that failed.
func tell(t *tally) (ok bool) {
	t.report(os.Stdout)
	if len(t.failed) == 0 {
		return true
	}
	for _, r := range t.failed {
		fmt.Printf("\nseed %d: %v", r.Seed, r.Failure)
	}
	fmt.Printf("\n\n%s", streamtest.Trial{Play: play}.Shrink(t.failed[0].Seed))
	return false
}
